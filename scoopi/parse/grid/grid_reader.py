"""GridReader: reads the rows of pages by one data definition; check_data_def: finds its invalid selectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.data import Data, Item
from scoopi.model.data_def import DataDef
from scoopi.model.failure import Failure
from scoopi.model.place import Place
from scoopi.model.report.counter_names import AxisKey
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridAxis, GridSettings, selector_of
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.grid_template import GridTemplate
from scoopi.parse.grid.placeholder import AxisDef, PlaceholderScope
from scoopi.parse.grid.placeholder_template import PlaceholderTemplate
from scoopi.parse.grid.range_ends import of_data_def
from scoopi.parse.grid.selector_faults import as_written
from scoopi.parse.grid.single_rows import SingleRows
from scoopi.parse.query_ports import QueryEngine, ScriptRunner
from scoopi.parse.walks.block_walk import BlockWalk


class GridParts(NamedTuple):
    """The parts that a GridReader is made of; `timed_reader` replaces them by parts that measure time.

    Attributes:
        axis: makes an axis; takes the arguments of GridAxis.
        walk: makes a walk over a block; takes (selector -> the entries that use it, engine).
        joins_rows: whether templates with one row each are read together.
    """

    axis: Callable[..., GridAxis] = GridAxis
    walk: Callable[[Mapping[str, Sequence[AxisKey]], QueryEngine], BlockWalk] = BlockWalk
    joins_rows: bool = True


class GridReader:
    """Reads the rows of pages by one data definition. Compiled once, used for many pages.

    `indexRange` sets the rows; a value in `breakAfter` ends an open range:

    >>> from scoopi.model.data_def import ItemDef
    >>> from scoopi.parse.css.css_engine import CssEngine
    >>> from lxml import etree
    >>> page = etree.fromstring("<p><b>Oslo</b><b>Rome</b><b>Total</b><b>Notes</b></p>")
    >>> def rows(**entries: object) -> list[str | None]:
    ...     item = ItemDef("city", selector="b:nth-child(%{index})", **entries)
    ...     data_def = DataDef("cities", "p", None, (item,), (), (ItemDef("fact", value="-"),))
    ...     reader = GridReader(data_def, CssEngine(), GridSettings())
    ...     return [row.values[0] for row in reader.read(page, None, print).items]
    >>> rows(first=2, last=3)
    ['Rome', 'Total']
    >>> rows(last=None, break_after=("Total",))
    ['Oslo', 'Rome', 'Total']

    With `raw_items` the rows hold item values without their prefix: links are made from raw values that are
    not blank, and `prefixed(raw, item_def)` adds the prefix. Placeholders still get the prefixed value.

    Args:
        data_def: what to read.
        engine: compiles its queries.
        settings: the texts that replace missing facts, and the limit of rows.
        raw_items: see above.
        parts: see GridParts.
    Raises:
        ParseError: a placeholder is unknown, or a selector without placeholders is wrong.
    Source: defs/README.md, 2.
    """

    def __init__(
        self,
        data_def: DataDef,
        engine: QueryEngine,
        settings: GridSettings,
        *,
        raw_items: bool = False,
        parts: GridParts = GridParts(),  # noqa: B008 - immutable
    ) -> None:
        self._name = data_def.name
        self._engine = engine
        compiled = [_compiled(data_def, axes, engine, settings, parts) for axes in templates_of(data_def)]
        walks = [(block, parts.walk(each, engine)) for block, each in _fixed_selectors(compiled).items()]
        self._walks = {block: walk for block, walk in walks if walk.is_worthwhile}
        joins = parts.joins_rows
        self._parts = [*_parts(compiled, settings.max_rows, raw_items=raw_items, joins_rows=joins)]

    def read(self, root: Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]) -> Data:
        """Read the rows of one page; see `DataReader.read`."""
        reading = GridReading(self._engine, root, scripts, self._walks)
        rows: list[Item] = []
        warnings: list[Failure] = []
        for part in self._parts:
            warnings += part.read(reading, rows)
        if warnings:
            for warning in of_data_def(self._name, warnings):
                warn(warning)
        return Data(self._name, tuple(rows))


def templates_of(data_def: DataDef) -> list[tuple[AxisDef, ...]]:
    """The row templates: each combination of an item, all dims and a fact."""
    items = [AxisDef("item", item) for item in data_def.items]
    dims = [[AxisDef("dim", dim)] for dim in data_def.dims]
    facts = [AxisDef("fact", fact) for fact in data_def.facts]
    return list(product(items, *dims, facts))


def _compiled(
    data_def: DataDef,
    axes: Sequence[AxisDef],
    engine: QueryEngine,
    settings: GridSettings,
    parts: GridParts,
) -> list[GridAxis]:
    compiled: list[GridAxis] = []
    for own in range(len(axes)):
        compiled.append(parts.axis(data_def, axes, own, engine, settings, compiled))
    return compiled


def _parts(
    templates: Sequence[Sequence[GridAxis]], max_rows: int, *, raw_items: bool, joins_rows: bool
) -> Iterator[GridTemplate | SingleRows]:
    """The readers of the templates' rows, in order: one for each template, or one for several."""
    for is_single, grouped in groupby(templates, SingleRows.fit):
        group = list(grouped)
        made = [GridTemplate(axes, max_rows, raw_items=raw_items) for axes in group]
        if joins_rows and is_single and len(group) > 1:
            yield SingleRows(made, group, raw_items=raw_items)
        else:
            yield from made


