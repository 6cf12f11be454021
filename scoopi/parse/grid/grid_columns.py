"""GridColumns: makes the rows of a template whose axes depend on indexes only, column by column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product, repeat
from operator import itemgetter
from typing import NamedTuple

from scoopi.model.data import Item
from scoopi.parse.grid.grid_axis import GridAxis
from scoopi.parse.grid.grid_reading import GridReading

_KEPT_ROWS = 10_000
_Pick = Callable[[Sequence[str | None]], Sequence[str | None]]


class _Layout(NamedTuple):
    """Which value of each axis goes into which row.

    Attributes:
        indexes: of each row, one for each axis.
        picks: for each axis what repeats its values so that each row has one; None if each has one already.
        rows: for each axis that reads rows those that it is evaluated for; None for other axes.
    """

    indexes: Sequence[tuple[int, ...]]
    picks: Sequence[_Pick | None]
    rows: Sequence[Sequence[int] | None]


class GridColumns:
    """Makes the rows of a template whose axes depend on indexes only, column by column.

    They are those of a GridTemplate, but an axis is evaluated once for each index that it needs.

    For templates of which no axis can end its turn early, or has a script that is more than an expression.

    An item with the indexes 1-2, a dim with 1-3, and a fact whose selector names both indexes:

        axis   needs   values read           put into rows 1 to 6 as
        item   0       a b                   a a a b b b
        dim    1       x y z                 x y z x y z
        fact   0, 1    f1 f2 f3 f4 f5 f6     f1 f2 f3 f4 f5 f6

    Args:
        axes: in the order of output; `fit` is true of them.
        raw_items: rows hold the item's value without its prefix.
    """

    def __init__(self, axes: Sequence[GridAxis], *, raw_items: bool = False) -> None:
        self._axes = axes
        self._heads = tuple(axis.head for axis in axes)
        self._ranges = [range(axis.first, axis.last + 1) for axis in axes]
        self._needs = [sorted(axis.needs or ()) for axis in axes]
        self._raw_items = raw_items
        self._known_layout: _Layout | None = None
        self.size = math.prod(map(len, self._ranges))

    @staticmethod
    def fit(axes: Sequence[GridAxis]) -> bool:
        """Whether the axes can be read column by column."""
        return all(axis.needs is not None and not axis.stops and not axis.ends_at_null for axis in axes)

    def rows(self, reading: GridReading) -> Iterator[Item]:
        """All rows of one page, in the order in which the wheels turn.

        Raises:
            ParseError: a query failed.
        """
        layout = self._known_layout or self._layout()
        if self.size <= _KEPT_ROWS:
            self._known_layout = layout
        columns: list[Sequence[str | None]] = []
        written: list[Sequence[str | None]] = []
        for at, axis in enumerate(self._axes):
            values = self._values(at, reading, layout, columns)
            columns.append(self._spread(axis.finish_column(values), at, layout))
            is_raw = self._raw_items and at == 0
            written.append(self._spread(values, at, layout) if is_raw else columns[at])
        rows = zip(repeat(self._heads), zip(*written, strict=True), layout.indexes, strict=False)
        return map(tuple.__new__, repeat(Item), rows)  # a quarter of the time that Item(…) takes

    def _values(
        self, at: int, reading: GridReading, layout: _Layout, left: Sequence[Sequence[str | None]]
    ) -> list[str | None]:
        """The axis' raw value for all indexes that it needs; `left` has the values of the axes before it."""
        axis, rows = self._axes[at], layout.rows[at]
        if rows is None:
            return axis.read_column(reading, self._ranges, self._needs[at])
        read, indexes = axis.bind(reading), layout.indexes
        return [read(indexes[row], [column[row] for column in left]) for row in rows]

    def _spread(self, values: list[str | None], at: int, layout: _Layout) -> Sequence[str | None]:
        """One value for each row."""
        pick = layout.picks[at]
        if len(values) == 1:
            return values * self.size
        return values if pick is None else pick(values)

    def _layout(self) -> _Layout:
        indexes = list(product(*self._ranges))
        picks = [self._pick(needs, indexes) for needs in self._needs]
        rows = [self._rows_of(at, indexes) if axis.reads_row else None for at, axis in enumerate(self._axes)]
        return _Layout(indexes, picks, rows)

    def _rows_of(self, at: int, indexes: Sequence[tuple[int, ...]]) -> list[int]:
        """A row for each combination of the indexes that the axis needs."""
        others = {*range(len(self._axes))} - {*self._needs[at]}
        return [
            row
            for row, each in enumerate(indexes)
            if all(each[other] == self._axes[other].first for other in others)
        ]

    def _pick(self, needs: Sequence[int], indexes: Sequence[tuple[int, ...]]) -> _Pick | None:
        """What repeats the values of an axis for the rows; None where there is one for each row."""
        needed = [self._ranges[need] for need in needs]
        count = math.prod(map(len, needed))
        if count == len(indexes) or count < 2:
            return None
        index_of = itemgetter(*needs)
        places = dict(zip(needed[0] if len(needed) == 1 else product(*needed), range(count), strict=True))
        return itemgetter(*map(places.__getitem__, map(index_of, indexes)))
