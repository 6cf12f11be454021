"""Hints about wrong keys and values: the name that was meant, a number in its unit, the place of a key."""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from datetime import timedelta
from types import MappingProxyType

from scoopi.defs.yaml.node import Listing, Table, Text, read_bool, read_integer, read_size
from scoopi.defs.yaml.shape import Key, Kind, ListOf, Scalar
from scoopi.errors import PeriodError
from scoopi.model.text.shown import nearest
from scoopi.periods.duration import parse_duration

_OTHER_OPTIONS = MappingProxyType(
    {
        **dict.fromkeys(("number", "float", "double", "numeric", "real"), "decimal"),
        **dict.fromkeys(("int", "long", "count"), "integer"),
        **dict.fromkeys(("str", "string", "varchar", "char"), "text"),
        **dict.fromkeys(("money", "currency", "amount"), "price"),
        **dict.fromkeys(("timestamp", "time"), "datetime"),
        **dict.fromkeys(("link", "href", "uri"), "url"),
        **dict.fromkeys(("object", "dict", "map"), "json"),
        "bool": "boolean",
        "true": "run",
    }
)
"""Names of options in other tools that are not similar to the name here."""
_OTHER_KEYS = MappingProxyType(
    {
        **dict.fromkeys(("css", "xpath", "path", "query", "jmespath", "attribute", "attr"), "select"),
        **dict.fromkeys(("pattern", "regexp", "re"), "regex"),
        **dict.fromkeys(("fallback", "otherwise"), "default"),
        **dict.fromkeys(("constant", "const"), "value"),
        **dict.fromkeys(("all", "multiple", "many"), "list"),
        **dict.fromkeys(("mandatory", "optional"), "required"),
        **dict.fromkeys(("depth", "pages", "limit"), "max"),
        **dict.fromkeys(("source", "file", "rows", "csv", "sitemap", "feed"), "from"),
    }
)
"""Names of keys in other tools, likewise."""
_ELSEWHERE = (
    (
        "dataDef",
        frozenset({"budget", "changed", "live", "loader", "browser"}),
        "it is a key of the task group: write it beside the task",
    ),
    (
        "taskGroups",
        frozenset({"budget", "changed", "live", "loader", "browser"}),
        "it is a key of a task group: write it there, beside the tasks",
    ),
    (
        "pages until",
        frozenset({"max", "limit"}),
        "the most pages of a pagination are `pages`, as in `pages: 20`",
    ),
    (
        "pages until",
        frozenset({"once", "group", "select"}),
        "write it beside `links`, as a key of the field",
    ),
    (
        "deny",
        frozenset({"max", "pages", "limit"}),
        "the number of pages is bounded by `budget: { pages: 1000 }` of the task group",
    ),
    (
        "deny",
        frozenset({"until", "by", "next"}),
        "the pages of a list are read by a task with `next`, in place of `crawl`",
    ),
    (
        "max",
        frozenset({"once"}),
        "a list never reads a page twice; remove it",
    ),
    (
        "group",
        frozenset({"max", "until", "by", "next"}),
        "the pages of a list are read by a task with `next`, in place of `follow`",
    ),
    (
        "group",
        frozenset({"allow", "deny", "same"}),
        "links are chosen by a task with `crawl`, or by `links` of a field with `follow`",
    ),
    (
        "label",
        frozenset({"next", "crawl"}),
        "it is a key of a task: write `TASK: { next: … }` or `TASK: { crawl: … }` into the task group",
    ),
    (
        "database",
        frozenset({"file", "path", "csv"}),
        "a file stands without a key, as in `from: shops.csv`",
    ),
    (
        "paced",
        frozenset({"images", "image"}),
        "images are loaded on all pages if the setting scoopi.webDriver.images is true",
    ),
    ("dialog", frozenset({"accept", "dismiss"}), "write `dialog: accept` or `dialog: dismiss`"),
    (
        "hover",
        frozenset({"on", "into", "element"}),
        'the element is named by `in`, or beside the verb, as in `click: "button.more"`',
    ),
)
"""Keys of a mapping, other keys that users write beside them, and where these belong; the first counts."""
_LEAST_LIKENESS = 0.75
"""The least similarity of an option: options are short words, many of which share letters."""
_TIMES = MappingProxyType({"ms": timedelta(milliseconds=1), "seconds": timedelta(seconds=1)})
"""The units of durations."""

