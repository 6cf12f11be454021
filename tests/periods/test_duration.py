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


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(), "0s"),
        (timedelta(milliseconds=1), "1ms"),
        (timedelta(milliseconds=1500), "1500ms"),
        (timedelta(seconds=1), "1s"),
        (timedelta(seconds=60), "1m"),
        (timedelta(minutes=90), "90m"),
        (timedelta(hours=24), "1d"),
        (timedelta(hours=36), "36h"),
    ],
)
def test_a_duration_is_shown_in_its_largest_whole_unit(duration: timedelta, text: str) -> None:
    assert duration_text(duration) == text


def test_the_longest_duration_is_the_same_in_each_unit() -> None:
    assert parse_duration("2400000h") == parse_duration("100000d")
    with pytest.raises(PeriodError, match="2400001h is longer than 100,000 days"):
        parse_duration("2400001h")
