"""TextPattern: a text matches itself, or as a regular expression of Java, as a whole."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.model.place import Place
from scoopi.steps.text_pattern import TextPattern

PLACE = Place("bikes.yml", 3, 7)


def matches(pattern: str, text: str) -> bool:
    return TextPattern(pattern, 1000, PLACE).matches(text)


def test_a_pattern_matches_whole_texts() -> None:
    assert matches("Total", "Total")
    assert not matches("Total", "Total price")
    assert matches(r"Total.*", "Total price")
    assert matches("(a", "(a"), "a text equals itself, whatever it would be as a regular expression"


def test_a_wrong_pattern_is_an_error_at_its_place() -> None:
    with pytest.raises(ParseError, match=r"bikes.yml:3:7: filter: the regex"):
        matches("(a", "b")


def test_a_pattern_that_takes_too_long_is_an_error() -> None:
    slow = TextPattern("(x+x+)+y", 20, PLACE, "linkBreakOn")
    with pytest.raises(ParseError, match="linkBreakOn: "):
        slow.matches("x" * 5000)