def _fixed_selectors(templates: Sequence[Sequence[GridAxis]]) -> dict[str | None, dict[str, list[AxisKey]]]:
    """Block -> selector -> the entries that use it, for selectors that are the same for all rows.

    The key is None for blocks that depend on the row.
    """
    found: dict[str | None, dict[str, list[AxisKey]]] = {}
    for axes in templates:
        for axis in axes:
            if axis.fixed_selector is not None:
                block, selector = axis.fixed_selector
                entries = found.setdefault(block, {}).setdefault(selector, [])
                entries.append((axis.definition.axis_name, axis.definition.item.name))
    return found


class SelectorFault(NamedTuple):
    """A wrong selector or placeholder of a definition: its place, what is wrong, and a hint."""

    place: Place
    what: str
    hint: str


def check_data_def(data_def: DataDef, engine: QueryEngine) -> list[SelectorFault]:
    """The faults of a definition's selectors and placeholders, without duplicates.

    Selectors are compiled with their first indexes, except those that contain a value of the page. A
    placeholder without a value in a row stays as written, which can make a selector invalid. Selectors of an
    axis with a constant or a match are never used, so they are not checked. In scripts only the placeholders
    are checked. Ranges, and placeholders that never have a value, are checked in `defs`.

    Source: defs/README.md, 2.4.
    """
    templates = templates_of(data_def)
    findings = [finding for axes in templates for finding in _axes_faults(data_def, axes, engine)]
    return list(dict.fromkeys(findings))


def _axes_faults(data_def: DataDef, axes: Sequence[AxisDef], engine: QueryEngine) -> Iterator[SelectorFault]:
    indexes = [axis.item.first for axis in axes]
    for own in range(len(axes)):
        for text, place, is_block in _used_texts(data_def, axes, own):
            try:
                template = PlaceholderScope(axes, own).compile(text)
                if not template.values:
                    _try(engine, template, template.render(indexes, []), is_block, axes[0].item.name)
            except ParseError as error:
                yield SelectorFault(place, error.what, error.hint)
        script = _script(axes[own])
        try:
            PlaceholderScope(axes, own).compile(script or "")
        except ParseError as error:
            yield SelectorFault(axes[own].item.place, error.what, error.hint)


def _try(engine: QueryEngine, template: PlaceholderTemplate, used: str, is_block: bool, item: str) -> None:
    try:
        engine.compile_block(used) if is_block else engine.compile_value(used)
    except ParseError as error:
        if missing := template.leftovers:
            what = f"{error.what}; {missing[0]} has no value in the rows of {item!r}, so it stays as written"
            raise ParseError(what, hint="give it a value there, or make two data definitions") from error
        raise as_written(error, template, used) from error


def _used_texts(data_def: DataDef, axes: Sequence[AxisDef], own: int) -> list[tuple[str, Place, bool]]:
    """The selector of the block and that of the axis, with their places; empty if the axis reads no page."""
    selector, place = selector_of(data_def, axes[own])
    if selector is None or axes[own].fixed_value is not None:
        return []
    return [(data_def.block, data_def.block_place, True), (selector, place, False)]


def _script(axis: AxisDef) -> str | None:
    return axis.item.script if axis.fixed_value is None else None
