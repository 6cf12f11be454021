"""Fires agree with a walk through every minute of a year, in zones with clock changes of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice, repeat, takewhile
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoopi.errors import PeriodError
from scoopi.periods.cron import CronExpression
from scoopi.periods.fires import BoundedFires, IntervalFires, LocalFires, times_of_day

MINUTE = timedelta(minutes=1)
ZONES = ["Europe/Berlin", "Australia/Lord_Howe", "Asia/Beirut"]
"""Clocks change by an hour at night, by half an hour, and by an hour at midnight."""
EXPRESSIONS = ["30 2 * * *", "0 * * * *", "*/20 1-3 * * *", "0 0 * * 0", "59 23 * * *", "15 0,2 29 3 1"]
YEAR = datetime(2026, 1, 1, tzinfo=UTC)
DAY_BEFORE = datetime(2025, 12, 31)
"""Local minutes are counted from here, as the year may begin a day earlier on a zone's clock."""
FIRST = 24 * 60
"""The minute of `YEAR` in UTC, counted from there."""


@cache
def matching_minutes(expression: str) -> frozenset[int]:
    """The local minutes since `DAY_BEFORE` that match, written apart from the code under test."""
    minute, hour, day, month, weekday = expression.split()
    of_day = [
        place
        for place in range(24 * 60)
        if field(hour, place // 60, 0, 23) and field(minute, place % 60, 0, 59)
    ]
    days = [DAY_BEFORE + timedelta(days=number) for number in range(367)]
    return frozenset(
        number * 24 * 60 + place
        for number, date in enumerate(days)
        if field(month, date.month, 1, 12) and is_day(day, weekday, date)
        for place in of_day
    )


def is_day(day: str, weekday: str, date: datetime) -> bool:
    of_month, of_week = field(day, date.day, 1, 31), field(weekday, date.isoweekday() % 7, 0, 6)
    return of_month and of_week if "*" in (day, weekday) else of_month or of_week


def field(text: str, value: int, low: int, high: int) -> bool:
    return any(value in numbers(term, low, high) for term in text.split(","))


def numbers(term: str, low: int, high: int) -> range:
    span, _, step = term.partition("/")
    if span == "*":
        return range(low, high + 1, int(step or 1))
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


class YearClock(NamedTuple):
    """What a zone's clock shows at each minute of a year, as local minutes since `DAY_BEFORE`."""

    shown: list[int]
    repeated: set[int]
    """Places in `shown` whose local minute was shown before."""
    skipped: dict[int, range]
    """By place in `shown`: the local minutes that the clock jumped over just before it."""


def clock_of_a_year(zone: str) -> YearClock:
    clock = YearClock([], set(), {})
    before = latest = minutes_ahead(YEAR - MINUTE, zone) + FIRST - 1
    for place, ahead in enumerate(each_minutes_offset(zone)):
        local = FIRST + place + ahead
        clock.shown.append(local)
        if local <= latest:
            clock.repeated.add(place)
        else:
            latest = local
        if local > before + 1:
            clock.skipped[place] = range(before + 1, local)
        before = local
    return clock


def each_minutes_offset(zone: str) -> Iterator[int]:
    """The minutes that the zone is ahead of UTC; an hour is looked at minute by minute if its ends differ."""
    for hour in range(365 * 24):
        start = YEAR + timedelta(hours=hour)
        ahead = minutes_ahead(start, zone)
        if ahead == minutes_ahead(start + timedelta(hours=1), zone):
            yield from repeat(ahead, 60)
        else:
            yield from (minutes_ahead(start + MINUTE * place, zone) for place in range(60))


def minutes_ahead(at: datetime, zone: str) -> int:
    offset = at.astimezone(ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return offset // MINUTE


def walked(expression: str, clock: YearClock, fires_twice: bool) -> list[datetime]:
    """The fires of a year, found by looking at the clock every minute."""
    wanted = matching_minutes(expression)
    return [
        YEAR + MINUTE * place
        for place, local in enumerate(clock.shown)
        if (local in wanted and (fires_twice or place not in clock.repeated))
        or (place in clock.skipped and not wanted.isdisjoint(clock.skipped[place]))
    ]


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_fires_is_that_of_a_walk_through_its_minutes(zone: str) -> None:
    clock = clock_of_a_year(zone)
    for expression in EXPRESSIONS:
        for fires_twice in (False, True):
            fires = LocalFires([CronExpression(expression)], ZoneInfo(zone), fires_twice=fires_twice)
            expected = walked(expression, clock, fires_twice)
            later = takewhile(lambda at: at.year == 2026, fires.after(YEAR - timedelta(microseconds=1)))
            assert list(later) == expected, (expression, fires_twice)
            earlier = takewhile(lambda at: at >= YEAR, fires.before(YEAR.replace(year=2027)))
            assert list(earlier) == expected[::-1], (expression, fires_twice)


@settings(max_examples=60)
@given(
    st.sampled_from(ZONES),
    st.sampled_from(EXPRESSIONS),
    st.booleans(),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1)),
)
def test_fires_found_from_any_moment_are_the_same(
    zone: str, expression: str, fires_twice: bool, moment: datetime
) -> None:
    fires = LocalFires([CronExpression(expression)], ZoneInfo(zone), fires_twice=fires_twice)
    at = moment.replace(tzinfo=UTC)
    later = list(islice(fires.after(at), 5))
    assert all(fire > at for fire in later)
    assert list(islice(fires.before(later[-1] + MINUTE / 60), 5)) == later[::-1]
    assert next(fires.before(later[0]), later[0]) < later[0]
    assert next(fires.after(later[0] - MINUTE / 60)) == later[0]


