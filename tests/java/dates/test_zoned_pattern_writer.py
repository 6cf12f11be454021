"""A moment is written by the parts of a zoned pattern."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest

from scoopi.java.dates.date_names import date_names
from scoopi.java.dates.zoned_pattern_parts import zoned_parts
from scoopi.java.dates.zoned_pattern_writer import Moment, first_week, offset_text, weeks, written

NAMES = date_names("en")
ISO = replace(NAMES, first_weekday=0, least_days=4)
NOON = Moment(datetime(2026, 3, 5, 12, 5, 9, tzinfo=timezone(timedelta(hours=1, minutes=30))), 7_000_000)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("dd.MM.uuuu", "05.03.2026"),
        ("uu", "26"),
        ("EEE MMMM", "Thu March"),
        ("h a", "12 PM"),
        ("K", "0"),
        ("k", "12"),
        ("SSS", "007"),
        ("pppH", " 12"),
        ("D", "64"),
        ("XXX", "+01:30"),
        ("O", "GMT+1:30"),
        ("OOOO", "GMT+01:30"),
        ("VV", "+01:30"),
    ],
)
def test_a_field_is_written_as_wide_as_its_letters(pattern: str, text: str) -> None:
    assert written(zoned_parts(pattern), NOON, NAMES) == text


@pytest.mark.parametrize(
    ("day", "year", "week", "number"),
    [
        (date(2026, 1, 1), 2026, 1, 4),
        (date(2027, 1, 1), 2026, 53, 5),
        (date(2024, 12, 30), 2025, 1, 1),
    ],
)
def test_weeks_of_iso_belong_to_the_year_of_their_thursday(
    day: date, year: int, week: int, number: int
) -> None:
    assert weeks(day, ISO) == (year, week, number) == tuple(day.isocalendar())


def test_the_first_week_outside_of_the_years_is_refused() -> None:
    assert first_week(2026, ISO) == date(2025, 12, 29)
    with pytest.raises(ValueError, match="outside the years 1 to 9999"):
        first_week(1, NAMES)


@pytest.mark.parametrize(
    ("seconds", "minutes", "text"),
    [
        (3600, "needed", "+01"),
        (3600, "always", "+01:00"),
        (-5400, "needed", "-01:30"),
        (3601, "always", "+01:00:01"),
    ],
)
def test_an_offset_has_minutes_and_seconds_where_they_are_needed(
    seconds: int, minutes: str, text: str
) -> None:
    assert offset_text(seconds, colon=True, minutes=minutes, seconds_too=True) == text
