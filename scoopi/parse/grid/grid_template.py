"""GridTemplate: reads the rows of one template by counting through the indexes of its axes."""

from __future__ import annotations

from collections.abc import Sequence

from scoopi.errors import ParseError
from scoopi.model.data import Item
from scoopi.model.failure import Failure
from scoopi.parse.grid.grid_axis import GridAxis
from scoopi.parse.grid.grid_columns import GridColumns
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.range_ends import RangeEnds, unmet_stop


class GridTemplate:
    """Reads the rows of one template by counting through the indexes of its axes.

    Counts like an odometer: one wheel per axis, the last one turns fastest.

    An item with the indexes 1-2, no dim, and a fact with 1-3 give the rows (1, 1) (1, 2) (1, 3) (2, 1) (2, 2)
    (2, 3). An axis is evaluated again only when a wheel that its value may depend on has turned: here the
    item at rows 1 and 4. If no axis can end its range early, GridColumns reads the rows instead.

    Args:
        axes: in the order of output: item, dims, fact.
        max_rows: a page with more rows fails the task.
        raw_items: rows hold the item's value without its prefix.
    Source: defs/README.md, 2.2 and 2.5.
    """

    def __init__(self, axes: Sequence[GridAxis], max_rows: int, *, raw_items: bool = False) -> None:
        self._axes = axes
        self._heads = tuple(axis.head for axis in axes)
        self._max_rows = max_rows
        self._raw_items = raw_items
        self._columns = GridColumns(axes, raw_items=raw_items) if GridColumns.fit(axes) else None
        self._everything = tuple(range(len(axes)))
        # By wheel: the axes to evaluate after this wheel, and so all faster ones, has turned.
        self._affected = [
            tuple(at for at in self._everything if _depends(axes[at], wheel)) for wheel in self._everything
        ]

    def read(self, reading: GridReading, rows: list[Item]) -> list[Failure]:
        """Append the rows of one page to `rows`.

        Returns:
            Warnings about stop values that were never met, and ranges that end too early.
        Raises:
            ParseError: a query failed, or there are too many rows.
            ScriptError: a script failed.
        """
        found = self._columns.read(reading, self._max_rows) if self._columns is not None else None
        if found is not None:
            rows.extend(found.rows)
            return found.warnings
        wheels = _Wheels(self._axes)
        turn = _Turn(self._axes, reading, wheels, keep_raw=self._raw_items)
        indexes, written, heads = wheels.indexes, turn.written, self._heads
        todo = self._everything
        new = tuple.__new__  # a third of the time that Item(…) takes
        limit, turns_left = len(rows) + self._max_rows, self._max_rows
        while True:
            ended = turn.evaluate(todo)
            if ended is None:
                rows.append(new(Item, (heads, tuple(written), tuple(indexes))))
                wheel = wheels.turn(wheels.fastest)
                todo = self._affected[wheel]
            else:
                turns_left -= 1
                turn.look_ahead(ended)
                wheel = wheels.end_turn(ended)
                todo = self._everything
            if wheel < 0:
                return turn.warnings()
            if len(rows) > limit or turns_left < 0:
                raise ParseError(
                    f"more than {self._max_rows} rows of one page",
                    hint="give the range an end or a breakAfter, or raise scoopi.parser.maxRows",
                )


class _Wheels:
    """The current indexes of a template's axes, and the ends of their ranges.

    Attributes:
        indexes: the current index of each wheel; changed in place.
        fastest: the last wheel that has more than one index.
    """

    def __init__(self, axes: Sequence[GridAxis]) -> None:
        self._first = [axis.first for axis in axes]
        self._last = [axis.last for axis in axes]
        self.indexes = self._first.copy()
        moving = [at for at, axis in enumerate(axes) if axis.last > axis.first]
        self.fastest = moving[-1] if moving else 0

    def turn(self, wheel: int) -> int:
        """Turn this wheel one step, with carry to those before it; returns the wheel that moved, or -1."""
        indexes, last = self.indexes, self._last
        while wheel >= 0:
            if indexes[wheel] < last[wheel]:
                indexes[wheel] += 1
                return wheel
            indexes[wheel] = self._first[wheel]
            wheel -= 1
        return -1

    def end_turn(self, wheel: int) -> int:
        """Reset this wheel and the faster ones, and turn the one before; returns as `turn`."""
        self.indexes[wheel:] = self._first[wheel:]
        return self.turn(wheel - 1)

    def beginning(self, wheel: int) -> list[int]:
        """The indexes, with the wheels faster than this one at their first."""
        return [*self.indexes[: wheel + 1], *self._first[wheel + 1 :]]

    def last(self, wheel: int) -> int:
        """The current last index of this wheel."""
        return self._last[wheel]

    def close(self, wheel: int) -> None:
        """Make the wheel's current index its last one."""
        self._last[wheel] = self.indexes[wheel]


class _Turn:
    """The values of the current row."""

    def __init__(
        self, axes: Sequence[GridAxis], reading: GridReading, wheels: _Wheels, *, keep_raw: bool
    ) -> None:
        self._axes = axes
        self._wheels = wheels
        self._ways = [
            (axis.bind(reading), axis if axis.stops or axis.ends_at_null else None, axis.finish)
            for axis in axes
        ]
        self._values: list[str | None] = [None] * len(axes)
        self._met: set[int] = set()
        self._ends = RangeEnds([axis.definition for axis in axes])
        self.written = self._values.copy() if keep_raw else self._values

    def evaluate(self, todo: Sequence[int]) -> int | None:
        """Evaluate these axes from left to right; return the one that ends its range here, or None."""
        values, written, indexes = self._values, self.written, self._wheels.indexes
        for at in todo:
            read, checked, finish = self._ways[at]
            raw = read(indexes, values)
            if checked is not None:
                if raw is None and checked.ends_at_null:
                    return at
                if raw in checked.stops:
                    self._wheels.close(at)
                    self._met.add(at)
            values[at] = raw if finish is None else finish(raw)
            if written is not values:
                written[at] = values[at] if at else raw
        return None

    def look_ahead(self, ended: int) -> None:
        """Record whether the axis that ended its range here has values at later indexes."""
        indexes, values, read = self._wheels.beginning(ended), self._values, self._ways[ended][0]
        before, behind = indexes[:ended], indexes[ended + 1 :]

        def value(index: int) -> str | None:
            return read([*before, index, *behind], values)

        self._ends.note(ended, indexes[ended], self._wheels.last(ended), value)

    def warnings(self) -> list[Failure]:
        """Warnings about stop values that were never met, and ranges that ended too early."""
        unmet = [axis for at, axis in enumerate(self._axes) if axis.stops and at not in self._met]
        return [unmet_stop(axis.definition, axis.stops) for axis in unmet] + self._ends.warnings()


def _depends(axis: GridAxis, wheel: int) -> bool:
    """Whether the axis' value may change when this wheel, and so all faster ones, turn."""
    return axis.needs is None or any(needed >= wheel for needed in axis.needs)
