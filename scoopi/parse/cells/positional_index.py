"""PositionalIndex: the values of a page by their positions, for all selectors of one open query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from scoopi.parse.bridge.html_backend import column_values, row_reader
from scoopi.parse.cells.row_cells import Cells
from scoopi.parse.css.element_text import join_texts
from scoopi.parse.element import Element
from scoopi.parse.query_ports import OpenBlockQuery, OpenQuery, OpenStep
from scoopi.parse.tree.element_order import are_nested

ByPosition = dict[int, list[Element]]
_NOTHING: list[Element] = []


class Leaf(Protocol):
    """The values at each last position of a selector whose other positions are given."""

    def get(self, position: int, /) -> str | None:
        """The value at the position; None if nothing is found."""


class PositionalGroups:
    """The elements that open queries find step by step; queries that begin alike share the steps.

    Each step is evaluated only once for each position of the steps before it.

    Args:
        blocks: where elements are searched.
    """

    def __init__(self, blocks: Sequence[Element]) -> None:
        self.blocks = list(blocks)
        self._are_apart = not are_nested(self.blocks)
        self._groups: dict[tuple[str, tuple[int, ...]], ByPosition | None] = {}

    def contexts(self, query: OpenQuery, positions: tuple[int, ...]) -> list[Element] | None:
        """The elements at these positions, one position for each of the first steps; with none, the blocks.

        None if some of them are nested in others.

        Raises:
            ParseError: the evaluation of a step failed.
        """
        if not positions:
            return self.blocks if self._are_apart else None
        groups = self.inner(query, positions[:-1])
        elements = [] if groups is None else groups.get(positions[-1], [])
        return None if groups is None or are_nested(elements) else elements

    def inner(self, query: OpenQuery, outer: tuple[int, ...]) -> ByPosition | None:
        """The elements that the step after `outer` finds, by position; None and errors as for `contexts`.

        Args:
            outer: a position for each step before it.
        """
        key = query.keys[len(outer)], outer
        if key not in self._groups:
            contexts = self.contexts(query, outer)
            step = query.steps[len(outer)]
            self._groups[key] = None if contexts is None else _grouped(contexts, step)
        return self._groups[key]

    def found(self, query: OpenBlockQuery, positions: tuple[int, ...]) -> list[Element] | None:
        """The blocks that a query for blocks finds at these positions; None and errors as for `contexts`."""
        groups = self.inner(query, positions[:-1])
        elements = [] if groups is None else groups.get(positions[-1], [])
        if groups is None or (query.reads_below and are_nested(elements)):
            return None
        return query.below(elements)


class PositionalIndex:
    """The values of a page by their positions, for all selectors of one open query.

    Gives the values of the filled-in selector, but visits each row of a table only once. Where elements of a
    step are nested, document order and duplicates matter, so an ordinary query is used.

    Args:
        query: the open query: a selector whose positions are filled in later.
        groups: the blocks in which it is evaluated, and the elements of its steps.

    Attributes:
        has_blocks: whether there are any blocks.
    """

    def __init__(self, query: OpenQuery, groups: PositionalGroups) -> None:
        self._query = query
        self._groups = groups
        self.has_blocks = bool(groups.blocks)
        self._cell_tag = query.steps[-1].child_tag if query.is_text else None
        self._leaves: dict[tuple[int, ...], Leaf] = {}
        self._rows: dict[range, list[Element | None] | None] = {}

    def leaf(self, outer: tuple[int, ...]) -> Leaf:
        """The values at each last position.

        Args:
            outer: all positions of the query before the last one.

        Raises:
            ParseError: a regular expression of the selector took too long.
        """
        found = self._leaves.get(outer)
        if found is None:
            found = self._leaves[outer] = self._make_leaf(outer)
        return found

    def table(self, rows: range, cells: range) -> Cells:
        """The values of the cells at these positions, row by row; for a query with two positions.

        Raises:
            ParseError: as `leaf`.
        """
        if rows not in self._rows:  # item and fact need the same rows
            self._rows[rows] = self._single_rows(rows)
        elements = self._rows[rows]
        if elements is not None and self._cell_tag is not None:
            is_full = self._query.is_full_text
            return row_reader().part(elements, self._cell_tag, is_full, cells.start, cells.stop)
        return [value for at in rows for value in map(self.leaf((at,)).get, cells)]

    def queried(self, positions: Sequence[int]) -> str | None:
        """The value at these positions, as found by an ordinary query; same errors as `leaf`."""
        return self._query.filled(positions)(self._groups.blocks)

    def _single_rows(self, rows: range) -> list[Element | None] | None:
        """The element at each row position (None for no element); None for all if a position has several."""
        groups = self._groups.inner(self._query, ()) if self._cell_tag is not None else None
        if groups is None:
            return None
        found = [groups.get(at, _NOTHING) for at in rows]
        return None if max(map(len, found), default=0) > 1 else [each[0] if each else None for each in found]

    def _make_leaf(self, outer: tuple[int, ...]) -> Leaf:
        contexts = self._groups.contexts(self._query, outer)
        if contexts is None:
            return _QueriedLeaf(self, outer)
        found = self._walked(contexts) if not outer else None
        if found is not None:
            return found
        if self._cell_tag is not None and len(contexts) == 1:
            return _RowLeaf(row_reader().cells(contexts, self._cell_tag, self._query.is_full_text)[0])
        groups = None if outer else self._groups.inner(self._query, outer)  # queries may share the first step
        if groups is None:
            groups = _grouped(contexts, self._query.steps[-1])
        if max(map(len, groups.values()), default=1) == 1:
            return self._single_ends(groups)
        return {at: self._end(elements, (*outer, at)) for at, elements in groups.items()}

    def _walked(self, blocks: list[Element]) -> Leaf | None:
        """The values as a walk in C finds them; None where it cannot, or elements share a position."""
        column, read = self._query.column, column_values()
        found = read(blocks, column) if column is not None and read is not None else None
        if found is None:
            return None
        values, several = found
        for position in several:
            values[position] = join_texts(values[position])
        return values

    def _single_ends(self, groups: ByPosition) -> dict[int, str | None]:
        """The values for one element at each position; their children are read in one call."""
        elements = [element for (element,) in groups.values()]
        tail = self._query.tail
        if tail is None:
            values = [self._query.value([element]) for element in elements]
        else:
            values = row_reader().tails(elements, tail.child_tag, tail.attribute)
        return dict(zip(groups, values, strict=True))

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
    """A leaf that evaluates an ordinary query for each value."""

    def __init__(self, index: PositionalIndex, positions: tuple[int, ...]) -> None:
        self._index = index
        self._positions = positions
        self._known: dict[int, str | None] = {}

    def get(self, position: int, /) -> str | None:
        if position not in self._known:
            self._known[position] = self._index.queried((*self._positions, position))
        return self._known[position]


def _grouped(contexts: list[Element], step: OpenStep) -> ByPosition:
    """The elements that the step finds, by position among siblings; same errors as `OpenStep.select`."""
    elements = [element for context in contexts for element in step.select(context)]
    places = row_reader().positions(elements, step.of_type)
    if len(set(places)) == len(places) and 0 not in places:
        return {place: [element] for place, element in zip(places, elements, strict=True)}
    groups: ByPosition = {}
    for element, position in zip(elements, places, strict=True):
        if position:
            groups.setdefault(position, []).append(element)
    return groups
