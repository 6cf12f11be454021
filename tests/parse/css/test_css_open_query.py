"""Reading by position gives what an ordinary query gives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.cells.positional_index import PositionalGroups, PositionalIndex
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.query_ports import Positional

STAND_INS = (70_000_000, 70_000_001, 70_000_002)


def positional(selector: str) -> Positional | None:
    """The template with `{}` for each open position."""
    count = selector.count("{}")
    return CssEngine().positional(selector.format(*STAND_INS[:count]), STAND_INS[:count])


@pytest.mark.parametrize(
    "selector",
    [
        "tr:nth-child({}) > td:nth-child({})",
        "tr:nth-child(1) > td:nth-child({})",
        "#t tr.x:nth-child({}) td:nth-child(2)",
        "li:nth-child({})",
        "> li:nth-child({}) > a",
        "li:nth-child({}):not(.x) > a attribute: href",
        "tr:nth-child({}) > td + :nth-child({})",
    ],
)
def test_a_chain_whose_positions_vary_is_read_by_position(selector: str) -> None:
    assert positional(selector) is not None


@pytest.mark.parametrize(
    "selector",
    [
        "tr:nth-child({}), p",
        "tr:nth-child({}n)",
        "tr:nth-child(-{})",
        "tr:nth-last-child({})",
        "tr:eq({})",
        "td.c{}",
        "td:contains({})",
        "td:nth-child({}) attribute: data-{}",
        "tr:nth-child({}) + tr",
        "tr:not(p td:nth-child(2)):nth-child({})",
        "tr:nth-child({}):nth-child({})",
        "tr:nth-child({}) >",
    ],
)
def test_what_varies_otherwise_is_not_read_by_position(selector: str) -> None:
    assert positional(selector) is None


def test_selectors_that_differ_in_positions_only_share_their_shape() -> None:
    one = positional("tr:nth-child({}) > td:nth-child(1)")
    other = positional("tr:nth-child(7) > td:nth-child({})")
    assert one is not None
    assert other is not None
    assert one.query.key == other.query.key
    assert (one.positions, other.positions) == ((STAND_INS[0], 1), (7, STAND_INS[0]))


# --- tables with headers, nested tables, rows in several bodies; blocks that may lie in each other

texts = st.sampled_from(("", "1", "two words", "\u00a0", " x "))


def row(cell: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(cell, max_size=3).map(lambda cells: f"<tr>{''.join(cells)}</tr>")


def table(cell: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(row(cell), max_size=3).map(lambda rows: f"<tbody><!-- -->{''.join(rows)}</tbody>")
    return st.lists(body, max_size=2).map(lambda bodies: f"<table class='t'>{''.join(bodies)}</table>")


plain_cell = st.builds(
    "<{0} class='{1}'>{2}</{0}>".format, st.sampled_from(("td", "th")), st.sampled_from("kK"), texts
)
holding_cell = st.one_of(plain_cell, table(plain_cell).map("<td class='k'>in{}</td>".format))
pages = st.lists(table(holding_cell), min_size=1, max_size=2).map(
    lambda tables: etree.fromstring(f"<html><body>{''.join(tables)}</body></html>")
)
steps = st.builds(
    "{}{}".format,
    st.sampled_from(("tr", "td", "*", "", "tbody", "td.k", "th")),
    st.sampled_from((":nth-child({})", "")),
).map(lambda step: step or "*")
templates = st.builds(
    lambda first, rest, attribute: first + "".join(rest) + attribute,
    st.sampled_from(("tr:nth-child({})", "td:nth-child({})", "*:nth-child({})", "tbody > tr:nth-child({})")),
    st.lists(st.builds(str.__add__, st.sampled_from((" > ", " ")), steps), max_size=2),
    st.sampled_from(("", "", " attribute: class")),
)


@given(page=pages, template=templates, block=st.sampled_from(("body", ".t", "body > .t", "tr", "td")))
def test_values_by_position_are_those_of_ordinary_queries(page: Element, template: str, block: str) -> None:
    engine = CssEngine()
    blocks = engine.compile_block(block)(page)
    count = template.count("{}")
    read = positional(template)
    assert read is not None
    index = PositionalIndex(read.query, PositionalGroups(blocks))
    for positions in itertools.product((0, 1, 2, 3), repeat=count):
        *outer, inner = positions
        expected = engine.compile_value(template.format(*positions))(blocks)
        assert index.leaf(tuple(outer)).get(inner) == expected, (template, positions)
