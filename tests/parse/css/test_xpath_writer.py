"""A selector is written as one XPath for where it is looked for: page, block, or below an element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from lxml import etree

from scoopi.parse.css import syntax
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import NAMESPACE, Select, Within, XPathWriter
from scoopi.parse.element import Element

ROOT = etree.fromstring(
    "<div id='r'><div id='d1' class='Box'><p id='p1'/><b id='b1'/><p id='p2'>x</p></div>"
    "<p id='p3' title='T'/></div>"
)
BLOCK = ROOT[0]


class NoneInside:
    """No selector of these tests needs an evaluation of its own."""

    def select(self, selectors: syntax.Selectors, scope: Within, /) -> Select:
        raise AssertionError(selectors)

    def holders(self, selectors: syntax.Selectors, /) -> Select:
        raise AssertionError(selectors)


def ids_of(found: Any) -> str:
    elements: Iterable[Element] = found
    return " ".join(str(element.get("id")) for element in elements)


def ids(scope: Within, selector: str, context: Element) -> str:
    writer = XPathWriter(scope, NoneInside(), 1000)
    expression = writer.write(parse_selector(selector))
    return ids_of(context.xpath(expression, namespaces={NAMESPACE: NAMESPACE}, extensions=writer.extensions))


@pytest.mark.parametrize(
    ("scope", "selector", "found"),
    [
        (Within.BLOCK, "div", "d1"),
        (Within.BLOCK, "> p", "p1 p2"),
        (Within.BLOCK, "div > p", "p1 p2"),
        (Within.BLOCK, "p", "p1 p2"),
        (Within.BLOCK, ":root", "d1"),
        (Within.BLOCK, "p:first-child", "p1"),
        (Within.BLOCK, "p:nth-of-type(2)", "p2"),
        (Within.BLOCK, ":eq(2)", "p2"),
        (Within.BLOCK, "p:empty", "p1"),
        (Within.BLOCK, "p + b", "b1"),
        (Within.BLOCK, "p ~ p", "p2"),
        (Within.BLOCK, "p:contains(X)", "p2"),
        (Within.BLOCK, "div:has(> b)", "d1"),
        (Within.BLOCK, "p:not(:empty)", "p2"),
        (Within.BLOCK, ".box", "d1"),
        (Within.BELOW, "p", "p1"),
        (Within.BELOW, "div", ""),
        (Within.BELOW, "> b", "b1"),
    ],
)
def test_a_block_is_itself_a_candidate_and_an_element_below_which_is_searched_is_not(
    scope: Within, selector: str, found: str
) -> None:
    assert ids(scope, selector, BLOCK) == found


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("div", "r d1"),
        (":root", "r"),
        ("p[title]", "p3"),
        ("div > p", "p1 p2 p3"),
        ("> p", ""),
        ("> div", "r"),
    ],
)
def test_in_a_page_the_root_is_found_like_any_other(selector: str, found: str) -> None:
    writer = XPathWriter(Within.PAGE, NoneInside(), 1000)
    expression = writer.write(parse_selector(selector))
    nodes = etree.XPath(expression, namespaces={NAMESPACE: NAMESPACE}, extensions=writer.extensions)(
        ROOT.getroottree()
    )
    assert ids_of(nodes) == found


def test_a_chain_is_cut_at_its_combinators() -> None:
    writer = XPathWriter(Within.BLOCK, NoneInside(), 1000)
    (chain,) = parse_selector("div > p + b")
    parts = writer.parts(chain)
    assert [combinator for combinator, _ in parts.links] == [">", "+"]
    assert ids_of(BLOCK.xpath(parts.links[0][1])) == "p1 p2"
    assert ids_of(BLOCK.xpath(" | ".join(parts.heads))) == "d1"


def test_onward_leads_from_the_first_compound_to_the_last() -> None:
    writer = XPathWriter(Within.BLOCK, NoneInside(), 1000)
    (chain,) = parse_selector("div p + b")
    assert ids_of(BLOCK.xpath(writer.onward(chain))) == "b1"
