"""A selector finds in its part of a page what it finds in the page."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.parts.page_part import Anchor, PagePart, joined
from scoopi.parse.parts.selector_anchors import nested_part_of, part_of, shallow_part_of
from tests.parse.css.test_compiled_selector import QUICK, Page, built, combinators, pages, selectors
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


def inner(*names: str) -> list[Anchor]:
    return [
        Anchor("c" if name[0] == "." else "t", name.strip("."), is_shallow=True, is_nested=True)
        for name in names
    ]


@pytest.mark.parametrize(
    ("selector", "first", "nested"),
    [
        (".card", Anchor("c", "card"), []),
        ("ol.row > li > article", Anchor("c", "row"), inner("article")),
        ("ol > li:nth-child(2) > article", Anchor("t", "ol"), inner("li", "article")),
        ("li:nth-child(2) > article:first-child", Anchor("t", "li"), inner("article")),
        (".list > p:nth-child(2) i > b.k:not(.x):eq(1)", Anchor("c", "list"), inner("p", ".k")),
        ("#a .b", Anchor("i", "a"), inner(".b")),
        (".b #a", Anchor("i", "a"), []),
        ("p:not(:first-child)", Anchor("t", "p"), []),
    ],
)
def test_without_contents_all_that_positions_depend_on_is_there(
    selector: str, first: Anchor, nested: list[Anchor]
) -> None:
    assert shallow_part_of(selector) == PagePart((first._replace(is_shallow=True), *nested))


@pytest.mark.parametrize(
    "selector",
    [
        *("", "*", "body", ".list > *", ".list > :nth-child(2) > b", "> p", "td[", "p:lt(2)"),
        *("p:contains(x)", ".list > p:empty", "p:has(b)", "p:not(:has(b))", "p:is(.a:contains(b))"),
        *("h2 + p", ".list p ~ .card", "p, *", "p, b:contains(x)", "p:nth-child(%{index})", "p:matchText"),
    ],
)
def test_matches_that_depend_on_contents_or_have_no_mark_need_them(selector: str) -> None:
    assert shallow_part_of(selector) is None


@pytest.mark.parametrize(
    ("selector", "anchors"),
    [
        ("h3 > a", [Anchor("t", "h3")]),
        ("> h3 > a.k", [Anchor("c", "k")]),
        ("> h3, > .price", [Anchor("t", "h3"), Anchor("c", "price")]),
        ("dt:contains(x) + dd", [Anchor("t", "dt", joins_siblings=True)]),
    ],
)
def test_inside_a_block_a_chain_may_begin_at_the_block(selector: str, anchors: list[Anchor]) -> None:
    assert nested_part_of(selector) == PagePart(tuple(each._replace(is_nested=True) for each in anchors))


@pytest.mark.parametrize(
    "selector", ["", "*", "> *", "+ p", "~ p", ", p", "p:lt(1)", "> p:not(a b)", ":root"]
)
def test_a_selector_that_may_look_anywhere_in_a_block_needs_it(selector: str) -> None:
    assert nested_part_of(selector) is None


def test_what_the_block_is_read_with_may_need_its_siblings() -> None:
    assert part_of("#t", joins_siblings=True) == PagePart((Anchor("i", "t", joins_siblings=True),))


begins = st.sampled_from(
    (".k", "#i", "[title]", "p", "b.m", ".K:has(+ b)", "div:contains(foo)", "td:eq(1)", "body", "html > body")
)


@st.composite
def parted(draw: st.DrawFn) -> tuple[str, PagePart]:
    """A selector with its part, drawn before the page: most have none, and pages take long to draw."""
    selector = draw(begins) + draw(combinators) + draw(selectors)
    part = part_of(selector)
    assume(part is not None)
    assert part
    return selector, part


@settings(QUICK, suppress_health_check=list(HealthCheck))
@given(of_page=parted(), body=pages)
def test_a_selector_finds_in_its_part_what_it_finds_in_the_page(
    of_page: tuple[str, PagePart], body: Page
) -> None:
    selector, part = of_page
    page = b"<p class=m>" + etree.tostring(built(body)) + b"<a id=i>x</a>"

    def found(in_part: PagePart | None) -> list[bytes]:
        root = built_bridge()(page, 100, 10_000, in_part).getroot()
        elements = CompiledSelector(parse_selector(selector), Within.PAGE, 1000).select(root)
        return [etree.tostring(element, with_tail=False) for element in elements]

    assert found(part) == found(None)


blocks = st.builds(
    "{}{}".format,
    st.sampled_from(("", "", ".k ", "p > ", "#i, ", "b.m:nth-child(2) > ", "div:first-child ")),
    st.sampled_from(("p", ".m", "div:nth-child(2)", "b:not(.k)", "[title]", "a:nth-last-of-type(1)")),
)


@st.composite
def parted_blocks(draw: st.DrawFn) -> tuple[str, str, PagePart]:
    """Selectors of a block and of what is in it, with their part."""
    block, selector = draw(blocks), draw(st.sampled_from(("", "> "))) + draw(selectors)
    part = joined((shallow_part_of(block), nested_part_of(selector)))
    assume(part is not None)
    assert part
    return block, selector, part


@settings(QUICK, suppress_health_check=list(HealthCheck))
@given(of_blocks=parted_blocks(), body=pages)
def test_a_selector_finds_in_blocks_of_a_part_what_it_finds_in_those_of_the_page(
    of_blocks: tuple[str, str, PagePart], body: Page
) -> None:
    block, selector, part = of_blocks
    page = b"<p class=m>" + etree.tostring(built(body)) + b"<a id=i>x</a>"

    def found(in_part: PagePart | None) -> list[list[bytes]]:
        root = built_bridge()(page, 100, 10_000, in_part).getroot()
        find = CompiledSelector(parse_selector(selector), Within.BLOCK, 1000).select
        elements = CompiledSelector(parse_selector(block), Within.PAGE, 1000).select(root)
        return [[etree.tostring(each, with_tail=False) for each in find(element)] for element in elements]

    assert found(part) == found(None)
