"""read_row_source: reads the key `from` of a locator as a RowSource.

Source: defs/README.md, 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import parse_qsl, urlsplit

from scoopi.defs.locators.row_file import SUFFIXES, is_row_file
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.hints import key_meant
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.defs.yaml.shape import Key, Kind, NameOr, Record, Scalar
from scoopi.model.text.secrets import has_reference, is_secret_name

DATABASE, QUERY, RUN, OUTPUT = "database", "query", "run", "output"
_NAME = Scalar(Kind.NAME)
ROWS_FROM = Record(
    (
        Key(
            DATABASE,
            _NAME,
            "A database, whose rows are those of `query`.",
            'database: "postgresql://reader:${env:DB_PASSWORD}@db.example/shop"',
        ),
        Key(QUERY, _NAME, "The query, with a row for each page.", 'query: "select id, town from shops"'),
        Key(
            RUN,
            _NAME,
            "A run, whose rows are those of `output`: its folder, its id, `latest`, or the path of "
            "definitions, for their newest finished run.",
            "run: defs/shops",
        ),
        Key(OUTPUT, _NAME, "A file that the run has written.", "output: shops.csv"),
    ),
    short="a file",
)
ROWS_OR_FILE = NameOr(ROWS_FROM)
FROM_KEY = Key(
    "from",
    ROWS_OR_FILE,
    "A source with a row for each page, whose columns give the values of placeholders: a file, a query, or "
    "an output of a run.",
    "from: shops.csv",
)
"""The key `from` of a locator."""
_PAIRS = ((DATABASE, QUERY), (RUN, OUTPUT))
_INPUT = re.compile(r"(?<!%)%\{\s*(input|slot)\.")
_EXAMPLE = (
    'write { database: "sqlite:shops.db", query: "select url from shops" }, '
    "or { run: defs/shops, output: shops.csv }"
)


def read_row_source(node: Node | None) -> RowSource | Fault:
    """Return the source that the value of `from` names, or the fault in it."""
    if names_missing_input(node):
        return Fault("an input of the source is not given", "add -i NAME=VALUE")
    if isinstance(node, Table):
        return _of_table(node)
    text = node.text if isinstance(node, Text) else ""
    if not is_row_file(text):
        what = f"{text or 'nothing'} is not a file with a row for each page"
        return Fault(what, f"name a file that ends in {', '.join(SUFFIXES)}")
    return RowSource(file=text)


def names_missing_input(node: Node | None) -> bool:
    """Whether a source contains the placeholder of an input that is not given, which InputFiller reports."""
    texts = node.entries.values() if isinstance(node, Table) else [node]
    return any(isinstance(text, Text) and _INPUT.search(text.text) for text in texts)


def is_reported_elsewhere(node: Node | None) -> bool:
    """Whether the value of `from` violates its shape, which the shape checker reports."""
    if isinstance(node, Table):
        return not node.entries.keys() <= ROWS_FROM.names or any(
            not (node.text(name) or "").strip() for name in node.entries
        )
    return isinstance(node, Listing)


def is_from_misspelt(names: Iterable[str], known: Collection[str]) -> bool:
    """Whether any of these names is an unknown key that probably is a misspelt `from`.

    >>> is_from_misspelt(["source", "url"], ["from", "url"]), is_from_misspelt(["shop"], ["from", "url"])
    (True, False)
    """
    return any(name not in known and key_meant(name, (FROM_KEY.name,)) for name in names)


def _of_table(node: Table) -> RowSource | Fault:
    given = [name for pair in _PAIRS for name in pair if (node.text(name) or "").strip()]
    if _has_password(node.text(DATABASE) or ""):
        hint = "set it in the environment, and write ${env:DB_PASSWORD} in its place"
        return Fault("the URL of the database contains a password", hint, is_secret=True)
    for pair in _PAIRS:
        if given == [*pair]:
            return RowSource(**{name: node.text(name) or "" for name in pair})
    for one, other in _PAIRS:
        if given in ([one], [other]):
            lacking = other if given == [one] else one
            example = next(key.example for key in ROWS_FROM.keys if key.name == lacking)
            return Fault(f"from has {given[0]}, but no {lacking}", f"add `{example}`")
    if not given:
        return Fault("from names neither a database nor a run", _EXAMPLE)
    return Fault(f"from has both {given[0]} and {given[-1]}", _EXAMPLE)


def _has_password(url: str) -> bool:
    """Whether a URL contains a password in plain text."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return "@" in url  # the password may be the malformed part
    named = [value for name, value in parse_qsl(parts.query) if is_secret_name(name)]
    return any(not has_reference(text) for text in (password, *named) if text)
