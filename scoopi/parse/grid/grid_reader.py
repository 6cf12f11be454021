"""GridReader: reads the rows of a page by one data definition."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from lxml import etree

from scoopi.model.data import Data, Item
from scoopi.model.data_def import DataDef
from scoopi.model.failure import Failure
from scoopi.parse.grid.grid_axis import GridAxis, GridSettings
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.grid_template import GridTemplate
from scoopi.parse.grid.placeholder import AxisDef
from scoopi.parse.grid.range_ends import of_data_def
from scoopi.parse.query_ports import QueryEngine, ScriptRunner


class GridReader:
    """Compiled once per definition, used for many pages.

    Rows follow `indexRange`; a value of `breakAfter` is the last one of an open range:

    >>> from scoopi.model.data_def import ItemDef
    >>> from scoopi.parse.css.css_engine import CssEngine
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

    With `raw_items` the rows hold item values before their prefix, as links need them
    (a link is made from a raw value that is not blank); `prefixed(raw, item_def)` adds it then.
    Placeholders see the prefixed value all the same.

    Args:
        data_def: what to read.
        engine: compiles its queries.
        settings: how missing facts are written, and the limit of rows.
        raw_items: see above.
    Raises:
        ParseError: a placeholder names nothing, or a selector without placeholders is wrong.
    Source: defs/README.md, 2.
    """

    def __init__(
        self, data_def: DataDef, engine: QueryEngine, settings: GridSettings, *, raw_items: bool = False
    ) -> None:
        self._name = data_def.name
        self._engine = engine
        self._templates = [
            GridTemplate(
                [GridAxis(data_def, axes, own, engine, settings) for own in range(len(axes))],
                settings.max_rows,
                raw_items=raw_items,
            )
            for axes in templates_of(data_def)
        ]

    def read(
        self, root: etree._Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]
    ) -> Data:
        """The rows of the page, in the order of their making.

        Args:
            root: root element of the page.
            scripts: runs the definition's scripts; None if it has none.
            warn: called once for each axis with a stop value that was never met, or with a range that ended
                although later indexes have values.
        Raises:
            ParseError: a query failed, or there are too many rows.
            ScriptError: a script failed.
        """
        reading = GridReading(self._engine, root, scripts)
        rows: list[Item] = []
        warnings: list[Failure] = []
        for template in self._templates:
            warnings += template.read(reading, rows)
        if warnings:
            for warning in of_data_def(self._name, warnings):
                warn(warning)
        return Data(self._name, tuple(rows))


def templates_of(data_def: DataDef) -> list[tuple[AxisDef, ...]]:
    """The templates of rows: each item with all dims and each fact."""
    items = [AxisDef("item", item) for item in data_def.items]
    dims = [[AxisDef("dim", dim)] for dim in data_def.dims]
    facts = [AxisDef("fact", fact) for fact in data_def.facts]
    return list(product(items, *dims, facts))
