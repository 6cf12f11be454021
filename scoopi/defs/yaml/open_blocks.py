"""OpenTable and OpenListing: a mapping or list whose end has not been read yet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from scoopi.defs.yaml.entries import Entries, FlatRow, FlatTable
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text, is_same
from scoopi.model.place import Place

NoteFindings = Callable[[Findings], None]


class OpenTable:
    """Builds a table from its keys and values, added in turn; the entries of merge keys are added at the end.

    Args:
        notes: receives findings about duplicate keys and merge keys.
        is_strict: a key that is written twice is an error even if both values are the same.
    Attributes:
        mark: where it begins, as a mark of the YAML library.
        size, depth: number of nodes and levels of the values, with all aliases expanded.
    """

    __slots__ = (
        "_is_strict",
        "_key",
        "_merged",
        "_merges",
        "_notes",
        "anchor",
        "depth",
        "mark",
        "node",
        "size",
    )

    def __init__(
        self,
        place: Place,
        mark: Any,
        anchor: str | None,
        notes: list[NoteFindings],
        *,
        is_strict: bool = False,
    ) -> None:
        self.node = Table({}, {}, place)
        self.mark = mark
        self.anchor = anchor
        self.size = self.depth = 0
        self._notes = notes
        self._is_strict = is_strict
        self._key: Node | None = None
        self._merges = False
        self._merged: list[Table] = []

    def add(self, node: Node, size: int, depth: int, merges: bool) -> None:
        """Add a key, or the value of the key added before.

        Args:
            size, depth: number of nodes and levels of a value, with all aliases expanded.
            merges: whether a key is the merge key, `<<`.
        """
        key = self._key
        if key is None:
            self._key, self._merges = node, merges
            return
        self._key = None
        self.size += size
        self.depth = max(self.depth, depth)
        if self._merges:
            self._merged += self._tables(node)
        else:
            self._put(key, node)

    def end(self) -> None:
        """Complete the table: add those entries of merge keys whose names it does not have."""
        table = self.node
        for other in self._merged:
            for name, entry in other.entries.items():
                if name not in table.entries:
                    table.entries[name] = entry
                    table.keys[name] = other.keys[name]

    def _put(self, key: Node, entry: Node) -> None:
        table, place = self.node, key.place
        if not isinstance(key, Text) or not key.text.strip():
            what = "a name is needed before the colon"
            self._notes.append(lambda found: found.error(place, "", what, "write `name: value`"))
            return
        name = sys.intern(key.text)
        former = table.keys.get(name)
        if former is None:
            table.entries[name] = entry
            table.keys[name] = place
        elif is_same(table.entries[name], entry):
            same, is_strict = f"{name} is written twice, with the same value", self._is_strict

            def note(found: Findings) -> None:
                add = found.error if is_strict else found.warning
                add(place, "", same, "keep one of them", also=former)

            self._notes.append(note)
        else:
            other = f"{name} is written twice, with different values"
            self._notes.append(lambda found: found.error(place, "", other, "keep one of them", also=former))

    def _tables(self, entry: Node) -> list[Table]:
        entries = entry.entries if isinstance(entry, Listing) else [entry]
        tables = [each for each in entries if isinstance(each, Table)]
        if len(tables) != len(entries):
            what, hint = "a merge key takes mappings only", "name an anchor of one: `<<: *anchor`"
            place = entry.place
            self._notes.append(lambda found: found.error(place, "<<", what, hint))
        return tables


class OpenListing:
    """Builds a listing from its entries, added in turn.

    Attributes:
        mark: where it begins, as a mark of the YAML library.
        anchor: the name of its anchor; None if it has none.
        node: the listing.
        size, depth: number of nodes and levels of the entries, with all aliases expanded.
    """

    __slots__ = ("_entries", "anchor", "depth", "mark", "node", "size")

    def __init__(self, place: Place, mark: Any, anchor: str | None) -> None:
        self._entries = Entries(place.file)
        self.node = Listing(self._entries, place)
        self.mark = mark
        self.anchor = anchor
        self.size = self.depth = 0

    def add(self, node: Node, size: int, depth: int, merges: bool) -> None:
        """Add an entry; `merges` is ignored, as it applies only to keys."""
        self._entries.append(node)
        self.size += size
        self.depth = max(self.depth, depth)

    @property
    def is_long(self) -> bool:
        """Whether it has more than 200 entries; those whose values are all texts are then stored packed."""
        return self._entries.is_long

    def add_row(self, row: FlatRow) -> None:
        """Add a flat table."""
        self.add(FlatTable(row, self.node.place.file), 1 + len(row.texts), 2, False)

    def end(self) -> None:
        """Do nothing: a list has no merge keys."""
