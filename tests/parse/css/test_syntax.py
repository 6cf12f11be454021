"""The tree of a selector: what may be slow, and what looks beyond the element itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.syntax import (
    Selectors,
    Tag,
    is_chained,
    joins_siblings,
    lists_see_root,
    matches_text,
    may_be_slow,
    needs_root,
    tag_of,
)


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (needs_root, ["p:not(a b)", "p:is(a > b)", "p:has(b:not(a b))"], ["p:not(a)", "p:has(a b)", "a b"]),
        (joins_siblings, ["a + b", "a ~ b"], ["a b", "a > b", "a:not(b + c)"]),
        (matches_text, ["p:matchText", "p:not(b:matchText)"], ["p", "p:contains(matchText)"]),
        (lists_see_root, ["p:root", "p:lt(3)", "p:not(b:root)"], ["p", "p:gt(3)", "p:has(b:root)"]),
        (
            may_be_slow,
            ["a, b", "a b", "a + b", "p:eq(1)", "p:nth-of-type(2)", "p:has(b)", "p:not(b:nth-child(2))"],
            ["a", "a > b", "p.c[d=e]", "p:nth-child(2)", "p:not(b)", "p:contains(x)"],
        ),
    ],
)
def test_a_property_of_a_selector_follows_from_its_parts(
    question: Callable[[Selectors], bool], yes: list[str], no: list[str]
) -> None:
    assert [text for text in yes + no if question(parse_selector(text))] == yes


def test_a_chain_is_more_than_one_compound() -> None:
    assert [is_chained(parse_selector(text)[0]) for text in ("a", "a.b#c", "a b", "a > b")] == [
        False,
        False,
        True,
        True,
    ]


def test_the_tag_of_a_compound_is_in_lower_case_and_none_for_any() -> None:
    tags = [tag_of(parse_selector(text)[0].compounds[0]) for text in ("DIV.c", ".c", "*")]
    assert tags == [Tag("div"), None, None]