_PLAIN = re.compile(r"[\w.-]+")
"""A text that needs no quotes in a YAML flow mapping."""


def option_meant(text: str, options: Collection[str]) -> str:
    """Return the option that an unknown text probably means; empty if none is likely.

    >>> option_meant("float", ["text", "decimal"]), option_meant("percent", ["text", "price"])
    ('decimal', '')
    """
    other = _OTHER_OPTIONS.get(text.lower(), "")
    return other if other in options else nearest(text, options, _LEAST_LIKENESS)


def key_meant(name: str, known: Collection[str]) -> str:
    """Return the known key that an unknown one probably means; empty if none is likely.

    >>> key_meant("xpath", ["select", "text"]), key_meant("selekt", ["select", "text"])
    ('select', 'select')
    """
    other = _OTHER_KEYS.get(name.lower(), "")
    return other if other in known else nearest(name, known)


def where_it_belongs(name: str, known: Set[str]) -> str:
    """Return a hint on where a misplaced key belongs; empty if there is none.

    Args:
        name: a key that is unknown in its mapping.
        known: the valid keys of the mapping.
    """
    return next(
        (where for marks, names, where in _ELSEWHERE if name in names and known >= {*marks.split()}), ""
    )


def time_meant(text: str, keys: Collection[Key]) -> int | None:
    """Return the time in ms that was written in place of a mapping, as 500 of `wait: 500`; else None.

    Args:
        text: what was written.
        keys: the valid keys of the mapping; the result is None unless `time`, in ms, is one of them.
    """
    if not any(key.name == "time" and getattr(key.shape, "unit", "") == "ms" for key in keys):
        return None
    number = read_integer(text)
    return number_in_unit(text, "ms") if number is None else number


def number_in_unit(text: str, unit: str) -> int | None:
    """Return a size (`5 MB`) in bytes, or a duration (`2s`, `15m`) in ms or seconds; None if it is invalid.

    >>> number_in_unit("2s", "ms"), number_in_unit("5 MB", "bytes"), number_in_unit("soon", "ms")
    (2000, 5000000, None)

    Args:
        unit: `bytes` for a size, `ms` or `seconds` for a duration; any other gives None.
    """
    if unit == "bytes":
        return read_size(text)
    if unit not in _TIMES:
        return None
    try:
        return parse_duration(text) // _TIMES[unit]
    except PeriodError:
        return None


def use_below(owner: Key, name: str, table: Table) -> str:
    """Return how to write a key below its owner, for a table that has the key beside the owner.

    It includes the required keys, and keeps the texts that the user has written as far as they are valid:
    `next: a.more` beside `max: 3` gives `next: { select: "a.more", max: 3 }`.
    """
    below = table.table(owner.name)
    parts = [
        _as_written(each, table if each.name == name else below)
        for each in owner.nested
        if each.required or each.name == name
    ]
    use = f"{{ {', '.join(parts)} }}"
    return f"{owner.name}: [ {use} ]" if isinstance(owner.shape, ListOf) else f"{owner.name}: {use}"


def _as_written(key: Key, table: Table | None) -> str:
    """A key with the text, or the only text, that the user has written for it; or else its example."""
    node = None if table is None else table.entries.get(key.name)
    nodes = [*node.entries] if isinstance(node, Listing) else [node]
    text = nodes[0].text if len(nodes) == 1 and isinstance(nodes[0], Text) else ""
    if not text or not isinstance(key.shape, Scalar) or not _is_valid(text, key):
        return key.example
    return f"{key.name}: {text}" if _PLAIN.fullmatch(text) else f'{key.name}: "{text}"'


def _is_valid(text: str, key: Key) -> bool:
    kind = key.shape.kind if isinstance(key.shape, Scalar) else Kind.TEXT
    read = {Kind.INTEGER: read_integer, Kind.BOOL: read_bool}.get(kind)
    return '"' not in text and "\\" not in text and (read is None or read(text) is not None)
