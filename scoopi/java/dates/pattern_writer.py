"""written: one part of a date pattern, filled in with a moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from types import MappingProxyType

from scoopi.java.dates.date_names import FULL, SHORT, DateNames
from scoopi.java.dates.pattern_calendar import sunday_before
from scoopi.java.dates.pattern_parts import Part


def written(part: Part, moment: datetime, names: DateNames) -> str:
    """The part as text; plain text as it is."""
    match part.letter:
        case "":
            return part.text
        case "G":
            return names.eras[SHORT][1]
        case "M" | "L" if part.width >= 3:
            return names.months[FULL if part.width >= 4 else SHORT][moment.month - 1]
        case "E":
            return names.days[FULL if part.width >= 4 else SHORT][moment.weekday()]
        case "a":
            return names.halves[SHORT][moment.hour // 12]
        case "y" | "Y" if part.width == 2:
            return f"{moment.year % 100:02d}"
        case "z" | "Z" | "X":
            return _zone(part, moment)
    return f"{_NUMBERS[part.letter](moment):0{part.width}d}"


def _zone(part: Part, moment: datetime) -> str:
    aware = moment if moment.tzinfo else moment.astimezone()
    offset = aware.utcoffset()
    minutes = round(offset.total_seconds() / 60) if offset else 0
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    if part.letter == "Z":
        return f"{sign}{hours:02d}{rest:02d}"
    if part.letter == "X":
        if not minutes:
            return "Z"
        return sign + (f"{hours:02d}", f"{hours:02d}{rest:02d}", f"{hours:02d}:{rest:02d}")[part.width - 1]
    name = aware.tzname() or ""
    return name if name.isalpha() else f"GMT{sign}{hours:02d}:{rest:02d}"


def _week_of_year(day: date) -> int:
    """The week of the next 1 January is the first of the next year."""
    week = sunday_before(day)
    if day.year < date.max.year and week == sunday_before(date(day.year + 1, 1, 1)):
        return 1
    return _weeks_since(date(day.year, 1, 1), day)


def _weeks_since(first: date, day: date) -> int:
    """Number of the day's week, where `first` is in week 1."""
    return (first.isoweekday() % 7 + (day - first).days) // 7 + 1


_NUMBERS: Mapping[str, Callable[[datetime], int]] = MappingProxyType(
    {
        "y": lambda moment: moment.year,
        "Y": lambda moment: moment.year,
        "M": lambda moment: moment.month,
        "L": lambda moment: moment.month,
        "d": lambda moment: moment.day,
        "D": lambda moment: moment.timetuple().tm_yday,
        "F": lambda moment: (moment.day - 1) // 7 + 1,
        "w": lambda moment: _week_of_year(moment.date()),
        "W": lambda moment: _weeks_since(moment.date().replace(day=1), moment.date()),
        "u": lambda moment: moment.isoweekday(),
        "k": lambda moment: moment.hour or 24,
        "H": lambda moment: moment.hour,
        "h": lambda moment: moment.hour % 12 or 12,
        "K": lambda moment: moment.hour % 12,
        "m": lambda moment: moment.minute,
        "s": lambda moment: moment.second,
        "S": lambda moment: moment.microsecond // 1000,
    }
)
