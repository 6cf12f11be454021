"""OpenListing: a sequence whose end has not come."""

from __future__ import annotations

from typing import Any

from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.node import Listing, Node
from scoopi.model.place import Place


class OpenListing:
    """Takes the entries in turn.

    Attributes:
        mark: where it begins, as the YAML library says it.
        size, depth: how many nodes the entries stand for with their aliases, and how deep they are.
    """

    __slots__ = ("_entries", "anchor", "depth", "mark", "node", "size")

    def __init__(self, place: Place, mark: Any, anchor: str | None) -> None:
        self._entries = Entries(place.file)
        self.node = Listing(self._entries, place)
        self.mark = mark
        self.anchor = anchor
        self.size = self.depth = 0

    def add(self, node: Node, size: int, depth: int, merges: bool) -> None:
        """Take an entry; `merges` is for keys."""
        self._entries.append(node)
        self.size += size
        self.depth = max(self.depth, depth)

    def end(self) -> None:
        """Nothing is left to be done."""
