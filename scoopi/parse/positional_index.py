"""PositionalIndex: the values of a page by their positions, for all selectors of one open query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lxml import etree

from scoopi.parse.bridge.gears import row_reader
from scoopi.parse.open_query import OpenQuery
from scoopi.parse.positional_groups import PositionalGroups, are_nested, grouped
from scoopi.parse.row_cells import Cells

Element = etree._Element


class Leaf(Protocol):
    """The values by the last position."""

    def get(self, position: int, /) -> str | None:
        """The value there; None when nothing is found."""

    def part(self, positions: range, /) -> Cells:
        """The values at these positions, which follow each other."""


class PositionalIndex:
    """Answers as the filled selector would, but goes over each row of a table only once.

    Where elements found on the way lie inside each other, order and doubles are left to an ordinary
    query.

    Args:
        query: what is asked for, positions left open.
        groups: of the blocks where it is looked for.
    """

    def __init__(self, query: OpenQuery, groups: PositionalGroups) -> None:
        self._query = query
        self._groups = groups
        self._cell_tag = query.steps[-1].child_tag if query.is_text else None
        self._leaves: dict[tuple[int, ...], Leaf] = {}

    def leaf(self, outer: tuple[int, ...]) -> Leaf:
        """The values under all positions but the last.

        Raises:
            ParseError: a regular expression of the selector took too long.
        """
        found = self._leaves.get(outer)
        if found is None:
            found = self._leaves[outer] = self._make_leaf(outer)
        return found

    def leaves(self, rows: Sequence[int]) -> list[Leaf]:
        """The leaves under each of these positions, for a query with two; raises as `leaf`."""
        known = self._leaves
        if self._cell_tag is not None and len(rows) > 1:
            self._read_rows([at for at in rows if (at,) not in known], self._cell_tag)
        return [known.get((at,)) or self.leaf((at,)) for at in rows]

    def queried(self, positions: Sequence[int]) -> str | None:
        """The value as an ordinary query finds it; raises as `leaf`."""
        return self._query.filled(positions)(self._groups.blocks)

    def _read_rows(self, rows: Sequence[int], tag: str) -> None:
        """Make the leaves of those rows that are one element each, all at once."""
        groups = self._groups.inner(self._query, ()) or {}
        single = [(at, found[0]) for at in rows if (found := groups.get(at)) and len(found) == 1]
        cells = row_reader().cells([element for _, element in single], tag, self._query.is_full_text)
        for (at, _), texts in zip(single, cells, strict=True):
            self._leaves[at,] = _RowLeaf(texts)

    def _make_leaf(self, outer: tuple[int, ...]) -> Leaf:
        contexts = self._groups.contexts(self._query, outer)
        if contexts is None:
            return _QueriedLeaf(self, outer)
        if self._cell_tag is not None and len(contexts) == 1:
            return _RowLeaf(row_reader().cells(contexts, self._cell_tag, self._query.is_full_text)[0])
        groups = grouped(contexts, self._query.steps[-1])
        return _KnownLeaf({at: self._end(elements, (*outer, at)) for at, elements in groups.items()})

    def _end(self, elements: list[Element], positions: tuple[int, ...]) -> str | None:
        """The value of the elements at the last position."""
        if self._query.reads_below and are_nested(elements):
            return self.queried(positions)
        return self._query.value(elements)


class _RowLeaf:
    """The cells of one row."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def get(self, position: int, /) -> str | None:
        return self._cells[position] if position < len(self._cells) else None

    def part(self, positions: range, /) -> Cells:
        cells = self._cells[positions.start : positions.stop]
        missing = len(positions) - len(cells)
        return cells + [None] * missing if missing else cells


class _KnownLeaf:
    """Values that are all known."""

    def __init__(self, values: dict[int, str | None]) -> None:
        self.get = values.get

    def part(self, positions: range, /) -> Cells:
        return list(map(self.get, positions))


class _QueriedLeaf:
    """A leaf that asks an ordinary query for each value."""

    def __init__(self, index: PositionalIndex, positions: tuple[int, ...]) -> None:
        self._index = index
        self._positions = positions
        self._known: dict[int, str | None] = {}

    def get(self, position: int, /) -> str | None:
        if position not in self._known:
            self._known[position] = self._index.queried((*self._positions, position))
        return self._known[position]

    def part(self, positions: range, /) -> Cells:
        return list(map(self.get, positions))
