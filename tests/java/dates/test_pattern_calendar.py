"""Fields of a calendar become a moment as in Java's lenient Calendar."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from scoopi.java.dates.pattern_calendar import resolve, sunday_before

CENTURY = datetime(1950, 1, 1)


def wall(**fields: int) -> datetime:
    """The local time of fields in UTC."""
    return resolve({"offset": 0, **fields}, CENTURY).replace(tzinfo=None)


def test_missing_fields_are_those_of_the_epoch() -> None:
    assert wall() == datetime(1970, 1, 1)
    assert wall(year=2026) == datetime(2026, 1, 1)


def test_a_day_behind_the_end_of_its_month_is_in_the_next() -> None:
    assert wall(year=2026, month=1, day_of_month=31) == datetime(2026, 3, 3)


def test_a_day_of_the_year_needs_no_month() -> None:
    assert wall(year=2024, day_of_year=60) == datetime(2024, 2, 29)


def test_of_contradicting_fields_the_last_one_counts() -> None:
    assert wall(year=2026, day_of_year=60, month=0, day_of_month=2) == datetime(2026, 1, 2)
    assert wall(year=2026, month=0, day_of_month=2, day_of_year=60) == datetime(2026, 3, 1)


@pytest.mark.parametrize(("hour", "half", "expected"), [(12, 0, 0), (12, 1, 12), (5, 1, 17), (5, 0, 5)])
def test_twelve_hours_count_in_their_half_of_the_day(hour: int, half: int, expected: int) -> None:
    assert wall(hour=hour % 12, am_pm=half).hour == expected


def test_an_offset_is_kept() -> None:
    assert resolve({"offset": 90}, CENTURY).utcoffset() == timedelta(minutes=90)


def test_a_moment_outside_of_the_years_1_to_9999_is_refused() -> None:
    with pytest.raises((ValueError, OverflowError)):
        wall(year=10_000)


@pytest.mark.parametrize(
    ("day", "sunday"),
    [
        (date(2026, 11, 25), date(2026, 11, 22)),
        (date(2026, 11, 22), date(2026, 11, 22)),
        (date(2026, 11, 21), date(2026, 11, 15)),
    ],
)
def test_a_week_begins_on_sunday(day: date, sunday: date) -> None:
    assert sunday_before(day) == sunday
