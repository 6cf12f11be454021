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
    """

    indexes: Sequence[tuple[int, ...]]
    picks: Sequence[_Pick | None]


class GridColumns:
    """Makes the rows of a template whose axes depend on indexes only, column by column.

    They are those of a GridTemplate, but an axis is evaluated once for each index that it needs.

    For templates of which no axis has a script, takes another axis' value, or can end its turn early.

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
        columns = [self._column(at, reading, layout.picks[at]) for at in range(len(self._axes))]
        rows = zip(repeat(self._heads), zip(*columns, strict=True), layout.indexes, strict=False)
        return map(tuple.__new__, repeat(Item), rows)  # a quarter of the time that Item(…) takes

    def _column(self, at: int, reading: GridReading, pick: _Pick | None) -> Sequence[str | None]:
        """The axis' value in every row."""
        axis = self._axes[at]
        values = axis.read_column(reading, self._ranges, self._needs[at])
        if not (self._raw_items and at == 0):
            values = axis.finish_column(values)
        if len(values) == 1:
            return values * self.size
        return values if pick is None else pick(values)

    def _layout(self) -> _Layout:
        indexes = list(product(*self._ranges))
        return _Layout(indexes, [self._pick(needs, indexes) for needs in self._needs])

    def _pick(self, needs: Sequence[int], indexes: Sequence[tuple[int, ...]]) -> _Pick | None:
        """What repeats the values of an axis for the rows; None where there is one for each row."""
        needed = [self._ranges[need] for need in needs]
        count = math.prod(map(len, needed))
        if count == len(indexes) or count < 2:
            return None
        index_of = itemgetter(*needs)
        places = dict(zip(needed[0] if len(needed) == 1 else product(*needed), range(count), strict=True))
        return itemgetter(*map(places.__getitem__, map(index_of, indexes)))
