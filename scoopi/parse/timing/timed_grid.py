"""timed_reader: makes a GridReader that times each entry of its data definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from scoopi.model.data_def import DataDef
from scoopi.model.report.counter_names import BLOCK, AxisKey
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridAxis, GridSettings
from scoopi.parse.grid.grid_query import RawValue
from scoopi.parse.grid.grid_reader import GridParts, GridReader
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.query_ports import (
    BlockQuery,
    Positional,
    PositionalBlock,
    QueryEngine,
    ValueQuery,
    WalkedQuery,
)
from scoopi.parse.timing.stopwatch import Stopwatch
from scoopi.parse.walks.block_walk import BlockWalk


def timed_reader(
    data_def: DataDef,
    engine: QueryEngine,
    settings: GridSettings,
    stopwatch: Stopwatch,
    *,
    raw_items: bool = False,
) -> GridReader:
    """Make a GridReader that times each entry of its data definition.

    It reads the same rows, a little more slowly. Work that several entries share counts for the entry that
    needs it first, except a walk, whose time is divided equally.

    Args:
        stopwatch: collects the times; see GridReader for the other arguments.
    """
    parts = GridParts(partial(TimedAxis, stopwatch), partial(TimedWalk, stopwatch), joins_rows=False)
    timed_engine = TimedEngine(engine, stopwatch)
    return GridReader(data_def, timed_engine, settings, raw_items=raw_items, parts=parts)


class TimedAxis(GridAxis):
    """A GridAxis that times what it reads.

    Args:
        stopwatch: collects the times.
        axis: the arguments of the GridAxis.
    """

    def __init__(self, stopwatch: Stopwatch, *axis: Any) -> None:
        super().__init__(*axis)
        definition = self.definition
        self._stopwatch = stopwatch
        self._entries = [(definition.axis_name, definition.item.name)]

    def bind(self, reading: GridReading) -> RawValue:
        """See GridAxis."""
        return self._stopwatch.timed(self._entries, super().bind(reading))

    def read_one(
        self, reading: GridReading, indexes: Sequence[int], values: Sequence[str | None]
    ) -> str | None:
        """See GridAxis."""
        return self._stopwatch.timed(self._entries, super().read_one)(reading, indexes, values)

    def read_column(
        self, reading: GridReading, ranges: Sequence[range], needs: Sequence[int]
    ) -> list[str | None]:
        """See GridAxis."""
        return self._stopwatch.timed(self._entries, super().read_column)(reading, ranges, needs)


class TimedWalk(BlockWalk):
    """A BlockWalk whose time is divided among the entries that it finds.

    Args:
        stopwatch: collects the times.
        entries: selector -> the entries that use it.
        engine: compiles the selectors.
    """

    def __init__(
        self, stopwatch: Stopwatch, entries: Mapping[str, Sequence[AxisKey]], engine: QueryEngine
    ) -> None:
        super().__init__(entries, engine)
        found = [entry for selector in self.selectors for entry in entries[selector]]
        self._timed = stopwatch.timed(found, super().read)

    def read(self, block: str, element: Element, known: dict[tuple[str, ...], str | None]) -> None:
        """See BlockWalk."""
        self._timed(block, element, known)


class TimedEngine:
    """A QueryEngine that times the queries for blocks."""

    def __init__(self, engine: QueryEngine, stopwatch: Stopwatch) -> None:
        self._engine = engine
        self._stopwatch = stopwatch
        self.compile_value: Callable[[str], ValueQuery] = engine.compile_value
        self.walked: Callable[[str, int], WalkedQuery | None] = engine.walked
        self.positional: Callable[[str, Sequence[int]], Positional | None] = engine.positional
        self.positional_block: Callable[[str, Sequence[int]], PositionalBlock | None] = (
            engine.positional_block
        )

    def compile_block(self, selector: str) -> BlockQuery:
        """See QueryEngine."""
        return self._stopwatch.timed([BLOCK], self._engine.compile_block(selector))
