"""CalendarField: a field of Java's Calendar: how to read it, its range, and how to set it."""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType

_LATEST_YEAR = 292_278_994
"""Java's last year. Python's dates end with 9999, so rolling YEAR up to it fails, as it should."""


@dataclass(frozen=True, slots=True)
class CalendarField:
    """A field of Java's Calendar: how to read it, its range, and how to set it.

    Weeks begin on Sunday, and week 1 contains 1 January.

    Attributes:
        least: its smallest value.
        greatest: its largest value in the month or year of a wall time.
        value: its value in a wall time.
        set: the wall time with another value; a value out of range carries into the next larger field.
    """

    least: int
    greatest: Callable[[datetime], int]
    value: Callable[[datetime], int]
    set: Callable[[datetime, int], datetime]


def _of_day(set_day: Callable[[date, int], date]) -> Callable[[datetime, int], datetime]:
    return lambda wall, value: datetime.combine(set_day(wall.date(), value), wall.time())


def _of_time(unit: timedelta, value_of: Callable[[datetime], int]) -> Callable[[datetime, int], datetime]:
    return lambda wall, value: wall + (value - value_of(wall)) * unit


def _set_era(wall: datetime, value: int) -> datetime:
    if value != 1:
        raise ValueError("there is no time before the year 1")
    return wall


def _set_year(day: date, year: int) -> date:
    return date(year, day.month, 1) + timedelta(days=day.day - 1)


def _set_month(day: date, month: int) -> date:
    years, month = divmod(month, 12)
    return date(day.year + years, month + 1, 1) + timedelta(days=day.day - 1)


def _set_week_of_year(day: date, week: int) -> date:
    return _sunday(date(day.year, 1, 1)) + timedelta(days=7 * (week - 1) + day.isoweekday() % 7)


def _set_weekday(day: date, weekday: int) -> date:
    return _sunday(day) + timedelta(days=(weekday - 1) % 7)


def _set_weekday_in_month(day: date, number: int) -> date:
    """The day with the same weekday that is the first, second, … one of its month, by number.

    A negative number counts from the end of the month; 0 is the last such weekday before the month.
    """
    weeks = number - ((day.day - 1) // 7 + 1)
    if number < 0:
        weeks = (_month_length(day) - day.day) // 7 + number + 1
    return day + timedelta(weeks=weeks)


def _sunday(day: date) -> date:
    return day - timedelta(days=day.isoweekday() % 7)


def _month_length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _week_of_month(day: date) -> int:
    return (day.replace(day=1).isoweekday() % 7 + day.day - 1) // 7 + 1


def _week_of_year(day: date) -> int:
    """The week that contains the next 1 January is week 1 of the next year."""
    first = date(day.year, 1, 1).isoweekday() % 7
    week = (first + day.timetuple().tm_yday - 1) // 7 + 1
    return 1 if week > _weeks_of_year(day) else week


def _weeks_of_year(day: date) -> int:
    """The number of weeks that end within the year, including the week of 1 January."""
    first = date(day.year, 1, 1).isoweekday() % 7
    return (first + 365 + isleap(day.year)) // 7


def _day_field(
    least: int,
    greatest: Callable[[datetime], int],
    value: Callable[[datetime], int],
    set_day: Callable[[date, int], date],
) -> CalendarField:
    return CalendarField(least, greatest, value, _of_day(set_day))


def _time_field(greatest: int, value: Callable[[datetime], int], unit: timedelta) -> CalendarField:
    return CalendarField(0, lambda wall: greatest, value, _of_time(unit, value))


_DAY_OF_MONTH = _day_field(
    1,
    lambda wall: _month_length(wall),
    lambda wall: wall.day,
    lambda day, value: day + timedelta(value - day.day),
)
FIELDS: Mapping[str, CalendarField] = MappingProxyType(
    {
        "ERA": CalendarField(0, lambda wall: 1, lambda wall: 1, _set_era),
        "YEAR": _day_field(1, lambda wall: _LATEST_YEAR, lambda wall: wall.year, _set_year),
        "MONTH": _day_field(0, lambda wall: 11, lambda wall: wall.month - 1, _set_month),
        "DATE": _DAY_OF_MONTH,
        "DAY_OF_MONTH": _DAY_OF_MONTH,
        "DAY_OF_YEAR": _day_field(
            1,
            lambda wall: 365 + isleap(wall.year),
            lambda wall: wall.timetuple().tm_yday,
            lambda day, value: date(day.year, 1, 1) + timedelta(value - 1),
        ),
        "DAY_OF_WEEK": _day_field(1, lambda wall: 7, lambda wall: wall.isoweekday() % 7 + 1, _set_weekday),
        "DAY_OF_WEEK_IN_MONTH": _day_field(
            1,
            lambda wall: (_month_length(wall) - (wall.day - 1) % 7 - 1) // 7 + 1,
            lambda wall: (wall.day - 1) // 7 + 1,
            _set_weekday_in_month,
        ),
        "WEEK_OF_YEAR": _day_field(1, _weeks_of_year, _week_of_year, _set_week_of_year),
        "WEEK_OF_MONTH": _day_field(
            0,
            lambda wall: _week_of_month(wall.replace(day=_month_length(wall))),
            _week_of_month,
            lambda day, value: day + timedelta(weeks=value - _week_of_month(day)),
        ),
        "AM_PM": _time_field(1, lambda wall: wall.hour // 12, timedelta(hours=12)),
        "HOUR": _time_field(11, lambda wall: wall.hour % 12, timedelta(hours=1)),
        "HOUR_OF_DAY": _time_field(23, lambda wall: wall.hour, timedelta(hours=1)),
        "MINUTE": _time_field(59, lambda wall: wall.minute, timedelta(minutes=1)),
        "SECOND": _time_field(59, lambda wall: wall.second, timedelta(seconds=1)),
        "MILLISECOND": _time_field(999, lambda wall: wall.microsecond // 1000, timedelta(milliseconds=1)),
    }
)
"""Name in Java's Calendar -> field; MONTH counts from 0, DAY_OF_WEEK from 1 (Sunday)."""
