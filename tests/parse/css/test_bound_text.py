"""BoundText: values of a page are letters to the parser of selectors, and mean themselves in patterns."""

from __future__ import annotations

import re

import pytest

from scoopi.errors import ParseError
from scoopi.model.text.page_text import marked
from scoopi.parse.css.bound_text import BoundText, bound, bound_pattern


def test_values_are_replaced_by_letters_that_the_selector_does_not_have() -> None:
    text, values = BoundText.of(f"td:contains(\ua000 {marked('a)b')}) > {marked('p')}")
    assert len(values) == 2
    assert "\ua000" not in values
    assert bound(text, values) == "td:contains(\ua000 a)b) > p"
    assert BoundText.of("td > p") == BoundText("td > p", {})


def test_a_selector_of_very_many_values_is_refused() -> None:
    with pytest.raises(ParseError, match="a selector holds 2000 values"):
        BoundText.of("".join(marked("x") for _ in range(2000)))


@pytest.mark.parametrize("value", ["1.5", "a|b", r"\E", "[x]", "a b", "^$"])
def test_a_value_in_a_pattern_matches_itself_only(value: str) -> None:
    plain = bound_pattern("^\ua000$", {"\ua000": value})
    assert re.fullmatch(plain, value)
    assert not re.fullmatch(plain, "x" + value)
    assert bound_pattern("a.b", {}) == "a.b"
