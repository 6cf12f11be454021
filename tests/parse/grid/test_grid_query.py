"""GridQuery: the error of a selector has it as written, as used, and its place."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.place import Place
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.query_ports import QueryEngine
from scoopi.parse.xpath.xpath_engine import XPathEngine

AT = Place("towns.yml", 7, 21)


def failure(engine: QueryEngine, selector: str, town: str, block: str = "body") -> ParseError:
    """What is raised when this town's name is put into the selector of the fact."""
    data_def = DataDef(
        "towns",
        block,
        selector,
        items=(ItemDef("town", selector="h1" if block == "body" else ".//h1"),),
        dims=(),
        facts=(ItemDef("fact"),),
        selector_place=AT,
    )
    root = etree.fromstring(f"<html><body><h1>{town}</h1></body></html>")
    with pytest.raises(ParseError) as caught:
        GridReader(data_def, engine, GridSettings()).read(root, None, lambda _: None)
    return caught.value


def test_the_selector_is_reported_as_written_and_as_used() -> None:
    error = failure(XPathEngine(), "//td%{item.value}[1", "2", "//body")
    assert error.what.startswith("the XPath '//td%{item.value}[1' (here '//td2[1') is wrong: ")
    assert error.at == "towns.yml:7:21"
    assert error.hint


@pytest.mark.parametrize("engine", [CssEngine(), XPathEngine()])
def test_pages_that_fail_on_one_selector_have_one_cause(engine: QueryEngine) -> None:
    is_css = isinstance(engine, CssEngine)
    written = "td:nth-child(%{item.value})" if is_css else "//td%{item.value}"
    towns = ("Ash", "Birchwood") if is_css else ("Land's End", "King's Lynn")
    errors = [failure(engine, written, town, "body" if is_css else "//body") for town in towns]
    assert len({error.what for error in errors}) == 2
    assert len({error.cause for error in errors}) == 1
    assert written in errors[0].cause
