"""Entries: the nodes of a listing; a long listing packs each of its tables of texts into a few bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from scoopi.defs.yaml.node import Node, Table, Text
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.place import Place

A_PART = 200
_LIKE_A_VALUE = frozenset("-0123456789ntfNTF~")
"""The first characters of quoted texts that would be numbers, booleans or null without their quotes."""


class FlatRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The packed form of a flat table: one that has only texts, such as a locator.

    Attributes:
        marks: line and column of the table, then of each name and of its text, as one flat sequence.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    marks: tuple[int, ...]


class FlatTable(Table):
    """A table of texts that creates its nodes and their places on first access."""

    __slots__ = ("_file", "row")

    def __init__(self, row: FlatRow, file: str) -> None:
        self.row = row
        self._file = file

    def __getattr__(self, name: str) -> Any:
        """Create the nodes on the first access to one of them."""
        if name not in Table.__slots__:
            raise AttributeError(name)
        row, (place, *places) = self.row, self._places()
        entries = zip(row.names, map(Text, row.texts, places[1::2]), strict=True)
        keys = zip(row.names, places[::2], strict=True)
        super().__init__(dict(entries), dict(keys), place)
        return getattr(self, name)

    def names(self) -> Collection[str]:
        """See `Table`."""
        return self.row.names

    def text(self, name: str) -> str | None:
        """See `Table`."""
        row = self.row
        try:
            return row.texts[row.names.index(name)]
        except ValueError:
            return None

    def at(self, name: str) -> Place:
        """See `Table`."""
        row = self.row
        first = 4 * row.names.index(name) + 4 if name in row.names else 0
        return Place(self._file, row.marks[first], row.marks[first + 1])

    def _places(self) -> Iterator[Place]:
        marks = self.row.marks
        return (Place(self._file, line, column) for line, column in zip(marks[::2], marks[1::2], strict=True))


def flat_row(node: Node) -> FlatRow | None:
    """Return the packed form of a node; None if the node has more than the packed form can express.

    It can express a table of texts, none of which lacks a value, or is quoted and looks like a number, a
    boolean or null.
    """
    if isinstance(node, FlatTable):
        return node.row
    if not isinstance(node, Table):
        return None
    texts: list[str] = []
    marks = [node.place.line, node.place.column]
    for name, entry in node.entries.items():
        if not isinstance(entry, Text) or entry.is_empty:
            return None
        if entry.is_quoted and looks_like_a_value(entry.text):
            return None
        key, place = node.keys[name], entry.place
        texts.append(entry.text)
        marks += (key.line, key.column, place.line, place.column)
    return FlatRow(tuple(node.entries), tuple(texts), tuple(marks))


def looks_like_a_value(text: str) -> bool:
    """Whether a text may be a number, a boolean or null if it is not quoted."""
    return text[:1] in _LIKE_A_VALUE


class Entries(Collection[Node]):
    """The nodes of a listing, unpacked on access.

    Definitions may have very many locators, so tables of texts are packed, 200 at a time, and take a few
    bytes each.

    Args:
        file: the file of all the nodes.
    """

    __slots__ = ("_file", "_last", "_names", "_parts")

    def __init__(self, file: str) -> None:
        self._file = file
        self._names: set[tuple[str, ...]] = set()
        self._parts: list[bytes | list[Node]] = []
        self._last: list[Node] = []

    def append(self, node: Node) -> None:
        """Add a node; this may pack the nodes added earlier."""
        if len(self._last) == A_PART:
            self._names |= _names_of(self._last)
            rows = [*map(flat_row, self._last)]
            self._parts.append(self._last if None in rows else _ENCODER.encode(rows))
            self._last = []
        self._last.append(node)

    @property
    def is_long(self) -> bool:
        """Whether there are more than 200 nodes, so that tables of texts are packed."""
        return bool(self._parts)

    def names(self) -> set[str]:
        """Return all names in the tables among the nodes, without unpacking them."""
        return {name for names in self._names | _names_of(self._last) for name in names}

    def may_hold(self, text: str) -> bool:
        """Whether a value in any node may contain this text; False is certain. Names are not searched."""
        if any(_may_hold(flat_row(node), text) for node in self._last):
            return True
        written = text.encode()  # packed lines and columns may look like it
        return any(
            isinstance(part, list)
            or (written in part and any(_may_hold(row, text) for row in _DECODER.decode(part)))
            for part in self._parts
        )

    def __len__(self) -> int:
        return len(self._parts) * A_PART + len(self._last)

    def __iter__(self) -> Iterator[Node]:
        for part in self._parts:
            if isinstance(part, bytes):
                for row in _DECODER.decode(part):
                    yield FlatTable(row, self._file)
            else:
                yield from part
        yield from self._last

    def __contains__(self, node: object) -> bool:
        return any(each is node for each in self)


def _may_hold(row: FlatRow | None, text: str) -> bool:
    return row is None or any(text in each for each in row.texts)


def _names_of(nodes: list[Node]) -> set[tuple[str, ...]]:
    return {tuple(node.names()) for node in nodes if isinstance(node, Table)}


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgpack_decoder(list[FlatRow])
