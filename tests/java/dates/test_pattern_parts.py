"""A date pattern is cut into fields and plain text."""

from __future__ import annotations

import pytest

from scoopi.java.dates.pattern_parts import PatternPart, parts_of, quoted


def test_a_field_is_a_letter_and_how_often_it_is_repeated() -> None:
    assert [(part.letter, part.width, part.text) for part in parts_of("yyyy-M 'at' ''")] == [
        ("y", 4, ""),
        ("", 0, "-"),
        ("M", 1, ""),
        ("", 0, " at '"),
    ]


def test_a_number_that_is_followed_by_another_abuts_it() -> None:
    assert [part.abuts for part in parts_of("yyyyMMdd")] == [True, True, False]
    assert [part.abuts for part in parts_of("yyyyMMM")] == [False, False]


@pytest.mark.parametrize(
    ("pattern", "numbers"), [("MM", True), ("MMM", False), ("EEE", False), ("dd", True), ("a", False)]
)
def test_names_of_months_and_days_are_no_numbers(pattern: str, numbers: bool) -> None:
    assert [part.is_number for part in parts_of(pattern)] == [numbers]


def test_two_quotes_inside_quotes_are_an_apostrophe() -> None:
    assert quoted("'o''clock'X", 0) == ("o'clock", 10)


@pytest.mark.parametrize(
    ("pattern", "fault"), [("yyyy-bb", "b is not a letter"), ("HH 'h", "a quote .* is not closed")]
)
def test_a_wrong_pattern_names_its_fault(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parts_of(pattern)


def test_parts_are_values() -> None:
    assert parts_of("dd") == (PatternPart("d", 2),)
