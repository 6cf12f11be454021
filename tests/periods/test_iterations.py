"""Iterations of a cron trigger: numbers, the current one, and looking back."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scoopi.errors import PeriodError
from scoopi.periods.cron import CronExpression
from scoopi.periods.fires import LocalFires
from scoopi.periods.iterations import CronIterations, can_be_numbered, day_and_ordinal
from scoopi.periods.slot import Iteration

SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def iterations(text: str, zone: str = "UTC", dialect: str = "unix") -> CronIterations:
    clock = ZoneInfo(zone)
    return CronIterations(LocalFires([CronExpression(text, dialect)], clock), clock, SINCE)


def numbers(source: CronIterations, now: datetime, lookback: int) -> list[str]:
    return [str(iteration) for iteration, _ in source.window(now, lookback)]


def test_a_number_is_the_day_and_the_ordinal_of_the_fire_within_it() -> None:
    hourly = iterations("0 * * * *")
    assert numbers(hourly, datetime(2026, 3, 5, 13, 20, tzinfo=UTC), 0) == ["#2603050014"]


def test_looking_back_crosses_midnight_and_counts_only_actual_fires() -> None:
    daily = iterations("30 3,15 * * *")
    now = datetime(2026, 3, 5, 4, tzinfo=UTC)
    assert numbers(daily, now, 3) == ["#2603030002", "#2603040001", "#2603040002", "#2603050001"]


def test_days_are_those_of_the_zone() -> None:
    daily = iterations("30 0 * * *", "Asia/Tokyo")
    assert numbers(daily, datetime(2026, 3, 4, 16, tzinfo=UTC), 0) == ["#2603050001"]


def test_nothing_is_current_until_a_fire_after_since_and_then_lookback_reaches_before_it() -> None:
    hourly = iterations("0 * * * *")
    assert hourly.window(SINCE, 5) == []
    assert hourly.window(SINCE + timedelta(minutes=59), 5) == []
    now = SINCE + timedelta(hours=1)
    assert numbers(hourly, now, 2) == ["#2512310024", "#2601010001", "#2601010002"]


def test_the_fire_of_an_iteration_is_given_with_it() -> None:
    hourly = iterations("0 * * * *")
    now = SINCE + timedelta(hours=1, minutes=30)
    assert hourly.window(now, 0)[0][1] == SINCE + timedelta(hours=1)


def test_a_day_with_more_fires_than_numbers_is_refused() -> None:
    every_second = iterations("* * * * * ?", dialect="quartz")
    with pytest.raises(PeriodError, match="more than 9999"):
        every_second.window(SINCE + timedelta(hours=4), 0)


def test_the_first_fire_of_a_day_may_be_at_its_midnight() -> None:
    hourly, midnight = iterations("0 * * * *"), datetime(2026, 3, 5, tzinfo=UTC)
    fires = hourly.fires_from(midnight)
    assert [next(fires), next(fires)] == [midnight, midnight + timedelta(hours=1)]
    assert str(hourly.number(midnight)) == "#2603050001"
    before = hourly.fires_from(SINCE - timedelta(hours=1))
    assert next(before) == SINCE - timedelta(hours=1), "also before since"


@pytest.mark.parametrize(
    ("number", "day", "ordinal"), [(2603280002, date(2026, 3, 28), 2), (2912319999, date(2029, 12, 31), 9999)]
)
def test_the_number_of_an_iteration_names_its_day(number: int, day: date, ordinal: int) -> None:
    assert day_and_ordinal(Iteration(number)) == (day, ordinal)


@pytest.mark.parametrize("number", [42, 2602300001, 2613010001, 10**17])
def test_a_number_without_a_day_is_refused_with_an_example(number: int) -> None:
    with pytest.raises(PeriodError, match=f"#{number} has no day; write yyMMdd and four digits"):
        day_and_ordinal(Iteration(number))


@pytest.mark.parametrize(("seconds", "is_possible"), [(9, False), (10, True)])
def test_all_fires_of_a_day_of_25_hours_must_have_a_number(seconds: int, is_possible: bool) -> None:
    assert can_be_numbered(CronExpression(f"*/{seconds} * * * * ?", "quartz")) is is_possible


def test_a_rare_expression_can_be_numbered() -> None:
    assert can_be_numbered(CronExpression("0 0 29 2 *"))


def test_the_current_iteration_is_the_last_fire_up_to_now_also_at_its_very_moment() -> None:
    hourly = iterations("0 * * * *")
    at = SINCE + timedelta(hours=3)
    assert hourly.current(at) == at
    assert hourly.current(at - datetime.resolution) == at - timedelta(hours=1)
    assert hourly.current(SINCE) is None
