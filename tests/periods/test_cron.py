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
        ("@dayly", "quartz", "known are @hourly, @daily"),
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


@pytest.mark.parametrize(
    ("field", "day"),
    [
        ("1W 8", "2026-08-03"),  # 1 August is a Saturday, and July does not count
        ("15W 8", "2026-08-14"),  # Saturday
        ("15W 2", "2026-02-16"),  # Sunday
        ("31W 5", "2026-05-29"),  # 31 May is a Sunday, and June does not count
        ("31W 7", "2026-07-31"),  # Friday
        ("1W 2", "2026-02-02"),  # Sunday
        ("L-1 2", "2026-02-27"),
        ("L-30 3", "2026-03-01"),
    ],
)
def test_quartz_stays_in_the_month_when_it_looks_for_a_working_day_or_counts_back(
    field: str, day: str
) -> None:
    day_of_month, month = field.split()
    assert times(f"0 0 0 {day_of_month} {month} ?", "quartz", 1) == [f"{day} 00:00:00"]


def test_months_that_are_too_short_for_a_day_are_skipped() -> None:
    assert times("0 0 0 31W * ?", "quartz", 3) == [
        "2026-01-30 00:00:00",
        "2026-03-31 00:00:00",
        "2026-05-29 00:00:00",
    ]
    assert times("0 0 0 L-30 * ?", "quartz", 2) == ["2026-03-01 00:00:00", "2026-05-01 00:00:00"]


@pytest.mark.parametrize(
    ("quartz", "unix"),
    [
        ("2", "1"),
        ("1/3", "0,3,6"),
        ("*/2", "0,2,4,6"),
        ("/2", "0,2,4,6"),
        ("3/2", "2,4,6"),
        ("2-6/2", "1,3,5"),
        ("7-2", "6,0,1"),
        ("6-3/2", "5,0,2"),
        ("1,3,7", "0,2,6"),
        ("MON#1", "1#1"),
        ("6L", "5L"),
    ],
)
def test_days_of_the_week_of_quartz_are_those_of_unix_minus_one(quartz: str, unix: str) -> None:
    assert times(f"0 0 0 ? * {quartz}", "quartz", 20) == times(f"0 0 * * {unix}", count=20)


@pytest.mark.parametrize(
    ("years", "found"),
    [
        ("2027", [2027]),
        ("2027/80", [2027, 2107, 2187]),
        ("2190-2199/3", [2190, 2193, 2196, 2199]),
        ("1970,2030", [2030]),
        ("*/100", [2070, 2170]),
    ],
)
def test_years_of_quartz_have_ranges_and_steps_up_to_2199(years: str, found: list[int]) -> None:
    expression = CronExpression(f"0 0 0 1 6 ? {years}", "quartz")
    assert [at.year for at in expression.after(START)] == found
    later = list(expression.before(datetime(9999, 1, 1)))
    assert [at.year for at in later if at > START] == found[::-1]


def test_any_year_is_as_if_there_were_no_field_for_it() -> None:
    assert times("0 0 0 1 6 ? *", "quartz", 5) == times("0 0 0 1 6 ?", "quartz", 5)


@pytest.mark.parametrize("years", ["2200", "2190-2200", "1969-1975", "2027/0", "2030-2027", "2027-", "-2027"])
def test_a_year_that_is_none_is_refused(years: str) -> None:
    with pytest.raises(PeriodError, match=r"not a year"):
        CronExpression(f"0 0 0 1 6 ? {years}", "quartz")


def test_the_first_and_the_last_moment_of_the_years_of_quartz_are_among_its_times() -> None:
    first = CronExpression("0 0 0 1 1 ? 2027", "quartz")
    last = CronExpression("59 59 23 31 12 ? 2027", "quartz")
    for moment in (START, datetime(2026, 12, 31, 23, 59, 59)):
        assert [*first.after(moment)] == [datetime(2027, 1, 1)]
    for moment in (datetime(2030, 1, 1), datetime(2028, 1, 1)):
        assert [*last.before(moment)] == [datetime(2027, 12, 31, 23, 59, 59)]
    assert [*first.after(datetime(2027, 1, 1))] == []
    assert [*first.before(datetime(2027, 1, 1))] == []


def test_the_rarest_of_all_days_is_found_across_a_century_without_a_leap_year() -> None:
    sundays = CronExpression("0 0 29 2 */7")
    assert [at.year for at in islice(sundays.after(datetime(2089, 1, 1)), 1)] == [2128]
    assert [at.year for at in islice(sundays.before(datetime(2128, 1, 1)), 1)] == [2088]


def test_there_are_no_times_beyond_the_calendar() -> None:
    yearly = CronExpression("@yearly")
    assert [at.year for at in yearly.after(datetime(9998, 6, 1))] == [9999]
    assert [at.year for at in islice(yearly.before(datetime(3, 6, 1)), 9)][:2] == [3, 2]


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("5", "unix", "it has 1 field, not 5; write minute, hour, day of month, month, day of week"),
        ("0 0 0 1 1 ? 2027", "unix", "it has 7 fields, not 5; for a field of seconds use dialect: quartz"),
        ("1 2 3 4 5 6 7 8", "unix", "it has 8 fields, not 5; write minute"),
        ("5", "quartz", "it has 1 fields, not 6 or 7; write second, minute"),
        ("0 0 0 ? * 2/0", "quartz", "2/0 is not a day of week"),
        ("0 0 0 ? * 2/x", "quartz", "2/X is not a day of week"),
        ("0 0 0 0W * ?", "quartz", "bad day of month"),
        ("0 0 0 L-31 * ?", "quartz", "bad day of month"),
        ("0 0 0 L-0 * ?", "quartz", "bad day of month"),
        ("60 0 0 * * ?", "quartz", "bad second; write second, minute, hour, day of month, month, "),
        ("@nothing", "unix", "known are @hourly, @daily, @weekly, @monthly, @yearly"),
    ],
)
def test_what_is_wrong_with_an_expression_is_said_with_what_to_write(
    text: str, dialect: str, message: str
) -> None:
    with pytest.raises(PeriodError) as error:
        CronExpression(text, dialect)
    assert message in str(error.value)
    assert f"cron expression {text!r} is not valid: " in str(error.value)


def test_the_year_of_quartz_is_said_to_be_optional() -> None:
    with pytest.raises(PeriodError, match=r"day of week, year \(the year is optional\)$"):
        CronExpression("0 0", "quartz")
    with pytest.raises(PeriodError, match=r"day of week$"):
        CronExpression("0 0")


def test_a_macro_may_be_written_with_blanks_and_capitals() -> None:
    assert times(" @Daily ", "quartz") == times("@daily")