@pytest.mark.parametrize("fires_twice", [False, True])
@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
    ],
)
def test_the_fires_around_a_change_of_clocks_are_found_from_each_moment(
    zone: str, change: datetime, *, fires_twice: bool
) -> None:
    for expression in ("*/20 * * * *", "30 2 * * *", "45 1 * * *", "30 1,2 * * *"):
        fires = LocalFires([CronExpression(expression)], ZoneInfo(zone), fires_twice=fires_twice)
        every = list(
            takewhile(lambda at: at < change + timedelta(days=8), fires.after(change - timedelta(days=8)))
        )
        for minutes in range(-180, 181, 5):
            at = change + timedelta(minutes=minutes)
            later, earlier = [fire for fire in every if fire > at], [fire for fire in every if fire < at]
            assert list(islice(fires.after(at), 4)) == later[:4], (expression, at)
            assert list(islice(fires.before(at), 4)) == earlier[::-1][:4], (expression, at)


def test_a_fixed_time_fires_once_when_clocks_go_back_and_both_times_if_asked() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    night = datetime(2026, 10, 24, 12, tzinfo=UTC)
    once = LocalFires(times_of_day(["2:30"]), berlin)
    twice = LocalFires(times_of_day(["2:30"]), berlin, fires_twice=True)
    assert texts(once.after(night), 2) == ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]
    assert texts(twice.after(night), 3) == ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-26T01:30Z"]


def test_a_time_that_does_not_exist_fires_at_the_end_of_the_gap() -> None:
    fires = LocalFires([CronExpression("*/20 2 * * *")], ZoneInfo("Europe/Berlin"))
    assert texts(fires.after(datetime(2026, 3, 28, 12, tzinfo=UTC)), 2) == [
        "2026-03-29T01:00Z",
        "2026-03-30T00:00Z",
    ]


def test_a_day_that_does_not_exist_fires_once_at_its_end() -> None:
    fires = LocalFires([CronExpression("0 * 30 12 *")], ZoneInfo("Pacific/Apia"))
    assert texts(fires.after(datetime(2011, 12, 28, tzinfo=UTC)), 1) == ["2011-12-30T10:00Z"]


