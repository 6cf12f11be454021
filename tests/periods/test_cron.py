"""Cron expressions of both dialects."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

import pytest

from scoopi.errors import PeriodError
from scoopi.periods.cron import MACROS, CronExpression

START = datetime(2026, 1, 1)


def times(text: str, dialect: str = "unix", count: int = 4) -> list[str]:
    return [f"{at:%Y-%m-%d %H:%M:%S}" for at in islice(CronExpression(text, dialect).after(START), count)]


@pytest.mark.parametrize(
    ("quartz", "unix"),
    [
        ("0 0 * * * ?", "0 * * * *"),
        ("0 30 6 ? * MON-FRI", "30 6 * * 1-5"),
        ("0 30 6 ? * 2-6", "30 6 * * 1-5"),
        ("0 0 12 ? * 1", "0 12 * * 0"),
        ("0 0 12 ? * SAT,SUN", "0 12 * * 0,6"),
        ("0 0 12 ? * FRI-MON", "0 12 * * 5,6,0,1"),
        ("0 0 22-2 * * ?", "0 22,23,0,1,2 * * *"),
        ("0 0/15 * * * ?", "*/15 * * * *"),
        ("0 /15 * * * ?", "*/15 * * * *"),
        ("0 0 0 L * ?", "0 0 L * *"),
        ("0 0 0 LW * ?", "0 0 LW * *"),
        ("0 0 0 ? * 6L", "0 0 * * 5L"),
        ("0 0 0 ? * FRI#2", "0 0 * * 5#2"),
        ("0 0 0 ? * L", "0 0 * * 6"),
        ("0 0 0 ? JAN,JUL 2/2", "0 0 * 1,7 1,3,5"),
        ("0 0 0 1 NOV-FEB ?", "0 0 1 11,12,1,2 *"),
        ("0 0 0 ? * *", "0 0 * * *"),
        ("0 0 0 1 1 ? *", "0 0 1 1 *"),
    ],
)
def test_an_expression_of_quartz_fires_like_its_translation(quartz: str, unix: str) -> None:
    assert times(quartz, "quartz", 40) == times(unix, count=40)


def test_quartz_has_seconds() -> None:
    assert times("5/20 0 0 * * ?", "quartz") == [
        "2026-01-01 00:00:05",
        "2026-01-01 00:00:25",
        "2026-01-01 00:00:45",
        "2026-01-02 00:00:05",
    ]


def test_ranges_of_quartz_go_on_at_zero() -> None:
    assert times("58-1 0 0 * * ?", "quartz") == [
        "2026-01-01 00:00:01",
        "2026-01-01 00:00:58",
        "2026-01-01 00:00:59",
        "2026-01-02 00:00:00",
    ]
    assert times("0 59-0 6 * * ?", "quartz", 2) == ["2026-01-01 06:00:00", "2026-01-01 06:59:00"]


def test_quartz_has_years() -> None:
    assert times("0 0 0 1 6 ? 2025,2027-2031/2", "quartz") == [
        "2027-06-01 00:00:00",
        "2029-06-01 00:00:00",
        "2031-06-01 00:00:00",
    ]
    before = CronExpression("0 0 0 1 6 ? 2020-2022", "quartz").before(START)
    assert [at.year for at in before] == [2022, 2021, 2020]


def test_quartz_finds_the_working_day_nearest_to_a_day() -> None:
    assert times("0 0 0 15W * ?", "quartz", 8)[4:] == [
        "2026-05-15 00:00:00",
        "2026-06-15 00:00:00",
        "2026-07-15 00:00:00",
        "2026-08-14 00:00:00",
    ]
    assert times("0 0 0 1W 8 ?", "quartz", 1) == ["2026-08-03 00:00:00"]


def test_quartz_counts_days_back_from_the_end_of_a_month() -> None:
    assert times("0 0 0 L-2 * ?", "quartz", 2) == ["2026-01-29 00:00:00", "2026-02-26 00:00:00"]


def test_the_29th_of_february_is_found_across_years() -> None:
    assert times("0 0 29 2 *", count=2) == ["2028-02-29 00:00:00", "2032-02-29 00:00:00"]
    assert times("0 0 0 29 2 ? ", "quartz", 1) == ["2028-02-29 00:00:00"]


def test_days_of_month_and_week_are_alternatives_if_both_are_given() -> None:
    assert times("0 0 13 * 5", count=3) == [
        "2026-01-02 00:00:00",
        "2026-01-09 00:00:00",
        "2026-01-13 00:00:00",
    ]


@pytest.mark.parametrize("macro", MACROS)
def test_a_macro_is_its_expression_in_both_dialects(macro: str) -> None:
    assert times(macro) == times(macro, "quartz") == times(MACROS[macro])


@pytest.mark.parametrize(
    ("text", "dialect", "what"),
    [
        ("* * * *", "unix", "4 fields, not 5; write minute, hour"),
        ("0 0 * * * ?", "unix", "dialect: quartz"),
        ("0 0 ? * 1", "unix", "? belongs to Quartz"),
        ("60 * * * *", "unix", "bad minute; write *, or numbers from 0 to 59"),
        ("0 25 * * *", "unix", "bad hour; write *, or numbers from 0 to 23"),
        ("0 6 * 13 *", "unix", "bad month; write *, or numbers from 1 to 12"),
        ("0 6 * * 8", "unix", "bad day of week; write *, or numbers from 0 (Sunday) to 7 (Sunday)"),
        ("0 0 31 2 *", "unix", "bad day of month; write *, or days from 1 to 31 that one of the months has"),
        ("a * * * *", "unix", "bad minute"),
        ("*/0 * * * *", "unix", "bad minute"),
        ("@reboot", "unix", "known are @hourly, @daily"),
        ("@dayly", "quartz", "did you mean @daily?"),
        ("", "unix", "0 fields"),
        ("0 * * * *", "quartz", "5 fields, not 6 or 7"),
        ("0 0 0 * * *", "quartz", "exactly one is ?"),
        ("0 0 0 ? * ?", "quartz", "exactly one is ?"),
        ("0 0 0 ? * 0", "quartz", "counts from 1 (Sunday)"),
        ("0 0 0 ? * 8", "quartz", "counts from 1 (Sunday)"),
        ("0 0 0 1 1 ? 1969", "quartz", "not a year"),
        ("0 0 0 1 1 ? x", "quartz", "not a year"),
        ("0 0 0 31W 2 ?", "quartz", "never fires"),
        ("0 0 0 29 2 ? 2026", "quartz", "never fires"),
        ("0 0 0 32W * ?", "quartz", "bad day of month"),
    ],
)
def test_an_invalid_expression_is_refused_with_the_reason(text: str, dialect: str, what: str) -> None:
    with pytest.raises(PeriodError) as error:
        CronExpression(text, dialect)
    assert what in str(error.value)


def test_an_expression_shows_the_text_it_was_written_with() -> None:
    assert str(CronExpression("@daily")) == "@daily"
