"""Simple selectors of a block are found in one walk, as ordinary queries find them."""

from __future__ import annotations

from lxml import etree

from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.block_walk import BlockWalk
from scoopi.parse.xpath.xpath_engine import XPathEngine

CARD = etree.fromstring(
    "<li><h3><a title='One'>O</a></h3><p class='price Sale'>5 <b>EUR</b></p><p class='price'>4</p>"
    "<pre class='code'> x  y </pre></li>"
)


def test_values_are_those_of_queries_where_the_walk_decides() -> None:
    engine = CssEngine()
    selectors = ["h3 > a attribute: title", ".price", "p.sale b", ".none", "a attribute: href"]
    walk = BlockWalk(selectors, engine)
    assert walk.is_worthwhile
    found = walk.values(CARD)
    assert found == {
        "h3 > a attribute: title": "One",
        ".price": "5 4",
        "p.sale b": "EUR",
        ".none": None,
    }, "an element without the attribute has a blank value, which a query gives"
    assert all(value == engine.compile_value(selector)([CARD]) for selector, value in found.items())


def test_a_text_whose_white_space_may_count_is_left_to_queries() -> None:
    assert BlockWalk([".code", ".price"], CssEngine()).values(CARD) == {}


def test_a_walk_is_for_several_simple_selectors() -> None:
    assert not BlockWalk([".price", "p:nth-child(2)", ".price"], CssEngine()).is_worthwhile
    assert not BlockWalk(["p", "h3"], XPathEngine()).is_worthwhile