def test_an_interval_fires_at_whole_steps_after_its_start_and_not_at_it() -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    fires = IntervalFires(since, timedelta(seconds=90))
    assert texts(fires.after(since - timedelta(days=1)), 2) == ["2026-01-01T00:01Z", "2026-01-01T00:03Z"]
    assert next(fires.after(since + timedelta(seconds=90))) == since + timedelta(seconds=180)
    assert next(fires.before(since + timedelta(seconds=181))) == since + timedelta(seconds=180)
    assert list(fires.before(since + timedelta(seconds=180))) == [since + timedelta(seconds=90)]
    assert list(fires.before(since)) == []


def test_an_interval_below_a_second_is_refused() -> None:
    with pytest.raises(PeriodError, match="at least one second"):
        IntervalFires(YEAR, timedelta(milliseconds=999))


def test_bounds_leave_out_their_beginning_and_include_their_end() -> None:
    hourly = LocalFires([CronExpression("@hourly")], UTC)
    bounded = BoundedFires(hourly, YEAR, YEAR + timedelta(hours=2))
    hours = [YEAR + timedelta(hours=1), YEAR + timedelta(hours=2)]
    assert list(bounded.after(YEAR - timedelta(days=3))) == hours
    assert list(bounded.before(YEAR + timedelta(days=3))) == hours[::-1]


def test_several_times_of_day_are_one_trigger_where_monday_is_0() -> None:
    fires = LocalFires(times_of_day(["0-06:30", "4-18:05", "*-12:00"]), UTC)
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    assert texts(fires.after(monday), 3) == ["2026-11-23T06:30Z", "2026-11-23T12:00Z", "2026-11-24T12:00Z"]


@pytest.mark.parametrize("text", ["7-06:30", "24:00", "8", "1-8:3", "mon-8:30", "", "*-8:60"])
def test_a_text_that_is_not_a_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(PeriodError, match="is not a time"):
        times_of_day([text])


def texts(fires: Iterator[datetime], count: int) -> list[str]:
    return [f"{at:%Y-%m-%dT%H:%MZ}" for at in islice(fires, count)]


def test_an_interval_of_a_second_is_the_shortest() -> None:
    assert next(IntervalFires(YEAR, timedelta(seconds=1)).after(YEAR)) == YEAR + timedelta(seconds=1)


def test_an_interval_is_counted_on_in_both_directions() -> None:
    fires = IntervalFires(YEAR, timedelta(seconds=90))
    steps = [YEAR + timedelta(seconds=90 * number) for number in range(1, 4)]
    assert list(islice(fires.after(YEAR), 3)) == steps
    assert list(fires.before(steps[-1] + timedelta(seconds=1))) == steps[::-1]
    assert next(fires.after(steps[0] - timedelta(microseconds=1))) == steps[0]


def test_without_an_end_the_fires_of_a_bound_go_on() -> None:
    hourly = LocalFires([CronExpression("@hourly")], UTC)
    bounded = BoundedFires(hourly, YEAR)
    later = YEAR + timedelta(days=400)
    assert next(bounded.after(later)) == later + timedelta(hours=1)
    assert next(bounded.before(later)) == later - timedelta(hours=1)
    assert next(bounded.before(YEAR + timedelta(hours=1)), None) is None


def test_a_time_that_several_expressions_have_fires_once() -> None:
    times = [CronExpression("0 6 * * *"), CronExpression("0 */6 * * *")]
    fires = LocalFires(times, ZoneInfo("Europe/Berlin"))
    assert texts(fires.after(YEAR), 4) == [
        "2026-01-01T05:00Z",
        "2026-01-01T11:00Z",
        "2026-01-01T17:00Z",
        "2026-01-01T23:00Z",
    ]
    assert texts(fires.before(YEAR + timedelta(hours=12)), 2) == ["2026-01-01T11:00Z", "2026-01-01T05:00Z"]


@pytest.mark.parametrize(("text", "day"), [("6-08:00", 29), ("0-08:00", 23), ("5-8:00", 28), ("*-08:00", 23)])
def test_days_of_a_time_are_counted_from_monday_to_sunday(text: str, day: int) -> None:
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    assert texts(LocalFires(times_of_day([text]), UTC).after(monday), 1) == [f"2026-11-{day}T08:00Z"]
