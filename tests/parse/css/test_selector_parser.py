"""A selector is parsed into chains of compounds, or refused at its place."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.syntax import (
    AttributeTest,
    ClassName,
    Id,
    NestedTest,
    SelectorChain,
    Tag,
    TagSuffix,
    Test,
    TextTest,
)


def test_a_chain_has_a_combinator_between_each_two_compounds() -> None:
    (chain,) = parse_selector("UL#List>li.New.card  b")
    assert chain.compounds == (
        (Tag("ul"), Id("List")),
        (Tag("li"), ClassName("new"), ClassName("card")),
        (Tag("b"),),
    )
    assert chain.combinators == (">", " ")
    assert not chain.scoped


def test_commas_separate_chains() -> None:
    assert parse_selector("p , b") == (SelectorChain(((Tag("p"),),)), SelectorChain(((Tag("b"),),)))


def test_a_chain_that_begins_with_a_combinator_starts_at_the_element() -> None:
    (chain,) = parse_selector("> p + b")
    assert (chain.scoped, chain.combinators) == (True, (">", "+"))


@pytest.mark.parametrize(
    ("selector", "test"),
    [
        ("[Title]", AttributeTest("title")),
        ("[^Data-]", AttributeTest("data-", "^")),
        ("[title='A b ']", AttributeTest("title", "=", "a b")),
        ("[title^='A b ']", AttributeTest("title", "^=", "a b ")),
        ("[title!=x]", AttributeTest("title", "!=", "x")),
        ("[title~=^\\d+]", AttributeTest("title", "~=", "^\\d+")),
        ("[abs:href*=X]", AttributeTest("abs:href", "*=", "x")),
        ("svg|a", Tag("svg:a")),
        ("*|svg", TagSuffix("svg")),
        (":contains(Foo)", TextTest("contains", "foo")),
        (":has(> b)", NestedTest("has", parse_selector("> b"))),
    ],
)
def test_every_kind_of_test_is_parsed(selector: str, test: Test) -> None:
    assert parse_selector(selector) == (SelectorChain(((test,),)),)


@pytest.mark.parametrize(
    ("selector", "fault"),
    [
        ("", "a selector is missing before the end, at character 1"),
        ("p >", "a selector is missing before the end, at character 4"),
        ("p..x", "the name of the class is missing after '.', at character 3"),
        ("[=x]", "the name of the attribute is missing, at character 1"),
        ("[x=]", "the value is missing"),
        ("p ! b", "'!' has no meaning here"),
    ],
)
def test_a_wrong_selector_is_refused_at_its_place_with_a_hint(selector: str, fault: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse_selector(selector)
    assert fault in str(refused.value)
    assert refused.value.hint
