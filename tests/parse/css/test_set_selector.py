"""Selectors are evaluated by sets: what a part finds is joined with what the next part finds."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.set_selector import ChainQuery, FindElements, holders_of, selected
from scoopi.parse.css.syntax import tag_of
from scoopi.parse.element import Element

ROOT = etree.fromstring(
    "<r id='r'><a id='a1'><b id='b1'/><c id='c1'/><b id='b2'><c id='c2'/></b></a><b id='b3'/><c id='c3'/></r>"
)


def query(tag: str) -> FindElements:
    return lambda root: list(root.iter(tag))


def chains(selector: str) -> list[ChainQuery]:
    """The parts of a selector of tags, each found by a walk."""
    made = []
    for chain in parse_selector(selector):
        tags = [tag.name for tag in map(tag_of, chain.compounds) if tag]
        combinators = chain.combinators[1:] if chain.scoped else chain.combinators
        links = [(each, query(tag)) for each, tag in zip(combinators, tags[1:], strict=True)]
        made.append(ChainQuery(chain, [query(tags[0])], links))
    return made


def ids(elements: list[Element] | set[Element]) -> str:
    return " ".join(sorted(str(element.get("id")) for element in elements))


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("a c", "c1 c2"),
        ("a > c", "c1"),
        ("b + c", "c1 c3"),
        ("b ~ c", "c1 c3"),
        ("a ~ c", "c3"),
        ("a + c", ""),
        ("a b c", "c2"),
        ("x c", ""),
        ("a > c, b > c", "c1 c2"),
    ],
)
def test_each_combinator_joins_the_sets(selector: str, found: str) -> None:
    assert ids(selected(chains(selector), ROOT)) == found


def test_elements_of_several_chains_are_in_document_order_each_once() -> None:
    found = selected(chains("a c, b, a b"), ROOT)
    assert [element.get("id") for element in found] == ["b1", "c1", "b2", "c2", "b3"]


@pytest.mark.parametrize(
    ("selector", "holders"),
    [
        ("> c", "a1 b2 r"),
        ("c", "a1 b2 r"),
        ("b c", "a1 b2 r"),
        ("> b > c", "a1"),
        ("a > c", "a1 r"),
        ("b + c", "a1 r"),
        ("x", ""),
    ],
)
def test_holders_are_the_elements_in_which_a_chain_finds_something(selector: str, holders: str) -> None:
    assert ids(holders_of(chains(selector), ROOT)) == holders
