"""Node: a value of a definition file as read (text, listing or table), and the readers of typed texts.

Source: defs/README.md, 1.2, 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from scoopi.model.place import Place

LARGEST = 2**31 - 1
_MOST_DIGITS = 4000
"""Python does not convert longer texts to numbers."""
_INTEGER = re.compile(r"[+-]?[0-9][0-9_]*")
_RANGE = re.compile(r"([0-9]+)(-([0-9]+)?)?")
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s*(B|kB|MB|GB|)", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


class Text:
    """A scalar, as written.

    Attributes:
        is_empty: whether the file has no value there (`key:`).
        is_quoted: whether the text was written in quotes. In long lists of flat tables this is kept only for
            texts that look like a number, a boolean or null; for others it is False.
        written: the text before the inputs of a run were filled in; empty if it names none. In long lists of
            flat tables it is not kept.
    """

    __slots__ = ("is_empty", "is_quoted", "place", "text", "written")

    def __init__(
        self, text: str, place: Place, is_empty: bool = False, is_quoted: bool = False, written: str = ""
    ) -> None:
        self.text = text
        self.place = place
        self.is_empty = is_empty
        self.is_quoted = is_quoted
        self.written = written


class Listing:
    """A sequence of nodes."""

    __slots__ = ("entries", "place")

    def __init__(self, entries: Collection[Node], place: Place) -> None:
        self.entries = entries
        self.place = place


class Table:
    """A mapping from names to nodes, in the order of the file; `keys` has the place of each name."""

    __slots__ = ("entries", "keys", "place")

    def __init__(self, entries: dict[str, Node], keys: dict[str, Place], place: Place) -> None:
        self.entries = entries
        self.keys = keys
        self.place = place

    def names(self) -> Collection[str]:
        """Return the names of the entries."""
        return self.entries.keys()

    def text(self, name: str) -> str | None:
        """Return the text of an entry; None if it is absent, has no value or is not a text."""
        node = self.entries.get(name)
        return node.text if isinstance(node, Text) and not node.is_empty else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts in an entry that is a listing; empty if it is absent or something else."""
        return tuple(each.text for each in text_nodes(self.entries.get(name)))

    def table(self, name: str) -> Table | None:
        """Return an entry that is a table; None if it is absent or something else."""
        node = self.entries.get(name)
        return node if isinstance(node, Table) else None

    def tables(self, name: str, wrapper: str = "") -> list[Table]:
        """Return the tables in an entry that is a listing; empty if it is absent or something else.

        Args:
            wrapper: a key, as `item`; the tables are its values in the entries of the listing.
        """
        node = self.entries.get(name)
        if not isinstance(node, Listing):
            return []
        found: list[Node | None] = [
            entry.entries.get(wrapper) if wrapper and isinstance(entry, Table) else entry
            for entry in node.entries
        ]
        return [entry for entry in found if isinstance(entry, Table)]

    def at(self, name: str) -> Place:
        """Return the place of an entry's value; the table's own place if it is absent."""
        node = self.entries.get(name)
        return node.place if node is not None else self.place


Node = Text | Listing | Table


def text_nodes(node: Node | None) -> list[Text]:
    """Return the entries of a listing that are texts; none if the node is not a listing."""
    return [each for each in node.entries if isinstance(each, Text)] if isinstance(node, Listing) else []


def is_same(one: Node, other: Node) -> bool:
    """Whether two nodes are equal, regardless of their places and of the order of their names."""
    if one is other:
        return True
    if isinstance(one, Text) and isinstance(other, Text):
        return one.text == other.text and one.is_empty == other.is_empty
    if isinstance(one, Listing) and isinstance(other, Listing):
        return len(one.entries) == len(other.entries) and all(map(is_same, one.entries, other.entries))
    if isinstance(one, Table) and isinstance(other, Table):
        return one.entries.keys() == other.entries.keys() and all(
            is_same(node, other.entries[name]) for name, node in one.entries.items()
        )
    return False


def plain(node: Node) -> Any:
    """Return the node as strings, lists and dicts; entries without a value are left out of dicts."""
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Listing):
        return [plain(entry) for entry in node.entries]
    return {
        name: plain(entry)
        for name, entry in node.entries.items()
        if not (isinstance(entry, Text) and entry.is_empty)
    }


def read_integer(text: str) -> int | None:
    """Read a whole number that fits in 32 bits, perhaps with `_` between digits; None for anything else.

    >>> read_integer("010"), read_integer("-3"), read_integer("1.0"), read_integer("2147483648")
    (10, -3, None, None)
    """
    if not _INTEGER.fullmatch(text) or len(text) > _MOST_DIGITS:
        return None
    number = int(text.replace("_", ""))
    return number if -LARGEST <= number <= LARGEST else None


def is_too_large(text: str, *, is_range: bool) -> bool:
    """Whether a text that was rejected has the form of a number (or range), so it can only be too large."""
    return bool((_RANGE if is_range else _INTEGER).fullmatch(text))


def read_range(text: str) -> tuple[int, int | None] | None:
    """Read the first and last index of a range; the last is None if it is open. None if it is not a range.

    >>> read_range("2-6"), read_range("6-2"), read_range("3"), read_range("2-"), read_range("x")
    ((2, 6), (2, 6), (3, 3), (2, None), None)
    >>> read_range("-")
    (0, 0)
    """
    if text == "-":
        return 0, 0
    found = _RANGE.fullmatch(text)
    if not found or len(text) > _MOST_DIGITS:
        return None
    first, last = int(found[1]), int(found[3] or found[1])
    if max(first, last) > LARGEST:
        return None
    if found[2] and not found[3]:
        return first, None
    return min(first, last), max(first, last)


def read_bounds(text: str) -> tuple[int, int] | None:
    """Read both numbers of a closed range in the order in which they are written; None for anything else."""
    found = _RANGE.fullmatch(text)
    closed = found is not None and found[3] is not None and read_range(text) is not None
    return (int(found[1]), int(found[3])) if found is not None and closed else None


def read_bool(text: str) -> bool | None:
    """Read a boolean: true, yes, on; false, no, off; in upper or lower case. None for anything else."""
    plain = text.lower()
    return True if plain in _TRUE else False if plain in _FALSE else None


def read_size(text: str) -> int | None:
    """Return a size in bytes; None if the text is not a size.

    >>> read_size("20 MB"), read_size("1.5kB"), read_size("300"), read_size("much")
    (20000000, 1500, 300, None)
    """
    found = _SIZE.fullmatch(text.strip())
    return None if found is None else int(float(found[1]) * _UNITS[found[2].lower()])
