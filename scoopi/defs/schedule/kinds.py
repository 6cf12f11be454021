"""Kinds: the types of values in the scheduler's language; each reads a node, or reports why it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.yaml.node import Listing, Node, Table, Text, read_integer
from scoopi.errors import PeriodError
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest
from scoopi.model.text.zone_names import nearest_zone
from scoopi.periods.duration import duration_text, parse_duration
from scoopi.periods.slot import parse_instant

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
QUALIFIED = re.compile(rf"{NAME.pattern}(\.{NAME.pattern})*", re.ASCII)
FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_SHARE = re.compile(r"(100|\d{1,2})(\.\d+)? ?%", re.ASCII)
_SIZE = re.compile(r"(\d{1,6})(KiB|MiB|GiB)", re.ASCII)
_NOT_A_TEXT = re.compile(r"[+-]?(\d[\d_]*(\.\d*)?|\.\d+)([eE][+-]?\d+)?|true|false|null|~", re.ASCII | re.I)
"""Unquoted scalars that YAML does not read as texts."""
_SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class ValueKind:
    """A type of values.

    Args:
        allowed: the allowed values in words, for hints and the reference.
        read: returns the value of a node, or raises InvalidValueError.
        choices: the allowed texts, if they can be listed.
    """

    def __init__(self, allowed: str, read: Callable[[Node], Any], choices: Collection[str] = ()) -> None:
        self.allowed = allowed
        self.read = read
        self.choices = choices


def text_of(node: Node) -> str:
    """Return the text of a scalar.

    Raises:
        InvalidValueError: the node is empty, a list or a mapping, or it has a character that neither a path
            nor an argument or variable of a program can have.
    """
    if isinstance(node, Table | Listing):
        raise InvalidValueError(f"is a {'list' if isinstance(node, Listing) else 'mapping'}")
    if node.is_empty:
        raise InvalidValueError("has no value")
    if "\0" in node.text:
        raise InvalidValueError("has a NUL character", hint="remove it")
    return node.text


def matched(pattern: re.Pattern[str], allowed: str) -> ValueKind:
    """Return the kind of texts that match a pattern."""

    def read(node: Node) -> str:
        text = text_of(node)
        if not pattern.fullmatch(text):
            raise InvalidValueError(f"is {text!r}")
        return text

    return ValueKind(allowed, read)


def choice(*choices: str) -> ValueKind:
    """Return the kind whose values are the given texts."""

    def read(node: Node) -> str:
        text = text_of(node)
        if text not in choices:
            raise InvalidValueError(f"is {text!r}", near=nearest(text, choices))
        return text

    return ValueKind(" | ".join(choices), read, choices)


def integer(low: int, high: int = 2**31 - 1) -> ValueKind:
    """Return the kind of whole numbers from `low` to `high`; a quoted number is a text."""
    allowed = f"a whole number from {low}" + (f" to {high}" if high < 2**31 - 1 else "")

    def read(node: Node) -> int:
        text = text_of(node)
        number = read_integer(text)
        if number is None or _is_quoted(node):
            raise InvalidValueError(f"is {text!r}")
        if not low <= number <= high:
            raise InvalidValueError(f"is {number}")
        return number

    return ValueKind(allowed, read)


def number(low: float, high: float = float("inf")) -> ValueKind:
    """Return the kind of numbers from `low` to `high`."""

    def read(node: Node) -> float:
        text = text_of(node)
        if not _NUMBER.fullmatch(text) or _is_quoted(node) or not low <= float(text) <= high:
            raise InvalidValueError(f"is {text!r}")
        return float(text)

    return ValueKind(f"a number from {low:g}" + (f" to {high:g}" if high < float("inf") else ""), read)


def duration(least: str = "0s", *, may_never: bool = False, word: str = "never") -> ValueKind:
    """Return the kind of durations of at least `least`, which is itself written as a duration.

    Args:
        may_never: whether `never` is allowed, too; it is read as None.
        word: another word that means the same as `never`.
    """
    shortest = parse_duration(least)

    def read(node: Node) -> timedelta | None:
        text = text_of(node)
        if may_never and text in ("never", word):
            return None
        try:
            found = parse_duration(text)
        except PeriodError as error:
            raise InvalidValueError(f"is {text!r}") from error
        if found < shortest:
            raise InvalidValueError(f"is {duration_text(found)}")
        return found

    never = f", or {word}" if may_never else ""
    return ValueKind(f"a duration of at least {least}, as 250ms 90s 15m 48h 2d{never}", read)


def list_of(entry: ValueKind, *, single: bool = False) -> ValueKind:
    """Return the kind of non-empty lists; with `single`, one value may stand for a list of one."""

    def read(node: Node) -> tuple[Any, ...]:
        if isinstance(node, Listing):
            if not node.entries:
                raise InvalidValueError("is empty")
            entries = [(f"[{number}]", each, each.place) for number, each in enumerate(node.entries)]
            return tuple(_read_each(entry, entries))
        if not single:
            text_of(node)
            raise InvalidValueError("is not a list")
        return (entry.read(node),)

    return ValueKind(f"a list of: {entry.allowed}", read, entry.choices)


def map_of(names: re.Pattern[str], entry: ValueKind) -> ValueKind:
    """Return the kind of mappings from names to values."""

    def read(node: Node) -> dict[str, Any]:
        if not isinstance(node, Table):
            raise InvalidValueError("is not a mapping")
        for name in node.entries:
            if not names.fullmatch(name):
                error = InvalidValueError(f"has the name {name!r}")
                error.place = node.keys[name]
                raise error
        entries = [(f".{name}", each, _place_of(node, name)) for name, each in node.entries.items()]
        return dict(zip(node.entries, _read_each(entry, entries), strict=True))

    return ValueKind(f"a mapping of names to: {entry.allowed}", read)


def _read_each(kind: ValueKind, entries: Iterable[tuple[str, Node, Place]]) -> list[Any]:
    """The values of the entries of a list or a mapping; raises the first error, with all further ones."""
    values: list[Any] = []
    errors: list[InvalidValueError] = []
    for inner, node, place in entries:
        try:
            values.append(kind.read(node))
        except InvalidValueError as error:
            error.inner, error.place = f"{inner}{error.inner}", error.place or place
            errors.append(error)
    if errors:
        errors[0].further = errors[1:]
        raise errors[0]
    return values


def _place_of(table: Table, name: str) -> Place:
    """The place of a value, or of its name if the value is empty."""
    node = table.entries[name]
    return table.keys[name] if isinstance(node, Text) and node.is_empty else node.place


def _text(node: Node) -> str:
    text = text_of(node)
    if _NOT_A_TEXT.fullmatch(text) and not _is_quoted(node):
        raise InvalidValueError(f"is {text}, which is not a text", hint=f'put it in quotes: "{text}"')
    return text


def _boolean(node: Node) -> bool:
    text = text_of(node)
    if text not in ("true", "false") or _is_quoted(node):
        raise InvalidValueError(f"is {text!r}")
    return text == "true"


def _instant(node: Node) -> datetime:
    try:
        return parse_instant(text_of(node))
    except PeriodError as error:
        raise InvalidValueError(f"is {text_of(node)!r}") from error


def _zone(node: Node) -> str:
    text = text_of(node)
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidValueError(f"is {text!r}, which is not a time zone", near=nearest_zone(text)) from error
    return text


def _exit_codes(node: Node) -> dict[int, str]:
    if isinstance(node, Table):
        codes = [(f".{name}", Text(name, place), place) for name, place in node.keys.items()]
        _read_each(_EXIT_CODE, codes)
    return {int(name): outcome for name, outcome in _OUTCOMES_BY_CODE.read(node).items()}


def _size(node: Node) -> int:
    match = _SIZE.fullmatch(text_of(node))
    if match is None:
        raise InvalidValueError(f"is {text_of(node)!r}")
    return int(match[1]) * _SIZES[match[2]]


def _target(node: Node) -> tuple[str, ...]:
    """The words of a command, or a function as a single word."""
    if isinstance(node, Listing):
        words: tuple[str, ...] = list_of(TEXT).read(node)
        if words[0].startswith("python:"):
            raise InvalidValueError(f"is a list with {words[0]!r}, which is not a command")
        return words
    text = text_of(node)
    if not (text.startswith("python:") and FUNCTION.fullmatch(text.removeprefix("python:"))):
        raise InvalidValueError(f"is {text!r}")
    return (text,)


def _function(node: Node) -> str:
    text = text_of(node)
    name = text.removeprefix("python:")
    if name == text or not FUNCTION.fullmatch(name):
        raise InvalidValueError(f"is {text!r}")
    return name


def _share_or_count(node: Node) -> int | str:
    text = text_of(node)
    return text if _SHARE.fullmatch(text) else int(integer(0).read(node))


def _slot_shift(node: Node) -> int:
    names = {"same": 0, "previous": -1}
    text = text_of(node)
    return names[text] if text in names else int(integer(-(2**31), 0).read(node))


def _is_quoted(node: Node) -> bool:
    return isinstance(node, Text) and node.is_quoted


_OUTCOMES = choice("succeeded", "noop", "failed", "error", "canceled", "not_ready")
_OUTCOMES_BY_CODE = map_of(re.compile(r".+"), _OUTCOMES)
_EXIT_CODE = integer(1, 255)

TEXT = ValueKind("a text", _text)
BOOLEAN = ValueKind("true | false", _boolean)
INSTANT = ValueKind("an instant of RFC 3339, as 2026-01-01T00:00:00Z", _instant)
ZONE = ValueKind("a time zone of the IANA, as Europe/Berlin", _zone)
QUALIFIED_NAME = matched(QUALIFIED, "the name of a process, as books or shop.books")
PLAIN_NAME = matched(NAME, "a name of letters, digits, _ and -")
EXIT_CODES = ValueKind(
    f"a mapping of exit codes 1 to 255 to: {_OUTCOMES.allowed}", _exit_codes, _OUTCOMES.choices
)
TARGET = ValueKind("python:module:function, or a command as a list of words", _target)
PYTHON = ValueKind("python:module:function", _function)
CLOCK_TIME = matched(re.compile(r"([01]?\d|2[0-3]):[0-5]\d", re.ASCII), "a time of day, as 06:30")
FUNCTION_NAME = matched(FUNCTION, "a function, as module:function")
SIZE = ValueKind("a size, as 16MiB", _size)
SHARE = matched(_SHARE, "a percentage, as 5 %")
SHARE_OR_COUNT = ValueKind("a number, or a percentage as 5 %", _share_or_count)
SLOT_SHIFT = ValueKind("same | previous | 0 or a negative whole number", _slot_shift)
