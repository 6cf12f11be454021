"""GridColumns: the rows of a template whose axes depend on indexes only, made column by column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product, repeat
from operator import itemgetter

from scoopi.model.data import Item
from scoopi.parse.grid_axis import GridAxis
from scoopi.parse.grid_reading import GridReading


class GridColumns:
    """Gives the rows that turning the wheels gives, but evaluates an axis once for each index it needs.

    For templates of which no axis has a script, takes another axis' value, or can end its turn early.

    Args:
        axes: in the order of output, all of them fit for it (see `fit`).
        raw_items: rows hold the item's value without its prefix.
    """

    def __init__(self, axes: Sequence[GridAxis], *, raw_items: bool = False) -> None:
        self._axes = axes
        self._heads = tuple(axis.head for axis in axes)
        self._ranges = [range(axis.first, axis.last + 1) for axis in axes]
        self._needs = [sorted(axis.needs or ()) for axis in axes]
        self._raw_items = raw_items
        self.size = math.prod(map(len, self._ranges))

    @staticmethod
    def fit(axes: Sequence[GridAxis]) -> bool:
        """Whether the axes can be read so."""
        return all(axis.needs is not None and not axis.stops and not axis.ends_at_null for axis in axes)

    def rows(self, reading: GridReading) -> Iterator[Item]:
        """All rows of one page, in the order in which the wheels turn.

        Raises:
            ParseError: a query failed.
        """
        indexes = list(product(*self._ranges))
        columns = [self._column(at, reading, indexes) for at in range(len(self._axes))]
        rows = zip(repeat(self._heads), zip(*columns, strict=True), indexes, strict=False)
        return map(tuple.__new__, repeat(Item), rows)  # a quarter of the time that Item(…) takes

    def _column(
        self, at: int, reading: GridReading, indexes: Sequence[tuple[int, ...]]
    ) -> Sequence[str | None]:
        """The axis' value in every row."""
        axis, needs = self._axes[at], self._needs[at]
        values = axis.read_column(reading, self._ranges, needs)
        if not (self._raw_items and at == 0):
            values = axis.finish_column(values)
        if len(values) == len(indexes):
            return values
        if not needs:
            return values * len(indexes)
        index_of = itemgetter(*needs)
        needed = [self._ranges[need] for need in needs]
        known = dict(zip(needed[0] if len(needed) == 1 else product(*needed), values, strict=True))
        return list(map(known.__getitem__, map(index_of, indexes)))
