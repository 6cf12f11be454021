"""Which selectors a walk over elements can find."""

from __future__ import annotations

import pytest

from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.walks.simple_chain import SimpleChain, SimpleCompound


def test_a_chain_is_read_from_its_end() -> None:
    chain = SimpleChain.of(parse_selector("ul#list > li.New.card b"))
    assert chain is not None
    assert chain.combinators == (" ", ">")
    assert chain.compounds == (
        SimpleCompound("b", "", frozenset()),
        SimpleCompound("li", "", frozenset({"new", "card"})),
        SimpleCompound("ul", "list", frozenset()),
    )


@pytest.mark.parametrize("selector", ["p + p", "> p", "p, b", "p:first-child", "[title]", "p:contains(x)"])
def test_only_tags_ids_and_classes_are_simple(selector: str) -> None:
    assert SimpleChain.of(parse_selector(selector)) is None


def test_a_chain_of_many_compounds_is_not_for_the_walk_in_c() -> None:
    chain = SimpleChain.of(parse_selector(" > ".join(["p"] * 9)))
    assert chain is not None
    assert chain.plan(0, "", "o", is_list=True) is None
