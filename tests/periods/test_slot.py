"""Slots are read back from their text and their key, and sort by kind and value."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import PeriodError
from scoopi.periods.period import Period, Qualifier
from scoopi.periods.slot import (
    MOST_NUMBER,
    Instant,
    Iteration,
    ManualSlot,
    Slot,
    instant_text,
    moment_text,
    parse_instant,
    parse_slot,
    slot_key,
    slot_of_key,
)

numbers = st.integers(0, 10**18 - 1)
moments = st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1))
instants = moments.map(lambda at: Instant(at.replace(tzinfo=UTC)))
slots: st.SearchStrategy[Slot] = st.one_of(
    st.builds(Period, st.sampled_from(Qualifier), moments),
    st.builds(Iteration, numbers),
    st.builds(ManualSlot, numbers),
    instants,
)


@given(slots)
def test_the_text_and_the_key_of_a_slot_give_the_slot(slot: Slot) -> None:
    assert parse_slot(str(slot)) == slot
    assert slot_of_key(slot_key(slot)) == slot


@given(numbers, numbers)
def test_numbered_slots_sort_by_number(one: int, other: int) -> None:
    assert (slot_key(Iteration(one)) < slot_key(Iteration(other))) is (one < other)
    assert (slot_key(ManualSlot(one)) < slot_key(ManualSlot(other))) is (one < other)


@given(instants, instants)
def test_instants_sort_by_time(one: Instant, other: Instant) -> None:
    assert (slot_key(one) < slot_key(other)) is (one.at < other.at)


def test_an_instant_of_any_zone_is_kept_in_utc() -> None:
    at = datetime(2026, 3, 29, 6, tzinfo=timezone(timedelta(hours=2)))
    assert str(Instant(at)) == "@2026-03-29T04:00:00Z"
    assert parse_slot("@2026-03-29T06:00:00+02:00") == Instant(at)
    assert instant_text(at) == "2026-03-29T04:00:00Z"


@pytest.mark.parametrize(
    "text", ["", "42", "#", "#-1", "#042", "#1.5", "!x", "@", "@today", "H:20", "Z:2011010100", "##1", "#1 "]
)
def test_a_text_that_is_not_a_slot_is_refused(text: str) -> None:
    with pytest.raises(PeriodError) as error:
        parse_slot(text)
    assert error.value.hint


@pytest.mark.parametrize(
    "text", ["2026-03-29", "2026-03-29T06:00:00", "2026-13-01T00:00:00Z", "2026-03-29 06:00Z", "1743220800"]
)
def test_an_instant_needs_a_date_a_time_and_a_zone(text: str) -> None:
    with pytest.raises(PeriodError):
        parse_instant(text)


@pytest.mark.parametrize(
    ("slot", "key"),
    [
        (Iteration(0), "#000000000000000000"),
        (Iteration(MOST_NUMBER), "#999999999999999999"),
        (ManualSlot(17), "!000000000000000017"),
        (Instant(datetime(2026, 3, 29, 4, tzinfo=UTC)), "@2026-03-29T04:00:00.000000Z"),
        (Period(Qualifier.DAILY, datetime(2011, 1, 1)), "D:2011010100"),
    ],
)
def test_the_key_of_a_slot_is_the_same_in_every_version(slot: Slot, key: str) -> None:
    """Records of the scheduler are found by it."""
    assert slot_key(slot) == key
    assert slot_of_key(key) == slot


def test_a_number_of_more_digits_than_a_key_has_is_refused() -> None:
    assert parse_slot(f"#{MOST_NUMBER}") == Iteration(MOST_NUMBER)
    with pytest.raises(PeriodError):
        parse_slot(f"#{MOST_NUMBER + 1}")


def test_in_a_sentence_an_instant_has_no_fractions_of_a_second() -> None:
    at = datetime(2026, 3, 29, 4, 5, 6, 700_000, tzinfo=UTC)
    assert moment_text(at) == "2026-03-29T04:05:06Z"
    assert instant_text(at) == "2026-03-29T04:05:06.700000Z"
    assert parse_instant("2026-03-29t04:05:06.7z") == at


def test_a_date_that_does_not_exist_is_refused_with_the_reason() -> None:
    with pytest.raises(PeriodError, match="2026-02-30T00:00:00Z is not an instant: day is out of range"):
        parse_instant("2026-02-30T00:00:00Z")
