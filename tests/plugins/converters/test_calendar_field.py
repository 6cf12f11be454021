"""Fields of Java's Calendar: their value, their bounds, and how they are set."""

from __future__ import annotations

from datetime import datetime

import pytest

from scoopi.plugins.converters.calendar_field import FIELDS

NOON = datetime(2026, 11, 25, 12, 5, 9, 250_000)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("name", "value", "least", "greatest"),
    [
        ("ERA", 1, 0, 1),
        ("YEAR", 2026, 1, 292_278_994),
        ("MONTH", 10, 0, 11),
        ("DATE", 25, 1, 30),
        ("DAY_OF_YEAR", 329, 1, 365),
        ("DAY_OF_WEEK", 4, 1, 7),
        ("DAY_OF_WEEK_IN_MONTH", 4, 1, 4),
        ("WEEK_OF_YEAR", 48, 1, 52),
        ("WEEK_OF_MONTH", 4, 0, 5),
        ("AM_PM", 1, 0, 1),
        ("HOUR", 0, 0, 11),
        ("HOUR_OF_DAY", 12, 0, 23),
        ("MINUTE", 5, 0, 59),
        ("SECOND", 9, 0, 59),
        ("MILLISECOND", 250, 0, 999),
    ],
)
def test_a_field_has_a_value_and_its_bounds(name: str, value: int, least: int, greatest: int) -> None:
    field = FIELDS[name]
    assert (field.value(NOON), field.least, field.greatest(NOON)) == (value, least, greatest)


@pytest.mark.parametrize("name", sorted({*FIELDS} - {"ERA"}))
def test_setting_a_field_to_its_value_changes_nothing(name: str) -> None:
    field = FIELDS[name]
    assert field.set(NOON, field.value(NOON)) == NOON


@pytest.mark.parametrize(
    ("name", "value", "wall"),
    [
        ("YEAR", 2024, datetime(2024, 11, 25, 12, 5, 9, 250_000)),
        ("MONTH", 12, datetime(2027, 1, 25, 12, 5, 9, 250_000)),
        ("MONTH", -1, datetime(2025, 12, 25, 12, 5, 9, 250_000)),
        ("MONTH", 1, datetime(2026, 2, 25, 12, 5, 9, 250_000)),
        ("DATE", 31, datetime(2026, 12, 1, 12, 5, 9, 250_000)),
        ("DATE", 0, datetime(2026, 10, 31, 12, 5, 9, 250_000)),
        ("DAY_OF_WEEK", 1, datetime(2026, 11, 22, 12, 5, 9, 250_000)),
        ("DAY_OF_WEEK_IN_MONTH", 1, datetime(2026, 11, 4, 12, 5, 9, 250_000)),
        ("DAY_OF_WEEK_IN_MONTH", -1, datetime(2026, 11, 25, 12, 5, 9, 250_000)),
        ("DAY_OF_YEAR", 1, datetime(2026, 1, 1, 12, 5, 9, 250_000)),
        ("WEEK_OF_YEAR", 1, datetime(2025, 12, 31, 12, 5, 9, 250_000)),
        ("AM_PM", 0, datetime(2026, 11, 25, 0, 5, 9, 250_000)),
        ("HOUR_OF_DAY", 25, datetime(2026, 11, 26, 1, 5, 9, 250_000)),
        ("MILLISECOND", 1000, datetime(2026, 11, 25, 12, 5, 10)),
    ],
)
def test_a_value_beyond_the_bounds_carries_into_the_next_field(name: str, value: int, wall: datetime) -> None:
    assert FIELDS[name].set(NOON, value) == wall


def test_a_day_that_the_other_month_lacks_is_in_the_month_behind() -> None:
    assert FIELDS["MONTH"].set(datetime(2026, 1, 31), 1) == datetime(2026, 3, 3)
    assert FIELDS["YEAR"].set(datetime(2024, 2, 29), 2026) == datetime(2026, 3, 1)


def test_the_week_of_the_next_first_of_january_is_its_first() -> None:
    assert FIELDS["WEEK_OF_YEAR"].value(datetime(2026, 12, 27)) == 1
    assert FIELDS["WEEK_OF_YEAR"].value(datetime(2026, 12, 26)) == 52


def test_there_is_no_time_before_the_year_1() -> None:
    assert FIELDS["ERA"].set(NOON, 1) == NOON
    with pytest.raises(ValueError, match="no time before the year 1"):
        FIELDS["ERA"].set(NOON, 0)
