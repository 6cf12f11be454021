"""Simple selectors and those around labels are found in one walk, as ordinary queries find them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.query_ports import QueryEngine
from scoopi.parse.tree.page import parse_html
from scoopi.parse.walks.block_walk import BlockWalk
from scoopi.parse.xpath.xpath_engine import XPathEngine

CARD = etree.fromstring(
    "<li><h3><a title='One'>O</a></h3><p class='price Sale'>5 <b>EUR</b></p><p class='price'>4</p>"
    "<pre class='code'> x  y </pre></li>"
)


def values_of(walk: BlockWalk, element: Element) -> dict[str, str | None]:
    """The values that the walk finds, by selector."""
    known: dict[tuple[str, ...], str | None] = {}
    walk.read("li", element, known)
    assert all(block == "li" for block, _ in known)
    return {selector: value for (_, selector), value in known.items()}


def test_values_are_those_of_queries_where_the_walk_decides() -> None:
    engine = CssEngine()
    selectors = ["h3 > a attribute: title", ".price", "p.sale b", ".none", "a attribute: href"]
    walk = BlockWalk(selectors, engine)
    assert walk.is_worthwhile
    found = values_of(walk, CARD)
    assert found == {
        "h3 > a attribute: title": "One",
        ".price": "5 4",
        "p.sale b": "EUR",
        ".none": None,
    }, "an element without the attribute has a blank value, which a query gives"
    assert all(value == engine.compile_value(selector)([CARD]) for selector, value in found.items())


def test_a_text_whose_white_space_may_count_is_left_to_queries() -> None:
    assert values_of(BlockWalk([".code", ".price"], CssEngine()), CARD) == {}


def test_a_walk_is_for_several_simple_selectors() -> None:
    assert not BlockWalk([".price", "p:nth-child(2)", ".price"], CssEngine()).is_worthwhile
    assert not BlockWalk(["p[2]", "h3"], XPathEngine()).is_worthwhile
    assert BlockWalk(["p", "h3"], XPathEngine()).is_worthwhile


texts = st.sampled_from(
    (
        "",
        "Price",
        "price net",
        " Price\n net ",
        "\u00a0Price",
        "İPrice",
        "PRICE",
        "KEY",
        "<!-- -->Price",
        "net<br>Price",
    )
)
leaves = st.builds(
    "<{0} class='{1}' title='t{1}'>{2}</{0}>".format,
    st.sampled_from(("dt", "dd", "b", "pre", "script")),
    st.sampled_from(("k", "K x", "x")),
    texts,
)
nodes = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda tag, text, below, tail: f"<{tag}>{text}{''.join(below)}</{tag}>{tail}",
        st.sampled_from(("dt", "div", "dd", "section")),
        texts,
        st.lists(inner, max_size=4),
        texts,
    ),
    max_leaves=14,
)
pages = st.lists(nodes, min_size=1, max_size=4).map(
    lambda parts: parse_html("".join(parts).encode()).getroot()
)
css_selectors = st.builds(
    "{}:{}({}){}".format,
    st.sampled_from(("dt", "*", "div", ".k", "dd.x", "div > dt", "div dt", "section .k", "body *")),
    st.sampled_from(("matchesOwn", "containsOwn", "matches", "contains")),
    st.sampled_from(("Price", "^Price", "net", "price net", "key", "İp")),
    st.sampled_from(
        ("", " + dd", " ~ dd", " + .k", " ~ dt + dd", " ~ dd ~ dd", " + dd ~ dt", " ~ * attribute: title")
    ),
)
xpath_selectors = st.builds(
    "{}[{}]{}".format,
    st.sampled_from(("dt", ".//dt", "./div/dt", ".//DIV//dd", "div//b", ".//pre")),
    st.sampled_from(
        (
            ".='Price'",
            'text()="Price"',
            "string(.)='Price'",
            "normalize-space()='Price net'",
            "contains(., 'Price')",
            "contains(text(),'Price')",
            "starts-with(normalize-space(.),'Price')",
            "starts-with(.,'Price')",
        )
    ),
    st.sampled_from(
        (
            "",
            "/following-sibling::dd[1]",
            "/following-sibling::dd",
            "/following-sibling::*[1]/@title",
            "/following-sibling::dt[1]/following-sibling::DD[1]",
            "/following-sibling::*/following-sibling::dd[1]",
            "/@class",
        )
    ),
)
plain = {
    "css": st.sampled_from(("dd", ".k attribute: title")),
    "xpath": st.sampled_from(("dt", ".//dd/@Title")),
}


@pytest.mark.parametrize(
    ("engine", "block", "selectors"),
    [
        (CssEngine, "body", st.one_of(css_selectors, css_selectors, plain["css"])),
        (CssEngine, "div", st.one_of(css_selectors, css_selectors, plain["css"])),
        (XPathEngine, "//body", st.one_of(xpath_selectors, xpath_selectors, plain["xpath"])),
        (XPathEngine, "//div", st.one_of(xpath_selectors, xpath_selectors, plain["xpath"])),
    ],
)
@given(data=st.data(), page=pages)
def test_values_of_any_selectors_are_those_of_ordinary_queries(
    engine: Callable[[], QueryEngine],
    block: str,
    selectors: st.SearchStrategy[str],
    data: st.DataObject,
    page: Element,
) -> None:
    queries = engine()
    several = data.draw(st.lists(selectors, min_size=2, max_size=5, unique=True))
    walk = BlockWalk(several, queries)
    assert walk.is_worthwhile, several
    for one in queries.compile_block(block)(page):
        for selector, value in values_of(walk, one).items():
            assert value == queries.compile_value(selector)([one]), (selector, etree.tostring(page))


def test_labels_of_an_ordinary_page_are_all_found_by_the_walk() -> None:
    page = parse_html(b"<dl><dt>Price <dd>5<dt>Stock (<b>net</b>)<dd><i>12</i> pcs</dl>").getroot()
    css = ["dt:contains(price) + dd", "dt:matchesOwn(^Stock) ~ dd", "dt:contains(stock (net)) + dd"]
    xpath = [
        ".//dt[contains(.,'net')]/following-sibling::dd[1]",
        "body/dl/dt[.='Price ']/following-sibling::dd[1]",
    ]
    assert values_of(BlockWalk(css, CssEngine()), page) == dict(zip(css, ("5", "pcs", "pcs"), strict=True))
    assert values_of(BlockWalk(xpath, XPathEngine()), page) == dict(zip(xpath, ("12 pcs", "5"), strict=True))


def test_a_value_that_several_labels_share_is_left_to_queries() -> None:
    page = parse_html(b"<dl><dt>Price<dt>Price<dd>5<dd>6</dl>").getroot()
    selectors = ["dt:contains(Price) ~ dd", "dd"]
    assert values_of(BlockWalk(selectors, CssEngine()), page) == {"dd": "5 6"}


def test_a_deep_page_full_of_text_is_left_to_queries() -> None:
    """The walk would make the text of each element from all elements inside it."""
    page = parse_html(b"<div>" * 300 + b"word " * 1000 + b"</div>" * 300).getroot()
    selectors = ["div:contains(Price) + dd", "p"]
    assert values_of(BlockWalk(selectors, CssEngine()), page) == {"p": None}


def test_values_of_several_blocks_stand_beside_each_other() -> None:
    walk = BlockWalk(["b", "i"], CssEngine())
    known: dict[tuple[str, ...], str | None] = {}
    for block, text in (("p", "<p><b>1</b><i>2</i></p>"), ("q", "<q><b>3</b></q>"), ("p", "<p><b>4</b></p>")):
        walk.read(block, etree.fromstring(text), known)
    assert known == {("p", "b"): "4", ("p", "i"): None, ("q", "b"): "3", ("q", "i"): None}
