"""PlainReader: the reference implementation of GridReader, with a query for each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scoopi.errors import ParseError
from scoopi.model.data import Axis, Data, Item, ScriptRow
from scoopi.model.data_def import DataDef
from scoopi.model.failure import Failure
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import MAX_INDEX, GridSettings, fact_text, prefixed, selector_of
from scoopi.parse.grid.grid_reader import templates_of
from scoopi.parse.grid.placeholder import AxisDef, PlaceholderScope, ScriptRows
from scoopi.parse.grid.range_ends import RangeEnds, of_data_def, unmet_stop
from scoopi.parse.grid.selector_faults import located
from scoopi.parse.query_ports import QueryEngine, ScriptRunner


class PlainReader:
    """The reference implementation of GridReader, with a query for each cell.

    Follows the language's definition literally: every axis is evaluated for every row, and nothing is cached.
    Slow, but with the same rows, warnings and failures as GridReader.

    Args:
        data_def: what to read.
        engine: compiles its queries.
        settings: the texts that replace missing facts, and the limit of rows.
        raw_items: as in GridReader.
    Source: defs/README.md, 2.2 to 2.6.
    """

    def __init__(
        self, data_def: DataDef, engine: QueryEngine, settings: GridSettings, *, raw_items: bool = False
    ) -> None:
        self._data_def = data_def
        self._engine = engine
        self._settings = settings
        self._raw_items = raw_items

    def read(self, root: Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]) -> Data:
        """The rows of the page; arguments and errors as for `GridReader.read`."""
        rows: list[Item] = []
        warnings: list[Failure] = []
        for axes in templates_of(self._data_def):
            template = _Template(self._data_def, axes, _Page(self._engine, root, scripts), self._settings)
            rows += template.rows(raw_items=self._raw_items)
            warnings += template.warnings()
        for warning in of_data_def(self._data_def.name, warnings):
            warn(warning)
        return Data(self._data_def.name, tuple(rows))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, and what evaluates queries and scripts on it."""

    engine: QueryEngine
    root: Element
    scripts: ScriptRunner | None

    def query(self, block: str, selector: str) -> str | None:
        return self.engine.compile_value(selector)(self.engine.compile_block(block)(self.root))

    def script(self, text: str, row: ScriptRow) -> str | None:
        if self.scripts is None:
            raise ParseError(
                "the definition has a script, and no script runner is given", hint="pass a ScriptRunner"
            )
        return self.scripts(text, row)


class _Template:
    """One item, all dims and one fact, whose indexes turn like the wheels of an odometer."""

    def __init__(
        self, data_def: DataDef, axes: Sequence[AxisDef], page: _Page, settings: GridSettings
    ) -> None:
        self._data_def = data_def
        self._axes = axes
        self._page = page
        self._settings = settings
        self._heads = tuple(
            Axis(name, item.name, item.order, item.match)
            for name, item in ((a.axis_name, a.item) for a in axes)
        )
        self._last = [MAX_INDEX if axis.item.last is None else axis.item.last for axis in axes]
        self._met: set[int] = set()
        self._ends = RangeEnds(axes)

    def rows(self, *, raw_items: bool) -> list[Item]:
        """All rows of the page."""
        rows: list[Item] = []
        ended_turns = 0
        indexes: list[int] | None = [axis.item.first for axis in self._axes]
        while indexes is not None:
            raw_values, values = self._row(indexes)
            ended = len(values)
            if ended == len(self._axes):
                written = (raw_values[0], *values[1:]) if raw_items else tuple(values)
                rows.append(Item(self._heads, written, tuple(indexes)))
            else:
                ended_turns += 1
                self._look_ahead(ended, indexes, values)
                indexes[ended:] = [axis.item.first for axis in self._axes[ended:]]
            indexes = self._turned(indexes, ended - 1)
            self._check_size(len(rows), ended_turns, over=indexes is None)
        return rows

    def _row(self, indexes: Sequence[int]) -> tuple[list[str | None], list[str | None]]:
        """The axes' raw and finished values, up to (without) the axis whose missing value ends its range."""
        raw_values: list[str | None] = []
        values: list[str | None] = []
        for at in range(len(self._axes)):
            raw = self._raw(at, indexes, values)
            if raw is None and self._ends_at_null(at):
                break
            if raw in self._stops(at):
                self._last[at] = indexes[at]
                self._met.add(at)
            raw_values.append(raw)
            values.append(self._finished(at, raw))
        return raw_values, values

    def _look_ahead(self, ended: int, indexes: Sequence[int], values: Sequence[str | None]) -> None:
        """Record whether the axis that ended its range here has values at later indexes."""
        behind = [axis.item.first for axis in self._axes[ended + 1 :]]

        def value(index: int) -> str | None:
            return self._raw(ended, [*indexes[:ended], index, *behind], values)

        self._ends.note(ended, indexes[ended], self._last[ended], value)

    def warnings(self) -> list[Failure]:
        """Warnings about stop values that were never met, and ranges that ended too early."""
        unmet = [at for at in range(len(self._axes)) if self._stops(at) and at not in self._met]
        return [unmet_stop(self._axes[at], self._stops(at)) for at in unmet] + self._ends.warnings()

    def _turned(self, indexes: Sequence[int], wheel: int) -> list[int] | None:
        """The indexes after one step of this wheel, with carry to those before it; None after the last."""
        turned = list(indexes)
        for at in range(wheel, -1, -1):
            if turned[at] < self._last[at]:
                turned[at] += 1
                return turned
            turned[at] = self._axes[at].item.first
        return None

    def _raw(self, at: int, indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
        """The axis' value without prefix: steps 1 to 4 of defs/README.md, 2.3."""
        axis = self._axes[at]
        if axis.fixed_value is not None:
            return axis.fixed_value
        if axis.item.script is not None:
            with located(axis.item.place):
                script = self._filled(at, axis.item.script, indexes, values)
                row = ScriptRows(self._axes, at)(indexes, values)
                result = self._page.script(script, row)
            if result is not None:
                return result
        selector, place = selector_of(self._data_def, axis)
        if selector is None:
            return None
        with located(place):
            return self._page.query(
                self._filled(at, self._data_def.block, indexes, values),
                self._filled(at, selector, indexes, values),
            )

    def _filled(self, at: int, text: str, indexes: Sequence[int], values: Sequence[str | None]) -> str:
        """The text with its placeholders replaced."""
        return PlaceholderScope(self._axes, at).compile(text).render(indexes, values)

    def _finished(self, at: int, raw: str | None) -> str | None:
        """The value that the row gets: steps 6 and 7 of defs/README.md, 2.3."""
        axis = self._axes[at]
        if axis.fixed_value is not None:
            return raw
        value = prefixed(raw, axis.item)
        return fact_text(value, self._settings) if axis.axis_name == "fact" else value

    def _stops(self, at: int) -> Sequence[str]:
        axis = self._axes[at]
        return axis.item.break_after if axis.fixed_value is None else ()

    def _ends_at_null(self, at: int) -> bool:
        axis = self._axes[at]
        may_end = bool(self._stops(at)) or axis.item.last is None
        return axis.fixed_value is None and axis.axis_name != "fact" and may_end

    def _check_size(self, rows: int, ended_turns: int, *, over: bool) -> None:
        most = self._settings.max_rows
        if not over and (rows > most or ended_turns > most):
            raise ParseError(
                f"more than {most} rows of one page",
                hint="give the range an end or a breakAfter, or raise scoopi.parser.maxRows",
            )
