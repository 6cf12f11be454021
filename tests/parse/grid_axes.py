"""Axes of a template of rows over a small table, for the tests of what makes rows of them."""

from __future__ import annotations

from typing import Any

from lxml import etree

from scoopi.model.data_def import DataDef, ItemDef
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridAxis, GridSettings
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.placeholder import AxisDef
from scoopi.parse.query_ports import ScriptRunner

TABLE = etree.fromstring(
    "<html><body><table id='t'>"
    "<tr><th>Oslo</th><td>1</td><td>2</td></tr>"
    "<tr><th>Rome</th><td>3</td><td> </td></tr>"
    "</table></body></html>"
)
ENGINE = CssEngine()
HEAD, CELL = "tr:nth-child(%{index}) th", "tr:nth-child(%{item.index}) td:nth-child(%{dim.day.index})"


def town(**more: Any) -> ItemDef:
    return ItemDef("town", selector=HEAD, **more)


def day(first: int = 2, last: int | None = 3, **more: Any) -> ItemDef:
    return ItemDef("day", first=first, last=last, **({"value": "day"} | more))


def axes_of(item: ItemDef, dim: ItemDef, selector: str = CELL, **settings: Any) -> list[GridAxis]:
    """The axes of an item, a dim and a fact."""
    fact = ItemDef("fact")
    data_def = DataDef("towns", "#t", selector, items=(item,), dims=(dim,), facts=(fact,))
    axes = [AxisDef("item", item), AxisDef("dim", dim), AxisDef("fact", fact)]
    made: list[GridAxis] = []
    for own in range(3):
        made.append(GridAxis(data_def, axes, own, ENGINE, GridSettings(**settings), made))
    return made


def reading(scripts: ScriptRunner | None = None) -> GridReading:
    return GridReading(ENGINE, TABLE, scripts)
