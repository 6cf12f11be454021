"""Durations are a number and a unit."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import PeriodError
from scoopi.periods.duration import duration_text, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("90s", 90), ("15m", 900), ("48h", 172_800), ("2d", 172_800), ("0s", 0)],
)
def test_each_unit_has_its_length(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@given(st.integers(0, 10**10))
def test_the_text_of_a_duration_gives_the_duration(milliseconds: int) -> None:
    duration = timedelta(milliseconds=milliseconds)
    text = duration_text(duration)
    assert len(text) > 11 or parse_duration(text) == duration


@pytest.mark.parametrize("text", ["5", "", "5 m", "-5m", "1.5h", "5w", "1h30m", "٥m", "P1D"])
def test_another_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(PeriodError, match="15m"):
        parse_duration(text)


def test_a_duration_beyond_the_calendar_is_refused() -> None:
    assert parse_duration("100000d").days == 100_000
    with pytest.raises(PeriodError, match="100,000 days"):
        parse_duration("100001d")
