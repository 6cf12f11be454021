"""Ranges, breakAfter and the end of open axes."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader

CELL = "tr:nth-child(%{item.index}) > td:nth-child(%{dim.index})"


def table(*rows: str) -> str:
    """A page with a table; cells are words."""
    cells = ("".join(f"<td>{cell}</td>" for cell in row.split()) for row in rows)
    lines = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<html><body><table><tbody>{lines}</tbody></table></body></html>"


def row_head(**more: Any) -> ItemDef:
    return ItemDef("row", selector="tr:nth-child(%{index}) > td:nth-child(1)", **more)


def cell(**more: Any) -> ItemDef:
    return ItemDef("cell", selector=CELL.replace("dim.index", "index"), **more)


def read(
    page: str,
    item: ItemDef,
    *dims: ItemDef,
    selector: str | None = CELL,
    fact: ItemDef | None = None,
    **settings: Any,
) -> tuple[list[str], list[str]]:
    """Rows as text, and warnings."""
    facts = (fact or ItemDef("fact"),)
    data_def = DataDef("d", "table", selector if dims else None, (item,), dims, facts)
    warnings: list[str] = []
    reader = GridReader(data_def, CssEngine(), GridSettings(not_found="-", **settings))
    data = reader.read(etree.fromstring(page), None, lambda warning: warnings.append(warning.cause))
    return [" ".join(str(value) for value in row.values) for row in data.items], warnings


PAGE = table("a b c", "d e f", "g h i")


def test_a_closed_range_runs_to_its_end_nulls_included() -> None:
    rows, warnings = read(PAGE, row_head(first=3, last=5))
    assert rows == ["g -", "None -", "None -"]
    assert warnings == []


def test_an_open_range_ends_at_a_null_value_which_is_not_written() -> None:
    rows, warnings = read(PAGE, row_head(first=2, last=None))
    assert rows == ["d -", "g -"]
    assert warnings == []


def test_a_stop_value_closes_the_range_and_is_the_last_row() -> None:
    rows, warnings = read(PAGE, row_head(last=None, break_after=("x", "d")))
    assert rows == ["a -", "d -"]
    assert warnings == []


def test_with_a_dim_all_columns_of_the_stop_row_are_written() -> None:
    rows, _ = read(PAGE, row_head(last=None, break_after=("d",)), cell(first=2, last=3))
    assert rows == ["a b b", "a c c", "d e e", "d f f"]


def test_a_stop_value_works_on_a_closed_range_too() -> None:
    rows, warnings = read(PAGE, row_head(last=3, break_after=("d",)))
    assert rows == ["a -", "d -"]
    assert warnings == []


def test_a_stop_value_on_the_last_dim_leaves_no_column_too_many() -> None:
    rows, _ = read(PAGE, row_head(last=2), cell(first=1, last=None, break_after=("b",)))
    assert rows == ["a a a", "a b b", "d d d", "d e e"]


def test_a_match_closes_the_range_for_all_further_outer_turns() -> None:
    rows, _ = read(table("a b stop x", "c d e f"), row_head(last=2), cell(last=None, break_after=("stop",)))
    assert rows == ["a a a", "a b b", "a stop stop", "c c c", "c d d", "c e e"]


def test_an_earlier_match_in_a_later_turn_closes_the_range_further() -> None:
    page = table("a b stop", "c stop d", "e f g")
    rows, _ = read(page, row_head(last=3), cell(last=None, break_after=("stop",)))
    assert rows == ["a a a", "a b b", "a stop stop", "c c c", "c stop stop", "e e e", "e f f"]


def test_a_null_ends_the_present_turn_only() -> None:
    page = table("a b", "c", "d e f")
    rows, warnings = read(page, row_head(last=3), cell(last=None, break_after=("f",)))
    assert rows == ["a a a", "a b b", "c c c", "d d d", "d e e", "d f f"]
    assert warnings == []


def test_a_null_of_an_open_dim_without_stop_value_ends_its_turn() -> None:
    rows, warnings = read(table("a b", "c"), row_head(last=2), cell(last=None))
    assert rows == ["a a a", "a b b", "c c c"]
    assert warnings == []


def test_a_null_of_a_closed_range_with_stop_value_ends_its_turn() -> None:
    rows, warnings = read(table("a b", "c"), row_head(last=2), cell(last=9, break_after=("z",)))
    assert rows == ["a a a", "a b b", "c c c"]
    assert warnings == ["dataDef 'd': breakAfter of dim 'cell' was never met: 'z'"]


def test_a_null_of_the_item_ends_the_template_whatever_the_dims() -> None:
    rows, _ = read(table("a b", "c d"), row_head(last=None), cell(first=2, last=3))
    assert rows == ["a b b", "a None -", "c d d", "c None -"]


def test_a_null_of_the_middle_axis_leaves_faster_axes_out() -> None:
    page = table("a b", "c")
    middle, inner = cell(last=None), ItemDef("inner", value="v", last=2)
    rows, _ = read(page, row_head(last=2), middle, inner)
    assert rows == ["a a v a", "a a v a", "a b v b", "a b v b", "c c v c", "c c v c"]


def test_axes_right_of_one_that_ended_at_once_are_read_later() -> None:
    page = table("a", "b x")
    rows, _ = read(
        page, row_head(last=2), cell(first=2, last=None), ItemDef("head", selector="tr:nth-child(1)>td")
    )
    assert rows == ["b x a x"]


def test_a_stop_value_that_is_never_met_is_a_warning_and_the_rows_are_kept() -> None:
    rows, warnings = read(PAGE, row_head(last=None, break_after=("Relegation", "End")))
    assert rows == ["a -", "d -", "g -"]
    assert warnings == ["dataDef 'd': breakAfter of item 'row' was never met: 'End', 'Relegation'"]


def test_stop_values_are_compared_before_the_prefix() -> None:
    item = row_head(last=None, prefix=("p",), break_after=("d", "pa"))
    rows, _ = read(PAGE, item)
    assert rows == ["pa -", "pd -"]


def test_the_fact_ends_no_axis() -> None:
    fact = ItemDef("fact", break_after=("b",), last=2)
    rows, _ = read(table("a b"), row_head(last=1), cell(first=2, last=4), fact=fact)
    assert rows == ["a b b", "a None -", "a None -"]


def test_constants_are_never_compared_with_stop_values() -> None:
    rows, warnings = read(PAGE, ItemDef("x", value="a", last=2, break_after=("a",)))
    assert rows == ["a -", "a -"]
    assert warnings == []


def test_too_many_rows_fail_the_task() -> None:
    item = ItemDef("x", selector="tr:nth-child(1) > td:nth-child(1)", last=None)
    with pytest.raises(ParseError, match="more than 10 rows"):
        read(PAGE, item, max_rows=10)
    rows, _ = read(PAGE, ItemDef("x", value="a", last=10), max_rows=10)
    assert len(rows) == 10


def test_an_endless_item_without_any_row_fails_the_task_too() -> None:
    item = ItemDef("x", selector="tr:nth-child(1) > td:nth-child(1)", last=None)
    gone = ItemDef("gone", selector="h6", last=None)
    with pytest.raises(ParseError, match=r"scoopi\.parser\.maxRows"):
        read(PAGE, item, gone, max_rows=10)
