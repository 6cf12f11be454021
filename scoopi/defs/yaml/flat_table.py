"""FlatTable: a table of texts only, as a locator is, made from few bytes when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from scoopi.defs.yaml.node import Node, Table, Text
from scoopi.model.place import Place


class FlatRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a flat table says, as it is kept.

    Attributes:
        marks: line and column of the table, then of each name and its text.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    marks: tuple[int, ...]


class FlatTable(Table):
    """Tells its texts at once; its nodes with their places are made when they are asked for."""

    __slots__ = ("_file", "row")

    def __init__(self, row: FlatRow, file: str) -> None:
        self.row = row
        self._file = file

    def __getattr__(self, name: str) -> Any:
        """Called for what has not been made yet."""
        if name not in Table.__slots__:
            raise AttributeError(name)
        row, (place, *places) = self.row, self._places()
        entries = zip(row.names, map(Text, row.texts, places[1::2]), strict=True)
        keys = zip(row.names, places[::2], strict=True)
        super().__init__(dict(entries), dict(keys), place)
        return getattr(self, name)

    def text(self, name: str) -> str | None:
        """As `Table` says."""
        row = self.row
        return row.texts[row.names.index(name)] if name in row.names else None

    def at(self, name: str) -> Place:
        """As `Table` says."""
        row = self.row
        first = 4 * row.names.index(name) + 4 if name in row.names else 0
        return Place(self._file, row.marks[first], row.marks[first + 1])

    def _places(self) -> Iterator[Place]:
        marks = self.row.marks
        return (Place(self._file, line, column) for line, column in zip(marks[::2], marks[1::2], strict=True))


def flat_row(node: Node) -> FlatRow | None:
    """What a flat table is made from; None of a node that is none."""
    if not isinstance(node, Table):
        return None
    texts: list[str] = []
    marks = [node.place.line, node.place.column]
    for name, entry in node.entries.items():
        if not isinstance(entry, Text) or entry.is_empty:
            return None
        key, place = node.keys[name], entry.place
        texts.append(entry.text)
        marks += (key.line, key.column, place.line, place.column)
    return FlatRow(tuple(node.entries), tuple(texts), tuple(marks))
