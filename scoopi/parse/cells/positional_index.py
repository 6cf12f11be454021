"""PositionalIndex: the values of a page by their positions, for all selectors of one open query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lxml import etree

from scoopi.parse.bridge.html_backend import row_reader
from scoopi.parse.cells.open_query import OpenQuery
from scoopi.parse.cells.positional_groups import PositionalGroups, are_nested, grouped
from scoopi.parse.cells.row_cells import Cells

Element = etree._Element

_NOTHING: list[Element] = []


class Leaf(Protocol):
    """The values by the last position."""

    def get(self, position: int, /) -> str | None:
        """The value there; None when nothing is found."""


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

    def table(self, rows: range, cells: range) -> Cells:
        """The values at these positions of rows and of cells in them, row after row, of a query with two.

        Raises:
            ParseError: as `leaf`.
        """
        elements = self._single_rows(rows)
        if elements is not None and self._cell_tag is not None:
            is_full = self._query.is_full_text
            return row_reader().part(elements, self._cell_tag, is_full, cells.start, cells.stop)
        return [value for at in rows for value in map(self.leaf((at,)).get, cells)]

    def queried(self, positions: Sequence[int]) -> str | None:
        """The value as an ordinary query finds it; raises as `leaf`."""
        return self._query.filled(positions)(self._groups.blocks)

    def _single_rows(self, rows: range) -> list[Element | None] | None:
        """The element at each of the rows, None for none; None instead when at some there are several."""
        groups = self._groups.inner(self._query, ()) if self._cell_tag is not None else None
        if groups is None:
            return None
        found = [groups.get(at, _NOTHING) for at in rows]
        return None if max(map(len, found), default=0) > 1 else [each[0] if each else None for each in found]

    def _make_leaf(self, outer: tuple[int, ...]) -> Leaf:
        contexts = self._groups.contexts(self._query, outer)
        if contexts is None:
            return _QueriedLeaf(self, outer)
        if self._cell_tag is not None and len(contexts) == 1:
            return _RowLeaf(row_reader().cells(contexts, self._cell_tag, self._query.is_full_text)[0])
        groups = grouped(contexts, self._query.steps[-1])
        return {at: self._end(elements, (*outer, at)) for at, elements in groups.items()}

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
