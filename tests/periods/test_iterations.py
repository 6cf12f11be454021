"""Iterations of a cron trigger: numbers, the current one, and looking back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scoopi.errors import PeriodError
from scoopi.periods.cron import CronExpression
from scoopi.periods.fires import LocalFires
from scoopi.periods.iterations import CronIterations

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
