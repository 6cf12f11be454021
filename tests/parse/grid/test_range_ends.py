"""A range that ends although later indexes have values is a warning, whichever evaluator reads the page."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.failure import Failure
from scoopi.model.place import Place
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.xpath.xpath_engine import XPathEngine

TITLE = ItemDef(
    "title",
    selector="div:nth-child(%{index}) > h2",
    last=None,
    selector_place=Place("cards.yml", 9, 56),
)


def page(*titles: str) -> str:
    """Cards with these titles; an empty one is an advert."""
    cards = "".join(f"<div><h2>{title}</h2></div>" if title else "<div>Buy!</div>" for title in titles)
    return f"<html><body><p id='list'>{cards}</p></body></html>"


@pytest.fixture(params=[GridReader, PlainReader])
def reader_class(request: pytest.FixtureRequest) -> Any:
    """Either evaluator."""
    return request.param


def read(reader_class: Any, text: str, item: ItemDef, *dims: ItemDef, engine: Any = None) -> Any:
    """The values of the first axis, and the warnings."""
    block = "//p" if engine else "#list"
    data_def = DataDef("cards", block, None, (item,), dims, (ItemDef("fact"),))
    warnings: list[Failure] = []
    reader = reader_class(data_def, engine or CssEngine(), GridSettings())
    data = reader.read(etree.fromstring(text), lambda script, row: None, warnings.append)
    return [row.values[0] for row in data.items], warnings


def test_an_advert_between_cards_is_a_warning_with_count_and_place(reader_class: Any) -> None:
    rows, (warning,) = read(reader_class, page("a", "b", "", "d", "", "", "g"), TITLE)
    assert rows == ["a", "b"]
    assert warning.cause == (
        "dataDef 'cards': the range of item 'title' ends at a missing value although later indexes have one"
    )
    assert (
        "ends at index 3, which has no value, but 2 later indexes have one, from index 4 on"
        in warning.message
    )
    assert warning.at == "cards.yml:9:56"


@pytest.mark.parametrize(
    "selector",
    ["div:eq(%{index}) > h2", "div:nth-child(%{index}) h2", "div:nth-child(%{index}):has(h2) > h2"],
)
def test_selectors_of_every_form_are_looked_ahead(reader_class: Any, selector: str) -> None:
    item = ItemDef("title", selector=selector, first=1, last=None)
    assert len(read(reader_class, page("a", "b", "c", "", "e"), item)[1]) == 1


def test_an_xpath_is_looked_ahead(reader_class: Any) -> None:
    item = ItemDef("title", selector="(.//div)[%{index}]/h2", last=None)
    rows, warnings = read(reader_class, page("a", "", "c"), item, engine=XPathEngine())
    assert (rows, len(warnings)) == (["a"], 1)


@pytest.mark.parametrize("titles", [("a", "b"), (), ("a", "", "", "", "", "f"), ("a", "")])
def test_a_range_that_ends_with_its_page_is_no_warning(reader_class: Any, titles: tuple[str, ...]) -> None:
    assert read(reader_class, page(*titles), TITLE)[1] == []


def test_a_stop_value_ends_a_range_without_a_warning(reader_class: Any) -> None:
    item = ItemDef("title", selector=TITLE.selector, last=None, break_after=("b",))
    assert read(reader_class, page("a", "b", "", "d"), item) == (["a", "b"], [])


def test_a_closed_range_has_no_later_indexes(reader_class: Any) -> None:
    item = ItemDef("title", selector=TITLE.selector, first=1, last=3, break_after=("x",))
    _, warnings = read(reader_class, page("a", "b", "", "d"), item)
    assert [warning.cause for warning in warnings] == [
        "dataDef 'cards': breakAfter of item 'title' was never met: 'x'"
    ]


def test_each_turn_of_a_dim_counts_and_the_first_is_shown(reader_class: Any) -> None:
    dim = ItemDef("word", selector="div:nth-child(%{item.index}) > i:nth-child(%{index})", last=None)
    cells = "<div><i>1</i><b/><i>3</i></div><div><i>1</i><i>2</i><b/><i>4</i><i>5</i></div>"
    text = f"<html><body><p id='list'>{cells}</p></body></html>"
    item = ItemDef("row", selector="div:nth-child(%{index}) > i:nth-child(1)", first=1, last=2)
    rows, (warning,) = read(reader_class, text, item, dim)
    assert len(rows) == 3
    assert "dim 'word' ends at index 2, which has no value, but 3 later indexes have one" in warning.message


def test_a_script_is_not_run_for_a_look_ahead(reader_class: Any) -> None:
    item = ItemDef("title", script="next()", selector=TITLE.selector, last=None)
    assert read(reader_class, page("a", "", "c"), item) == (["a"], [])
