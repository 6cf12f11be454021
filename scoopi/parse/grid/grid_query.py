"""GridQuery: the compiled block and selector of one axis, which give its value for any row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, product
from operator import itemgetter

from scoopi.errors import ParseError
from scoopi.model.place import Place
from scoopi.model.text.page_text import shown
from scoopi.parse.cells.positional_index import Leaf, PositionalIndex
from scoopi.parse.grid.grid_reading import Cell, GridReading
from scoopi.parse.grid.placeholder_template import Opened, PlaceholderTemplate, opened
from scoopi.parse.grid.selector_faults import as_written, located, placed, quotations
from scoopi.parse.query_ports import Positional, PositionalBlock, QueryEngine

RawValue = Callable[[Sequence[int], Sequence[str | None]], str | None]
"""Indexes and values of a row's axes -> the raw value of one axis."""

_MOST_CELLS, _MOST_COLUMNS = 10_000, 10


class GridQuery:
    """The compiled block and selector of one axis, which give its value for any row.

    Reads by position if only indexes in `:nth-child` (or XPath positions) vary, else with a query for each
    text.

    Args:
        block: the block's selector.
        selector: the selector inside the block; without placeholders it is compiled at once.
        engine: compiles the selectors.
        place: place of the selector in the definitions.
    Raises:
        ParseError: a selector without placeholders is wrong.

    Attributes:
        axes: the axes on whose indexes the value depends.
        values: the axes on whose values it depends.
        texts: block and selector, if both are the same for all rows; else empty.
        is_positional: whether many values can be read at once, by their positions.
    """

    def __init__(
        self, block: PlaceholderTemplate, selector: PlaceholderTemplate, engine: QueryEngine, place: Place
    ) -> None:
        self._block = block
        self._selector = selector
        self._place = place
        self.axes = block.axes | selector.axes
        self.values = block.values | selector.values
        is_fixed = block.text is not None and selector.text is not None
        self.texts = (block.text or "", selector.text or "") if is_fixed else ()
        self._ordered_axes = sorted(self.axes)
        self._known_cells: dict[tuple[int, ...], Cell] = {}
        self._known_columns: dict[tuple[range, ...], Sequence[Cell]] = {}
        if selector.text is not None:
            with located(place):
                engine.compile_value(selector.text)
        text, axes = opened(block)
        self._block_axes = axes
        self._block_place = engine.positional_block(text, list(axes)) if axes else None
        text, axes = opened(selector) if block.text is not None else Opened("", {})
        self._stand_ins = axes
        self._positional = engine.positional(text, list(axes)) if axes else None
        self.is_positional = self._positional is not None and block.text is not None

    @property
    def fixed_selector(self) -> tuple[str | None, str] | None:
        """(block, selector) if the selector is the same for all rows, else None.

        The block is None if it varies.
        """
        return None if self._selector.text is None else (self._block.text, self._selector.text)

    def bind(self, reading: GridReading) -> RawValue:
        """Make the function that reads the values from this page; it raises ParseError if a query fails."""
        value = self._bind(reading)
        if len(self.axes) > 1 or self.values:
            return value
        return _remembered(value, next(iter(self.axes), 0))

    def read_one(
        self, reading: GridReading, indexes: Sequence[int], values: Sequence[str | None]
    ) -> str | None:
        """The value of one row of this page; same errors as `column`."""
        if self.texts:
            return self._queried(reading, *self.texts)
        return self._bind(reading)(indexes, values)

    def column(self, reading: GridReading, ranges: Sequence[range], needs: Sequence[int]) -> list[str | None]:
        """The values for all indexes of the axes in `needs`; see `GridAxis.read_column`.

        Raises:
            ParseError: a query failed.
        """
        positional, block = self._positional, self._block.text
        if self.texts:
            return [self._queried(reading, *self.texts)]
        if positional is not None and block is not None:
            try:  # not `located`, which is slower: this runs for each column of a page
                cells = reading.index(block, positional.query)
                found = self._by_positions(cells, positional.positions, ranges, needs)
            except ParseError as error:
                raise placed(error, self._place) from error
            if found is not None:  # without a block the value is None, and functions are not applied
                change = positional.change if cells.has_blocks else None
                return found if change is None else [*map(change, found)]
        if not self.values and (positional is None or block is None):
            with suppress(ParseError):  # which is raised again below, with its place
                return reading.values(self._cells(ranges, needs))
        value = self._bind(reading)
        return [value(indexes, ()) for indexes in _all_indexes(ranges, needs)]

    def _by_positions(
        self, cells: PositionalIndex, positions: Sequence[int], ranges: Sequence[range], needs: Sequence[int]
    ) -> list[str | None] | None:
        """As `column`; None if each value takes an ordinary query."""
        if len(positions) == 2:
            axes = [self._stand_ins.get(position) for position in positions]
            if axes[0] != axes[1]:
                return _table_column(cells, axes, positions, ranges)
        if len(positions) == len(needs) == 1:
            return list(map(cells.leaf(()).get, ranges[needs[0]]))
        return None

    def _bind(self, reading: GridReading) -> RawValue:
        if self._positional is not None and self._block.text is not None:
            return self._by_position(reading, self._positional, self._block.text)

        def value(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
            (block, selector), place = self._cell(indexes, values)
            return self._queried(reading, block, selector, place)

        return value

    def _cell(self, indexes: Sequence[int], values: Sequence[str | None]) -> Cell:
        """The cell of a row; cached across pages if it depends only on indexes."""
        key = tuple([indexes[at] for at in self._ordered_axes])
        known = None if self.values else self._known_cells.get(key)
        if known is not None:
            return known
        texts = self._block.render(indexes, values), self._selector.render(indexes, values)
        cell = texts, self._place_of(indexes)
        if not self.values:
            if len(self._known_cells) >= _MOST_CELLS:
                self._known_cells.clear()
            self._known_cells[key] = cell
        return cell

    def _cells(self, ranges: Sequence[range], needs: Sequence[int]) -> Sequence[Cell]:
        """The cells for all indexes of the axes in `needs`, the last one fastest; cached across pages."""
        key = tuple([ranges[need] for need in needs])
        known = self._known_columns.get(key)
        if known is None:
            known = [self._cell(indexes, ()) for indexes in _all_indexes(ranges, needs)]
            if len(known) <= _MOST_CELLS:
                if len(self._known_columns) >= _MOST_COLUMNS:
                    self._known_columns.clear()
                self._known_columns[key] = known
        return known

    def _place_of(self, indexes: Sequence[int]) -> PositionalBlock | None:
        if self._block_place is None:
            return None
        query, positions = self._block_place
        axes = self._block_axes
        return PositionalBlock(
            query, tuple([indexes[axes[each]] if each in axes else each for each in positions])
        )

    def _queried(
        self, reading: GridReading, block: str, selector: str, place: PositionalBlock | None = None
    ) -> str | None:
        try:
            return reading.value(block, selector, place)
        except ParseError as error:
            is_block = self._selector.text is not None or quotations(error, shown(block))
            template, used = (self._block, block) if is_block else (self._selector, selector)
            raise placed(as_written(error, template, used), self._place) from error

    def _by_position(self, reading: GridReading, positional: Positional, block: str) -> RawValue:
        index: PositionalIndex | None = None

        def leaf_of(outer: tuple[int, ...]) -> Leaf:
            nonlocal index
            try:
                if index is None:
                    index = reading.index(block, positional.query)
                return index.leaf(outer)
            except ParseError as error:
                raise placed(error, self._place) from error

        positions = [(position, self._stand_ins.get(position)) for position in positional.positions]
        if len(positions) == 2 and positions[0][1] is not None and positions[1][1] is not None:
            found: RawValue = _TableValue(positions[0][1], positions[1][1], leaf_of)
        else:
            found = _value([_getter(*position) for position in positions], leaf_of)
        change = positional.change
        if change is None:
            return found

        def changed(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
            raw = found(indexes, values)
            is_blockless = raw is None and not reading.index(block, positional.query).has_blocks
            return None if is_blockless else change(raw)

        return changed


def _all_indexes(ranges: Sequence[range], needs: Sequence[int]) -> Iterator[Sequence[int]]:
    """All indexes of the axes in `needs`, other axes at their first; yields the same list each time."""
    indexes = [one.start for one in ranges]
    for needed in product(*(ranges[need] for need in needs)):
        for need, index in zip(needs, needed, strict=True):
            indexes[need] = index
        yield indexes


def _remembered(value: RawValue, axis: int) -> RawValue:
    """Caches a value that depends on the index of one axis only."""
    known: dict[int, str | None] = {}

    def remembered(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
        at = indexes[axis]
        if at not in known:
            known[at] = value(indexes, values)
        return known[at]

    return remembered


class _TableValue:
    """Reads a cell by two indexes. A fast path, as most facts are read this way."""

    def __init__(self, row_axis: int, cell_axis: int, leaf_of: Callable[[tuple[int, ...]], Leaf]) -> None:
        self.row_axis = row_axis
        self.cell_axis = cell_axis
        self.leaf_of = leaf_of
        self._rows: dict[int, Leaf] = {}

    def __call__(self, indexes: Sequence[int], _values: Sequence[str | None]) -> str | None:
        at = indexes[self.row_axis]
        row = self._rows.get(at)
        if row is None:
            row = self._rows[at] = self.leaf_of((at,))
        return row.get(indexes[self.cell_axis])


def _table_column(
    index: PositionalIndex, axes: Sequence[int | None], positions: Sequence[int], ranges: Sequence[range]
) -> list[str | None]:
    """The values for all indexes of the row axis and the cell axis; the later one of them varies fastest.

    Args:
        axes: the axes, which must differ, whose indexes are the positions of row and cell; None for a
            position that is a number.
        positions: these numbers.
        ranges: index ranges of all axes of the template.
    Raises:
        ParseError: a query failed.
    """
    rows, cells = (
        range(position, position + 1) if axis is None else ranges[axis]
        for axis, position in zip(axes, positions, strict=True)
    )
    values = index.table(rows, cells)
    row_axis, cell_axis = axes
    if row_axis is not None and cell_axis is not None and cell_axis < row_axis:
        return list(chain.from_iterable(values[at :: len(cells)] for at in range(len(cells))))
    return values


def _value(
    positions: Sequence[Callable[[Sequence[int]], int]], leaf_of: Callable[[tuple[int, ...]], Leaf]
) -> RawValue:
    """Reads a value by any number of positions."""
    *outer, inner = positions
    leaves: dict[tuple[int, ...], Leaf] = {}

    def value(indexes: Sequence[int], _values: Sequence[str | None]) -> str | None:
        key = tuple([position(indexes) for position in outer])
        leaf = leaves.get(key)
        if leaf is None:
            leaf = leaves[key] = leaf_of(key)
        return leaf.get(inner(indexes))

    return value


def _getter(position: int, axis: int | None) -> Callable[[Sequence[int]], int]:
    """A function from a row's indexes to a position: the index of an axis, or a fixed number."""
    return itemgetter(axis) if axis is not None else lambda _indexes: position
