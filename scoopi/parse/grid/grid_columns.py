"""GridColumns: reads the rows of a template whose axes depend only on indexes, column by column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product, repeat
from operator import itemgetter
from typing import NamedTuple

from scoopi.model.data import Item
from scoopi.model.failure import Failure
from scoopi.parse.grid.grid_axis import GridAxis
from scoopi.parse.grid.grid_query import RawValue
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.range_ends import RangeEnds, unmet_stop

_KEPT_ROWS, _KEPT_LAYOUTS = 10_000, 30
_FIRST_ITEMS = 40
"""Number of values in the first batch of an item with an open range; most lists are not longer."""
_Pick = Callable[[Sequence[str | None]], Sequence[str | None]]


class ColumnRows(NamedTuple):
    """The rows of a template on one page, and the warnings about its ranges."""

    rows: Iterable[Item]
    warnings: list[Failure]


class _Layout(NamedTuple):
    """Maps the values of each axis to rows.

    Attributes:
        indexes: for each row, the index of each axis.
        picks: for each axis, a function that repeats its values to one per row; None if they already are.
        rows: for each axis that `reads_row`, the rows for which it is evaluated; None for other axes.
    """

    indexes: Sequence[tuple[int, ...]]
    picks: Sequence[_Pick | None]
    rows: Sequence[Sequence[int] | None]


class GridColumns:
    """Reads the rows of a template whose axes depend only on indexes, column by column.

    The rows are those of GridTemplate, but each axis is evaluated only once for each index that it needs.

    Limited to templates in which no dim or fact can end its range early, and every script is a pure
    expression. An item with an open range is read first, up to its end.

    An item with the indexes 1-2, a dim with 1-3, and a fact whose selector names both indexes:

        axis   needs   values read           put into rows 1 to 6 as
        item   0       a b                   a a a b b b
        dim    1       x y z                 x y z x y z
        fact   0, 1    f1 f2 f3 f4 f5 f6     f1 f2 f3 f4 f5 f6

    Args:
        axes: in the order of output; `fit` must be true for them.
        raw_items: rows hold the item's value without its prefix.
    """

    def __init__(self, axes: Sequence[GridAxis], *, raw_items: bool = False) -> None:
        self._axes = axes
        self._heads = tuple(axis.head for axis in axes)
        self._needs = [sorted(axis.needs or ()) for axis in axes]
        self._raw_items = raw_items
        self._is_open = _is_open(axes[0])
        item = range(axes[0].first, axes[0].first + 1 if self._is_open else axes[0].last + 1)
        self._ranges = [item, *(range(axis.first, axis.last + 1) for axis in axes[1:])]
        self._inner_size = math.prod(map(len, self._ranges[1:]))
        self._known_layouts: dict[int, _Layout] = {}
        self._only_indexes: tuple[int, ...] | None = None
        if not self._is_open and len(self._ranges[0]) * self._inner_size == 1:
            self._only_indexes = tuple(one.start for one in self._ranges)

    @staticmethod
    def fit(axes: Sequence[GridAxis]) -> bool:
        """Whether the axes meet the limits above, so that they can be read column by column."""
        item, *others = axes
        if any(axis.needs is None for axis in axes) or any(map(_is_open, others)):
            return False
        return not _is_open(item) or item.needs == frozenset((0,))

    def read(self, reading: GridReading, max_rows: int) -> ColumnRows | None:
        """All rows of a page, in the order of GridTemplate; None if there are more than `max_rows`.

        Raises:
            ParseError: a query failed.
            ScriptError: a script failed.
        """
        if self._only_indexes is not None:
            return ColumnRows((self._only_row(reading, self._only_indexes),), [])
        items: list[str | None] | None = None
        warnings: list[Failure] = []
        ranges = self._ranges
        if self._is_open:
            items, warnings = self._items(reading, max_rows // self._inner_size + 1)
            ranges = [range(ranges[0].start, ranges[0].start + len(items)), *ranges[1:]]
        if len(ranges[0]) * self._inner_size > max_rows:
            return None
        return ColumnRows(self._rows(reading, ranges, items) if len(ranges[0]) else iter(()), warnings)

    def _only_row(self, reading: GridReading, indexes: tuple[int, ...]) -> Item:
        """The row of a template that has only one, such as that of a label."""
        values: list[str | None] = []
        known = reading.known
        for axis in self._axes:
            raw = known[axis.query] if axis.query in known else axis.read_one(reading, indexes, values)
            values.append(raw if axis.finish is None else axis.finish(raw))
            if axis is self._axes[0]:
                item = raw
        if self._raw_items:
            values[0] = item
        return Item(self._heads, tuple(values), indexes)

    def _items(self, reading: GridReading, most: int) -> tuple[list[str | None], list[Failure]]:
        """The raw values of an item with an open range, at most `most` or one more; and warnings."""
        item = self._axes[0]
        ends = RangeEnds([axis.definition for axis in self._axes])
        values: list[str | None] = []
        for part, raws in self._found(reading, range(item.first, min(item.last, item.first + most) + 1)):
            end = _end_of(raws, item)
            if end is None:
                values += raws
                continue
            if raws[end] is not None:
                return values + raws[: end + 1], []
            values += raws[:end]
            ends.note(0, part[end], item.last, self._looked_up(reading, part, raws))
            break
        unmet = [unmet_stop(item.definition, item.stops)] if item.stops else []
        return values, unmet + ends.warnings()

    def _found(self, reading: GridReading, indexes: range) -> Iterator[tuple[range, list[str | None]]]:
        """The raw values of the item at these indexes in batches, each with its indexes."""
        item = self._axes[0]
        if not item.is_positional:
            read = self._looked_up(reading, range(0), [])
            yield from ((range(index, index + 1), [read(index)]) for index in indexes)
            return
        begin, count = 0, _FIRST_ITEMS
        while part := indexes[begin : begin + count]:
            yield part, item.read_column(reading, [part, *self._ranges[1:]], self._needs[0])
            begin, count = begin + count, count * 4

    def _looked_up(
        self, reading: GridReading, part: range, raws: Sequence[str | None]
    ) -> Callable[[int], str | None]:
        """A function: index -> raw value of the item; `raws` has those of the indexes in `part`."""
        behind = [axis.first for axis in self._axes[1:]]
        read: RawValue | None = None

        def value(index: int) -> str | None:
            nonlocal read
            if index in part:
                return raws[index - part.start]
            read = read or self._axes[0].bind(reading)
            return read([index, *behind], ())

        return value

    def _rows(
        self, reading: GridReading, ranges: Sequence[range], items: list[str | None] | None
    ) -> Iterator[Item]:
        layout = self._layout(ranges)
        columns: list[Sequence[str | None]] = []
        written: list[Sequence[str | None]] = []
        for at, axis in enumerate(self._axes):
            values = (
                items if at == 0 and items is not None else self._values(at, reading, ranges, layout, columns)
            )
            columns.append(self._spread(axis.finish_column(values), at, layout))
            is_raw = self._raw_items and at == 0
            written.append(self._spread(values, at, layout) if is_raw else columns[at])
        rows = zip(repeat(self._heads), zip(*written, strict=True), layout.indexes, strict=False)
        return map(tuple.__new__, repeat(Item), rows)  # a quarter of the time that Item(…) takes

    def _values(
        self,
        at: int,
        reading: GridReading,
        ranges: Sequence[range],
        layout: _Layout,
        left: Sequence[Sequence[str | None]],
    ) -> list[str | None]:
        """The axis' raw values for all indexes that it needs; `left` has the values of the axes before it."""
        axis, rows = self._axes[at], layout.rows[at]
        if rows is None:
            return axis.read_column(reading, ranges, self._needs[at])
        read, indexes = axis.bind(reading), layout.indexes
        return [read(indexes[row], [column[row] for column in left]) for row in rows]

    @staticmethod
    def _spread(values: list[str | None], at: int, layout: _Layout) -> Sequence[str | None]:
        """One value for each row."""
        pick = layout.picks[at]
        if len(values) == 1:
            return values * len(layout.indexes)
        return values if pick is None else pick(values)

    def _layout(self, ranges: Sequence[range]) -> _Layout:
        known = self._known_layouts.get(len(ranges[0]))
        if known is not None:
            return known
        indexes = list(product(*ranges))
        picks = [_pick([ranges[need] for need in needs], needs, indexes) for needs in self._needs]
        rows = [self._rows_of(at, indexes) if axis.reads_row else None for at, axis in enumerate(self._axes)]
        layout = _Layout(indexes, picks, rows)
        if len(indexes) <= _KEPT_ROWS:
            if len(self._known_layouts) >= _KEPT_LAYOUTS:
                self._known_layouts.clear()
            self._known_layouts[len(ranges[0])] = layout
        return layout

    def _rows_of(self, at: int, indexes: Sequence[tuple[int, ...]]) -> list[int]:
        """One row for each combination of the indexes that the axis needs."""
        others = {*range(len(self._axes))} - {*self._needs[at]}
        return [
            row
            for row, each in enumerate(indexes)
            if all(each[other] == self._axes[other].first for other in others)
        ]


def _is_open(axis: GridAxis) -> bool:
    return bool(axis.stops) or axis.ends_at_null


def _end_of(raws: Sequence[str | None], item: GridAxis) -> int | None:
    """Position of the first raw value that ends the item's range; None if none does."""
    if not item.stops:
        return raws.index(None) if None in raws else None
    for at, raw in enumerate(raws):
        if raw in item.stops or (raw is None and item.ends_at_null):
            return at
    return None


def _pick(needed: Sequence[range], needs: Sequence[int], indexes: Sequence[tuple[int, ...]]) -> _Pick | None:
    """A function that repeats the values of an axis, one per row; None if there already is one per row."""
    count = math.prod(map(len, needed))
    if count == len(indexes) or count < 2:
        return None
    index_of = itemgetter(*needs)
    places = dict(zip(needed[0] if len(needed) == 1 else product(*needed), range(count), strict=True))
    return itemgetter(*map(places.__getitem__, map(index_of, indexes)))
