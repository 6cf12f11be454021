"""A text is read by a date pattern into the fields of a calendar."""

from __future__ import annotations

import pytest

from scoopi.java.dates.pattern_parts import parts_of
from scoopi.java.dates.pattern_reader import PatternReader


def fields(pattern: str, text: str, century_start: int = 1950) -> dict[str, int]:
    return PatternReader(text, century_start).read(parts_of(pattern))


def test_months_count_from_0_and_an_offset_is_in_minutes() -> None:
    assert fields("dd MMM yyyy HH:mm Z", "05 Mar 2026 13:05 -0130") == {
        "day_of_month": 5,
        "month": 2,
        "year": 2026,
        "hour_of_day": 13,
        "minute": 5,
        "offset": -90,
    }


def test_abutting_numbers_are_as_wide_as_their_fields() -> None:
    assert fields("yyyyMMdd", "20260305") == {"year": 2026, "month": 2, "day_of_month": 5}


@pytest.mark.parametrize(("text", "year"), [("49", 2049), ("51", 1951), ("50", 1950)])
def test_two_digits_are_a_year_of_the_century_that_begins_at_the_given_one(text: str, year: int) -> None:
    assert fields("yy", text)["year"] == year


def test_the_half_of_the_day_is_read_beside_the_hour() -> None:
    assert fields("h a", "5 pm") == {"hour": 5, "am_pm": 1}


@pytest.mark.parametrize(
    ("pattern", "text", "fault"),
    [
        ("dd", "x", "needs a number at character 1"),
        ("yyyy", "9" * 5000, "needs a number at character 1"),
        ("dd", "5x", "needs its end at character 2"),
        ("MMM", "Foo", "at character 1"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_with_its_place(pattern: str, text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        fields(pattern, text)
