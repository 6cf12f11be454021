"""Entries: the nodes of a listing, those of a long one in few bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from scoopi.defs.yaml.flat_table import FlatRow, FlatTable, flat_row
from scoopi.defs.yaml.node import Node

A_PART = 200


class Entries(Collection[Node]):
    """Keeps parts of flat tables packed, because definitions may have very many locators.

    Args:
        file: that all nodes stand in.
    """

    __slots__ = ("_file", "_last", "_parts")

    def __init__(self, file: str) -> None:
        self._file = file
        self._parts: list[bytes | list[Node]] = []
        self._last: list[Node] = []

    def append(self, node: Node) -> None:
        """Add one; what was added before may have become packed by that."""
        if len(self._last) == A_PART:
            rows = [*map(flat_row, self._last)]
            self._parts.append(self._last if None in rows else _ENCODER.encode(rows))
            self._last = []
        self._last.append(node)

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


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[FlatRow])
