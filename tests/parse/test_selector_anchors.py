"""A selector finds in its part of a page what it finds in the page."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.parts.page_part import Anchor, PagePart
from scoopi.parse.parts.selector_anchors import part_of
from tests.parse.test_compiled_selector import QUICK, Page, built, combinators, pages, selectors
from tests.parse.tree.built_bridge import built_bridge


@pytest.mark.parametrize(
    ("selector", "anchors"),
    [
        ("#prices > tr:nth-child(2)", [Anchor("i", "prices")]),
        ("table.Prices#t td", [Anchor("i", "t")]),
        ("table.Prices td", [Anchor("c", "prices")]),
        ("table[data-sku] td", [Anchor("a", "data-sku")]),
        ("table:nth-child(2) td", [Anchor("t", "table")]),
        ("h2:contains(Prices) + table", [Anchor("t", "h2", joins_siblings=True)]),
        ("h2 > b ~ i", [Anchor("t", "h2")]),
        ("h2:has(+ table)", [Anchor("t", "h2", joins_siblings=True)]),
        ("h2:not(:has(~ p))", [Anchor("t", "h2", joins_siblings=True)]),
        ("h2:not(.a)", [Anchor("t", "h2")]),
        ("body > table td", [Anchor("t", "table")]),
        ("html > body div.main > #t + p", [Anchor("i", "t", joins_siblings=True)]),
        (".main .prices td", [Anchor("c", "main")]),
        ("div > .prices:nth-child(2) > #t", [Anchor("c", "prices")]),
        ("body > p ~ #t", [Anchor("t", "p", joins_siblings=True)]),
        ("* > b", [Anchor("t", "b")]),
        ("h1, .price", [Anchor("t", "h1"), Anchor("c", "price")]),
    ],
)
def test_a_part_begins_at_what_fewest_elements_have(selector: str, anchors: list[Anchor]) -> None:
    assert part_of(selector) == PagePart(tuple(anchors))


@pytest.mark.parametrize(
    "selector",
    [
        *(
            "",
            "*",
            "html",
            "> table",
            ", p",
            ":root",
            "td:lt(2)",
            "p:not(a b)",
            "p:is(a > b)",
        ),
        *(
            "[title!=x]",
            "[^data]",
            "[abs:href]",
            ":contains(x) > p",
            "h1, :empty",
            "p:matchText",
            "#é",
            "td[",
        ),
        *("tr:nth-child(%{item.index}) > td", "svg|a"),
    ],
)
def test_a_selector_that_may_begin_or_look_anywhere_needs_the_page(selector: str) -> None:
    assert part_of(selector) is None


def test_what_the_block_is_read_with_may_need_its_siblings() -> None:
    assert part_of("#t", joins_siblings=True) == PagePart((Anchor("i", "t", joins_siblings=True),))


begins = st.sampled_from(
    (".k", "#i", "[title]", "p", "b.m", ".K:has(+ b)", "div:contains(foo)", "td:eq(1)", "body", "html > body")
)


@settings(QUICK, suppress_health_check=list(HealthCheck), max_examples=300)
@given(body=pages, selector=st.builds("{}{}{}".format, begins, combinators, selectors))
def test_a_selector_finds_in_its_part_what_it_finds_in_the_page(body: Page, selector: str) -> None:
    part = part_of(selector)
    assume(part is not None)
    page = b"<p class=m>" + etree.tostring(built(body)) + b"<a id=i>x</a>"

    def found(in_part: PagePart | None) -> list[bytes]:
        root = built_bridge()(page, 100, 10_000, in_part).getroot()
        elements = CompiledSelector(parse_selector(selector), Within.PAGE, 1000).select(root)
        return [etree.tostring(element, with_tail=False) for element in elements]

    assert found(part) == found(None)
