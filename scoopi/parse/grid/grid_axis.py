"""GridAxis: reads the values of one axis of a row template."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import msgspec

from scoopi.errors import ScriptError
from scoopi.java.java_blank import JAVA_TRIMMED, is_blank
from scoopi.model.data import Axis
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.place import Place
from scoopi.model.text.pure_expression import dependence, reads_of
from scoopi.parse.grid.grid_query import GridQuery, RawValue
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.placeholder import AxisDef, PlaceholderScope, ScriptRows
from scoopi.parse.grid.placeholder_template import PlaceholderTemplate
from scoopi.parse.grid.selector_faults import located, placed
from scoopi.parse.query_ports import QueryEngine

MAX_INDEX = 2**31 - 1
"""Last index of an open range."""

SURE_FACT = frozenset(map(chr, range(0x21, 0x7F))) - {"n", "N"}
"""A text that starts with one of these is neither blank nor `null`; most facts do."""

Finish = Callable[[str | None], str | None]
"""Raw value -> the value that the row gets."""


class GridSettings(msgspec.Struct, frozen=True):
    """The texts that replace missing facts, and the limit of rows of a page.

    Attributes:
        not_found: replaces a fact that is not found, or is `null` (`scoopi.fact.notFound.replaceWith`).
        blank: replaces a blank fact (`scoopi.fact.blank.replaceWith`).
        replace_blank: whether blank facts are replaced at all (`scoopi.fact.blank.replace`).
        max_rows: a page with more rows fails the task (`scoopi.parser.maxRows`).
    """

    not_found: str = "not found"
    blank: str = "-"
    replace_blank: bool = True
    max_rows: int = 1_000_000


class GridAxis:
    """Reads the values of one axis of a row template; its selector and script are compiled once.

    Args:
        data_def: the definition that the axis belongs to.
        axes: all axes of the template, in the order of output.
        own: index of this axis among them.
        engine: compiles the queries.
        settings: the texts that replace missing facts.
        left: the axes before this one.
    Raises:
        ParseError: a placeholder is unknown, or a selector is wrong.

    Attributes:
        definition: the name of the axis, and the definition of its values.
        item: that definition alone.
        head: the axis as rows hold it.
        first, last: range of its indexes, both inclusive; `last` is MAX_INDEX for an open range.
        stops: raw values that end the range.
        ends_at_null: whether a missing value ends the range for the current indexes of the axes to the left.
        needs: the axes whose indexes the value depends on; None if it may depend on any.
        reads_row: whether the value depends on more of a row than its indexes.
        finish: turns a raw value into the value of the row; None if they are the same.
        fixed: the raw value of an axis that reads nothing from the page.
        query: block and selector, if they alone determine the value; else empty.
        is_positional: whether many values can be read at once, by their positions.
    """

    def __init__(
        self,
        data_def: DataDef,
        axes: Sequence[AxisDef],
        own: int,
        engine: QueryEngine,
        settings: GridSettings,
        left: Sequence[GridAxis],
    ) -> None:
        axis_name, item = self.definition = axes[own]
        self.item = item
        self.head = Axis(axis_name, item.name, item.order, item.match)
        self.first = item.first
        self.last = MAX_INDEX if item.last is None else item.last
        self.fixed = axes[own].fixed_value
        is_computed = self.fixed is None
        self.stops = frozenset(item.break_after if is_computed else ())
        self.ends_at_null = is_computed and axis_name != "fact" and (bool(self.stops) or item.last is None)
        self.finish = self._finish(axis_name, settings) if is_computed else None
        self._row_of = ScriptRows(axes, own)
        self._script: PlaceholderTemplate | None = None
        self._query: GridQuery | None = None
        self.reads_row = False
        self.query: tuple[str, ...] = ()
        self.is_positional = False
        self.needs: frozenset[int] | None = frozenset()
        if not is_computed:
            return
        scope = PlaceholderScope(axes, own)
        if item.script is not None:
            with located(item.place):
                self._script = scope.compile(item.script)
            self.reads_row = True
            self.needs = _needs_of_script(item.script, data_def, axes, own, left)
        self._query = _query_of(data_def, axes[own], scope, engine)
        if self._query:
            self.query = () if self._script else self._query.texts
            self.is_positional = self._query.is_positional and not self._script
            self.reads_row |= bool(self._query.values)
            self.needs = _united(self.needs, self._query.axes, self._query.values, left)

    @property
    def fixed_selector(self) -> tuple[str | None, str] | None:
        """(block, selector) if the selector is the same for all rows, else None.

        The block is None if it varies.
        """
        return None if self._query is None else self._query.fixed_selector

    @property
    def keeps_sure(self) -> bool:
        """Whether `finish` returns values that begin with a character of SURE_FACT unchanged."""
        return self.head.axis_name == "fact" and not self.item.prefix

    @property
    def is_constant(self) -> bool:
        """Whether the axis has neither a selector nor a script."""
        return self._query is None and self._script is None

    def bind(self, reading: GridReading) -> RawValue:
        """Make the function that reads the axis's raw values from this page.

        Source: defs/README.md, 2.3, steps 1 to 4.
        """
        query = self._query.bind(reading) if self._query else None
        script, place, row_of = self._script, self.item.place, self._row_of
        if script is None:
            fixed = self.fixed
            return query or (lambda _indexes, _values: fixed)

        def value(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
            try:
                result = reading.script(script.render(indexes, values), row_of(indexes, values))
            except ScriptError as error:
                raise placed(error, place) from error
            return query(indexes, values) if result is None and query else result

        return value

    def read_one(
        self, reading: GridReading, indexes: Sequence[int], values: Sequence[str | None]
    ) -> str | None:
        """The raw value of the row with these indexes; None if there is none.

        Args:
            values: the values of the axes before this one, in the same row.
        """
        if self._script is not None:
            return self.bind(reading)(indexes, values)
        return self.fixed if self._query is None else self._query.read_one(reading, indexes, values)

    def read_column(
        self, reading: GridReading, ranges: Sequence[range], needs: Sequence[int]
    ) -> list[str | None]:
        """The raw values for all indexes of the axes that this one needs. Not for an axis that `reads_row`.

        Args:
            ranges: index ranges of all axes of the template.
            needs: the axes whose indexes vary, in order; the last one varies fastest.
        """
        if self._query is None:
            return [self.fixed] * math.prod(len(ranges[need]) for need in needs)
        return self._query.column(reading, ranges, needs)

    def finish_column(self, values: list[str | None]) -> list[str | None]:
        """Apply `finish` to each value of a column."""
        finish = self.finish
        if finish is None:
            return values
        if not self.keeps_sure:
            return list(map(finish, values))
        return [raw if raw and raw[0] in SURE_FACT else finish(raw) for raw in values]

    def _finish(self, axis_name: str, settings: GridSettings) -> Finish | None:
        item = self.item
        if axis_name != "fact":
            return (lambda raw: prefixed(raw, item)) if item.prefix else None

        def finish(raw: str | None) -> str | None:
            if raw and raw[0] in SURE_FACT and not item.prefix:
                return raw
            return fact_text(prefixed(raw, item), settings)

        return finish


def _query_of(
    data_def: DataDef, axis: AxisDef, scope: PlaceholderScope, engine: QueryEngine
) -> GridQuery | None:
    """The compiled query of an axis; None if it has no selector."""
    selector, place = selector_of(data_def, axis)
    if selector is None:
        return None
    with located(data_def.block_place):
        block = scope.compile(data_def.block)
        if block.text is not None:
            engine.compile_block(block.text)
    with located(place):
        compiled = scope.compile(selector)
    return GridQuery(block, compiled, engine, place)


def _needs_of_script(
    script: str, data_def: DataDef, axes: Sequence[AxisDef], own: int, left: Sequence[GridAxis]
) -> frozenset[int] | None:
    """The axes whose indexes the result depends on; None if any may, as scripts can keep state."""
    scripts = [item.script for item in (*data_def.items, *data_def.dims, *data_def.facts) if item.script]
    reads = reads_of(script)
    if reads is None or any(reads_of(other) is None for other in scripts):
        return None
    parts = dependence(reads, [axis.axis_name for axis in axes], own)
    return _united(frozenset(), parts.indexes, [at for at in parts.values if at < own], left)


def _united(
    needs: frozenset[int] | None, indexes: Iterable[int], values: Iterable[int], left: Sequence[GridAxis]
) -> frozenset[int] | None:
    """`needs`, extended by the axes of `indexes` and the needs of the axes of `values`; None for all axes."""
    for others in (indexes, *(left[at].needs for at in values)):
        needs = None if needs is None or others is None else needs | {*others}
    return needs


def selector_of(data_def: DataDef, axis: AxisDef) -> tuple[str | None, Place]:
    """The selector of an axis and its place; a fact uses the selector of the data definition's query."""
    if axis.axis_name == "fact":
        return data_def.selector, data_def.selector_place
    return axis.item.selector, axis.item.selector_place


def prefixed(raw: str | None, item: ItemDef) -> str | None:
    """The value with its prefixes, the last of the list first; None, constants and matches get none.

    Source: defs/README.md, 2.6.
    """
    if raw is None or item.value is not None or item.match is not None:
        return raw
    return "".join(reversed(item.prefix)) + raw


def fact_text(value: str | None, settings: GridSettings) -> str:
    """The fact with missing and blank values replaced: step 7 of defs/README.md, 2.3."""
    if value is None or value.strip(JAVA_TRIMMED).lower() == "null":
        return settings.not_found
    return settings.blank if settings.replace_blank and is_blank(value) else value
