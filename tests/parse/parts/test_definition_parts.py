"""Rows and records are read from a part of the page as from the page."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoopi.errors import ParseError
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.parts.definition_parts import grid_part, record_part
from scoopi.parse.parts.page_part import Anchor, PagePart
from scoopi.parse.records.record_compiler import compile_records
from scoopi.parse.tree.page import Page, TreeLimits
from tests.parse.grid.test_plain_reader import LIMIT, definitions, outcome, page_texts
from tests.parse.record_page import facts_of, page_of, record_def
from tests.parse.records.test_record_walk import FIELDS, elements
from tests.parse.tree.built_bridge import built_bridge

WHOLE = Anchor("i", "t")
FRAME = WHOLE._replace(is_shallow=True)


def nested(tag: str) -> Anchor:
    return Anchor("t", tag, is_nested=True)


B = nested("b")


def data_def(block: str, selector: str | None) -> DataDef:
    return DataDef("x", block, "b", (ItemDef("i", selector=selector),), (), (ItemDef("fact"),))


@pytest.mark.parametrize(
    ("block", "selector", "part"),
    [
        ("#t", "td", [FRAME, B, nested("td")]),
        ("#t", "td:nth-child(%{item.i.index}) attribute: id", [FRAME, B, nested("td")]),
        ("#t", "dt:contains(x) + dd", [FRAME, B, nested("dt")._replace(joins_siblings=True)]),
        ("#t", "td:contains(%{value})", [WHOLE]),
        ("#t", ":contains(x)", [WHOLE]),
        ("#t", "+ dd", [WHOLE._replace(joins_siblings=True)]),
        ("#t:contains(x)", "td", [WHOLE]),
        ("#t", None, [FRAME, B]),
        ("tr:nth-child(%{item.index})", "td", [Anchor("t", "tr", is_shallow=True), B, nested("td")]),
        ("tr:nth-child( %{index} )", "*", [Anchor("t", "tr")]),
        ("#t%{item.index}", "td", None),
        ("tr:nth-child(%%{index})", "td", None),
        ("tr:nth-child(%{value})", "td", None),
        ("body", "td", None),
    ],
)
def test_the_part_is_that_of_the_block_with_what_is_read_inside(
    block: str, selector: str | None, part: list[Anchor] | None
) -> None:
    assert grid_part(data_def(block, selector)) == (None if part is None else PagePart(tuple(part)))


@given(data=st.data(), page=page_texts)
def test_rows_of_the_part_are_those_of_the_page(data: st.DataObject, page: bytes) -> None:
    defined = data.draw(definitions("css").filter(lambda each: grid_part(each) is not None))
    limits = GridSettings(not_found="-", max_rows=LIMIT)
    try:
        reader = GridReader(defined, CssEngine(), limits)
    except ParseError:  # what is wrong for every page is reported before a run
        return
    page += b"<p>siblings<table class=k><tr><td>x</table></p>"
    part, whole = (built_bridge()(page, 100, 10_000, each).getroot() for each in (grid_part(defined), None))
    wanted = outcome(PlainReader(defined, CssEngine(), limits), defined, whole)
    assert outcome(reader, defined, part) == wanted


CARD = Anchor("c", "card")
SHALLOW = CARD._replace(is_shallow=True)


@pytest.mark.parametrize(
    ("fields", "keys", "anchors"),
    [
        ({"a": "h3"}, {"each": ".card"}, [SHALLOW, nested("h3")]),
        (
            {"a": "h3", "b": {"select": "h1", "page": True}},
            {"each": ".card"},
            [SHALLOW, nested("h3"), Anchor("t", "h1")],
        ),
        ({"a": "h3 + p"}, {"each": ".card"}, [SHALLOW, nested("h3")._replace(joins_siblings=True)]),
        ({"a": "+ p"}, {"each": ".card"}, [CARD._replace(joins_siblings=True)]),
        ({"a": {"label": "UPC"}}, {"each": ".card"}, [CARD._replace(joins_siblings=True)]),
        ({"a": ["h1", ".title @title"]}, {}, [Anchor("t", "h1"), Anchor("c", "title")]),
        ({"a": "@data-sku"}, {"each": ".card"}, [SHALLOW]),
        ({"a": {"value": "x"}}, {"each": ".card"}, [SHALLOW]),
        ({"a": "*"}, {"each": ".card"}, [CARD]),
        ({"a": "h3"}, {"each": ".card:has(b)"}, [CARD]),
        ({"a": "h3", "b": "*"}, {"each": ".card > b"}, [CARD]),
    ],
)
def test_the_part_is_that_of_the_selectors(
    fields: dict[str, Any], keys: dict[str, Any], anchors: list[Anchor]
) -> None:
    assert record_part(record_def(fields, **keys)) == PagePart(tuple(anchors))


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({"a": {"label": "UPC"}}, {}),
        ({"a": ".//b"}, {"each": ".card"}),
        ({"a": "h3"}, {"each": "//div"}),
        ({"a": "h3"}, {"each": "*"}),
        ({"a": {"value": "x"}}, {}),
        ({"a": "a.b"}, {"each": "c", "source": "jsonld"}),
    ],
)
def test_a_definition_that_may_look_anywhere_needs_the_page(
    fields: dict[str, Any], keys: dict[str, Any]
) -> None:
    assert record_part(record_def(fields, **keys)) is None


FURTHER = {
    "scoped": "> b",
    "place": "p:nth-of-type(2)",
    "last": "> div > i:last-child",
    "own": "@class",
    "has": {"select": "div:has(b)", "html": "outer"},
    "texts": {"select": "p:contains(one)", "list": True},
    "beside": "b + p",
    "header": {"select": ".b", "page": True},
}
EACH = [
    "div",
    ".a",
    "b.a > i",
    "div:nth-child(2) > p",
    "#x, .b:first-child",
    ".a > p:not(.b)",
    "p:empty",
    None,
]


@given(st.lists(elements(), max_size=4).map("".join), FIELDS, st.sampled_from(EACH), st.data())
def test_records_of_the_part_are_those_of_the_page(
    page: str, fields: dict[str, object], each: str | None, data: st.DataObject
) -> None:
    further = {name: FURTHER[name] for name in data.draw(st.sets(st.sampled_from(sorted(FURTHER))))}
    definition = record_def(fields | further, **({} if each is None else {"each": each}))
    labelled = {"label": {"label": "one"}, "beside": "b + p"}
    for defined in (definition, replace(definition, fields=record_def(labelled).fields)):
        document = page_of(page).document
        reader, plain = (compile_records(defined, 1000, {}, plain=each) for each in (False, True))
        whole, part = (Page(document, TreeLimits(), each) for each in (None, record_part(defined)))
        assert reader.read(part, facts_of()) == plain.read(whole, facts_of())
