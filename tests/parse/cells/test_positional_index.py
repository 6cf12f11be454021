"""Rows read by position, and column by column, are the rows that a query for each cell gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.data import Data
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.parse.bridge.html_backend import column_values
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_columns import GridColumns
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.query_ports import Positional


class QueryingEngine(CssEngine):
    """Never reads by position."""

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        return None


def read(data_def: DataDef, page: Element, engine: CssEngine) -> tuple[Data, list[str]] | str:
    """Rows and warnings, or why the task fails."""
    warnings: list[str] = []
    reader = GridReader(data_def, engine, GridSettings(max_rows=100))
    try:
        return reader.read(page, None, lambda warning: warnings.append(warning.cause)), warnings
    except ParseError as error:
        return str(error)


cells = st.sampled_from(("<td>1</td>", "<td/>", "<td>stop</td>", "<th>head</th>", "<td>a <b>b</b> c</td>"))
nested = st.lists(cells, max_size=2).map(lambda row: f"<td>t<table><tr>{''.join(row)}</tr></table></td>")
rows = st.lists(st.one_of(cells, cells, nested), max_size=4).map(lambda row: f"<tr>{''.join(row)}</tr>")
tables = st.lists(rows, max_size=4).map(lambda body: f"<table><tbody>{''.join(body)}</tbody></table>")
pages = st.lists(tables, min_size=1, max_size=2).map(
    lambda body: etree.fromstring(f"<html><body>{''.join(body)}</body></html>")
)
item_selectors = st.sampled_from(
    (
        "tr:nth-child(%{index}) > td:nth-child(1)",
        "tr:nth-child(%{index}) td:nth-child(%{dim.index})",
        "tr:nth-child(%{index})",
        "tbody > tr:nth-child(%{index}) > :nth-child(1)",
        "tr:eq(%{index}) > td",
    )
)
dim_selectors = st.sampled_from(
    ("tr:nth-child(1) > :nth-child(%{index})", "td:nth-child(%{index})", "td:contains(%{item.value})")
)
fact_selectors = st.sampled_from(
    (
        "tr:nth-child(%{item.index}) > td:nth-child(%{dim.index})",
        "tr:nth-child(%{dim.index}) td:nth-child(%{item.index}) b",
        "td:nth-child(%{item.index})",
    )
)
ranges: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    first=st.integers(1, 2),
    last=st.one_of(st.none(), st.integers(2, 4)),
    break_after=st.sampled_from(((), ("stop",), ("1", "stop"))),
)


@given(
    page=pages,
    block=st.sampled_from(("table", "body", "body > table:nth-child(1)", "tr")),
    item=st.builds(lambda selector, given: ItemDef("i", selector=selector, **given), item_selectors, ranges),
    dim=st.builds(lambda selector, given: ItemDef("d", selector=selector, **given), dim_selectors, ranges),
    fact=fact_selectors,
)
def test_rows_by_position_are_the_rows_by_queries(
    page: Element, block: str, item: ItemDef, dim: ItemDef, fact: str
) -> None:
    data_def = DataDef("d", block, fact, (item,), (dim,), (ItemDef("fact"),))
    assert read(data_def, page, CssEngine()) == read(data_def, page, QueryingEngine())


closed: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    first=st.integers(0, 2),
    last=st.integers(2, 4),
    prefix=st.sampled_from(((), ("p-",), ("a", "b"))),
)
fixed: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict, closed, value=st.sampled_from((None, "same")), match=st.sampled_from((None, "m"))
)
plain_facts = st.sampled_from(
    (
        "tr:nth-child(%{item.index}) > td:nth-child(%{dim.d.index})",
        "tr:nth-child(%{dim.d.index}) > :nth-child(%{item.index})",
        "tr:nth-child(%{dim.e.index}) td:nth-child(%{dim.d.index})",
        "tr:nth-child(%{fact.index}) > td:nth-child(%{dim.e.index})",
        "tr:eq(%{item.index}) > td",
        "td",
    )
)


@given(
    page=pages,
    block=st.sampled_from(("table", "body > table:nth-child(1)", "tr")),
    item=closed,
    dims=st.tuples(fixed, closed),
    fact=closed,
    selector=plain_facts,
    max_rows=st.sampled_from((10, 11, 12, 1000)),
    raw_items=st.booleans(),
)
def test_rows_made_by_columns_are_those_that_turning_the_wheels_makes(
    page: Element,
    block: str,
    item: dict[str, Any],
    dims: tuple[dict[str, Any], dict[str, Any]],
    fact: dict[str, Any],
    selector: str,
    max_rows: int,
    raw_items: bool,
) -> None:
    data_def = DataDef(
        "d",
        block,
        selector,
        (ItemDef("i", selector="tr:nth-child(%{index}) > td:nth-child(1)", **item),),
        (
            ItemDef("d", selector="tr:nth-child(1) > :nth-child(%{index})", **dims[0]),
            ItemDef("e", selector="tr:nth-child(%{item.index}) td:nth-child(%{index})", **dims[1]),
        ),
        (ItemDef("fact", **fact),),
    )

    def rows() -> Data | str:
        limits = GridSettings(max_rows=max_rows)
        try:
            reader = GridReader(data_def, CssEngine(), limits, raw_items=raw_items)
            return reader.read(page, None, print)
        except ParseError as error:
            return str(error)

    by_columns = rows()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(GridColumns, "fit", lambda _axes: False)
        assert by_columns == rows()


links = st.sampled_from(
    (
        "<a>one</a>",
        "<a href='/x'> two  words </a>",
        "<a href='1 &amp; 2'>&#160;</a>",
        "<b>no</b>",
        "<a><i>in</i></a>",
    )
)
entries = st.builds(
    lambda name, inside, text: f"<li class='{name}'>{text}{''.join(inside)}</li>",
    st.sampled_from(("", "a", "b a", "A")),
    st.lists(links, max_size=3),
    st.sampled_from(("", "text", " spaced  out ", "<br/>after")),
)
lists = st.recursive(
    st.lists(entries, max_size=4).map(lambda body: f"<ul>{''.join(body)}</ul>"),
    lambda inner: st.builds(
        lambda before, each: f"<ul>{before}<li class='a'>{each}</li></ul>", entries, inner
    ),
    max_leaves=3,
)
list_pages = st.builds(
    lambda body, around: etree.fromstring(f"<html><body><{around}>{''.join(body)}</{around}></body></html>"),
    st.lists(lists, min_size=1, max_size=2),
    st.sampled_from(("div", "pre", "section")),
)
ELEMENTS = (
    "li:nth-child({})",
    "li.a:nth-child({})",
    "ul li.a:nth-child({})",
    "> li:nth-child({})",
    "*:nth-child({})",
)
BELOW = ("", " > a", " > *", " attribute: class", " > a attribute: href")


@given(
    page=list_pages,
    block=st.sampled_from(("ul", "body", "ul:first-of-type", "div")),
    element=st.sampled_from(ELEMENTS),
    below=st.sampled_from(BELOW),
    fact=st.sampled_from(BELOW),
    last=st.sampled_from((None, 3)),
)
def test_a_list_that_is_walked_over_gives_the_rows_by_queries(
    page: Element, block: str, element: str, below: str, fact: str, last: int | None
) -> None:
    item = ItemDef("i", selector=element.format("%{index}") + below, first=1, last=last)
    selector = element.format("%{item.index}") + fact
    data_def = DataDef("d", block, selector, (item,), (), (ItemDef("fact"),))
    assert read(data_def, page, CssEngine()) == read(data_def, page, QueryingEngine())


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_list_is_walked_over(element: str, below: str) -> None:
    positional = CssEngine().positional(element.format(77) + below, [77])
    assert positional is not None
    assert positional.query.column is not None
    assert column_values() is not None
