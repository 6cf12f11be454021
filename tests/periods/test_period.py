"""Periods agree with a brute-force walk through the hours of years in three zones, and with themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import PeriodError
from scoopi.periods.period import Period, Qualifier, parse_period, parse_qualifier

HOUR = timedelta(hours=1)
ZONES = [UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-10))]

qualifiers = st.sampled_from(Qualifier)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))
periods = st.builds(Period, qualifiers, moments)


def group_of(hour: datetime, qualifier: Qualifier, size: int) -> object:
    """Identity of the group that holds an hour, by the rule in words."""
    ordinal = {"hourly": hour.hour, "daily": hour.day, "monthly": hour.month, "yearly": hour.year}[
        qualifier.value
    ]
    parent = {
        "hourly": (hour.year, hour.month, hour.day),
        "daily": (hour.year, hour.month),
        "monthly": (hour.year,),
        "yearly": (),
    }[qualifier.value]
    return parent, max(-(-ordinal // size), 1) if size > 1 else ordinal


@pytest.mark.parametrize("zone", ZONES, ids=str)
@pytest.mark.parametrize("year", [2023, 2024])
def test_every_hour_of_a_year_lies_in_the_period_that_contains_it(zone: timezone, year: int) -> None:
    hour = datetime(year, 1, 1)
    while hour.year == year:
        moment = hour.replace(tzinfo=zone) + timedelta(minutes=59, seconds=59)
        for qualifier in Qualifier:
            period = Period(qualifier, moment)
            start, end = period.bounds(zone)
            assert start <= moment < end
            assert period == Period(qualifier, start)
            assert period.shift(1).start == end.replace(tzinfo=None)
            assert Period(qualifier, start - HOUR) == period.shift(-1)
        hour += HOUR


@pytest.mark.parametrize("qualifier", Qualifier)
def test_groups_are_those_of_a_walk_through_every_hour_of_a_year(qualifier: Qualifier) -> None:
    for size in range(1, qualifier.longest_group + 1):
        members: dict[object, list[Period]] = {}
        hour = datetime(2024, 1, 1)
        while hour.year == 2024:
            found = members.setdefault(group_of(hour, qualifier, size), [])
            period = Period(qualifier, hour)
            if not found or found[-1] != period:
                found.append(period)
            hour += HOUR if qualifier is Qualifier.HOURLY else 24 * HOUR
        for group in members.values():
            for period in group:
                assert period.group(size) == (group[0], group[-1])


@given(periods)
def test_the_text_of_a_period_gives_the_period(period: Period) -> None:
    assert parse_period(str(period)) == period
    assert parse_period(period.key, period.qualifier) == period


@given(periods, st.integers(-20_000, 20_000))
def test_a_shift_is_undone_by_its_opposite_and_measured_by_diff(period: Period, count: int) -> None:
    assert period.start.year >= 1
    if period.qualifier is Qualifier.YEARLY:
        count %= 1000
    elif period.qualifier is Qualifier.MONTHLY:
        count %= 12_000
    shifted = period.shift(count)
    assert shifted.shift(-count) == period
    assert shifted.diff(period) == count


@given(periods, qualifiers)
def test_a_cast_up_contains_and_a_cast_down_is_the_first_child(period: Period, qualifier: Qualifier) -> None:
    cast = period.cast(qualifier)
    order = list(Qualifier)
    if order.index(qualifier) > order.index(period.qualifier):
        assert cast.start <= period.start
        assert period.end <= cast.end
    elif qualifier is not period.qualifier:
        assert next(iter(period.children(qualifier))) == cast


@given(periods.filter(lambda period: not period.qualifier.is_finest))
def test_children_fill_their_parent_without_a_gap(period: Period) -> None:
    children = list(period.children())
    assert children[0].start == period.start
    assert children[-1].end == period.end
    assert all(later.start == earlier.end for earlier, later in pairwise(children))


def test_a_period_given_more_finely_than_its_qualifier_is_rounded_down() -> None:
    day = parse_period("2011010112", Qualifier.DAILY)
    assert str(day) == "D:2011010100"
    assert str(day.shift(1)) == "D:2011010200"


def test_a_year_has_8784_hours_in_a_leap_year() -> None:
    assert len(list(parse_period("Y:2024000000").children(Qualifier.HOURLY))) == 8784


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("2011010100", "no qualifier"),
        ("H:20110101", "not a period"),
        ("X:2011010100", "not a period"),
        ("H:2011010124", "hour must be in 0..23"),
        ("D:2011023000", "day is out of range"),
        ("D:2011000000", "month must be in 1..12"),
        ("H:2011010000", "day is out of range"),
        ("H:9999010100", "year 9999"),
        ("H:٢٠١١٠١٠١٠٠", "not a period"),
        ("", "not a period"),
    ],
)
def test_a_text_that_is_not_a_period_is_refused(text: str, what: str) -> None:
    with pytest.raises(PeriodError) as error:
        parse_period(text)
    assert what in str(error.value)


def test_a_shift_beyond_the_calendar_is_refused() -> None:
    for text, count in [
        ("Y:9998000000", 1),
        ("Y:0001000000", -1),
        ("H:9998123123", 1),
        ("D:2011010100", 10**9),
    ]:
        with pytest.raises(PeriodError, match="outside the years"):
            parse_period(text).shift(count)


def test_periods_of_different_lengths_have_no_difference() -> None:
    with pytest.raises(PeriodError, match="different qualifiers"):
        parse_period("D:2011010100").diff(parse_period("H:2011010100"))


def test_an_unknown_qualifier_is_refused_with_the_known_ones() -> None:
    with pytest.raises(PeriodError, match="hourly, daily, monthly, yearly"):
        parse_qualifier("weekly")


def test_nothing_is_nested_in_an_hour_nor_in_a_finer_period() -> None:
    with pytest.raises(PeriodError, match="no nested"):
        parse_period("H:2011010100").children()
    with pytest.raises(PeriodError, match="not nested"):
        parse_period("D:2011010100").children(Qualifier.MONTHLY)


def test_group_sizes_beyond_the_qualifier_are_refused() -> None:
    for text, size in [("H:2011010100", 24), ("D:2011010100", 29), ("M:2011010000", 13), ("Y:2011000000", 2)]:
        for wrong in (size, 0, -1):
            with pytest.raises(PeriodError, match="form groups of"):
                parse_period(text).group(wrong)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Y:2011000000", "Y:2011000000"), ("M:2011020000", "M:2011020000"), ("Y:2011010100", "Y:2011000000")],
)
def test_month_and_day_may_be_zero_where_they_say_nothing(text: str, shown: str) -> None:
    assert str(parse_period(text)) == shown
    assert parse_period(text).start.day == 1


@pytest.mark.parametrize(
    "text", ["Y:2011000001", "Y:2011000100", "M:2011020001", "M:2011000000", "D:2011010000"]
)
def test_zeros_in_front_of_what_is_given_are_refused(text: str) -> None:
    with pytest.raises(PeriodError, match="is not a period"):
        parse_period(text)


def test_the_last_year_that_can_be_named_is_9998() -> None:
    last = parse_period("Y:9998000000")
    assert last.shift(-1).shift(1) == last
    assert parse_period("H:9998123123").start.year == 9998
    with pytest.raises(PeriodError, match=r"Y:9998000000 shifted by 1 is outside the years 1 to 9998"):
        last.shift(1)


def test_a_given_qualifier_rounds_a_finer_period_down_and_reads_digits() -> None:
    assert str(parse_period("H:2011020310", Qualifier.MONTHLY)) == "M:2011020000"
    assert str(parse_period("2011020310", Qualifier.HOURLY)) == "H:2011020310"
    with pytest.raises(PeriodError, match="write D:2011020310 for the day, H:2011020310 for the hour"):
        parse_period("2011020310")


def test_the_difference_of_periods_is_counted_in_their_own_length() -> None:
    for one, other, count in (
        ("D:2011030100", "D:2011020100", 28),
        ("H:2011030101", "H:2011022823", 2),
        ("M:2012010000", "M:2010110000", 14),
        ("Y:2012000000", "Y:2015000000", -3),
    ):
        assert parse_period(one).diff(parse_period(other)) == count
