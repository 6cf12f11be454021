"""DatePattern: reads and writes dates by a pattern of Java's SimpleDateFormat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType

from scoopi.java.dates.date_names import ENGLISH, FULL, SHORT, DateNames, date_names
from scoopi.java.dates.pattern_calendar import resolve, sunday_before
from scoopi.java.dates.pattern_parts import PatternPart, parts_of
from scoopi.java.dates.pattern_reader import PatternReader

ZONE_LETTERS = "zZX"


def written(part: PatternPart, moment: datetime, names: DateNames) -> str:
    """Write one part of a pattern for a moment, with the names of the pattern's locale."""
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


def _zone(part: PatternPart, moment: datetime) -> str:
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
    """Week of the year; the week that contains the next 1 January is week 1."""
    week = sunday_before(day)
    if day.year < date.max.year and week == sunday_before(date(day.year + 1, 1, 1)):
        return 1
    return _weeks_since(date(day.year, 1, 1), day)


def _weeks_since(first: date, day: date) -> int:
    """Number of the day's week; `first` is in week 1."""
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


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A compiled pattern of Java's SimpleDateFormat, which reads and writes dates.

    `Y` means the calendar year, like `y`. Weeks start on Sunday, and week 1 contains 1 January.

    Raises:
        ValueError: the pattern has an unknown letter or an open quote, or the locale is unknown.
    Source: defs/README.md, 4.5.
    """

    pattern: str
    locale: str = ENGLISH
    _parts: tuple[PatternPart, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", parts_of(self.pattern))
        date_names(self.locale)

    @property
    def has_zone(self) -> bool:
        """Whether the pattern has a time zone."""
        return any(part.letter in ZONE_LETTERS for part in self._parts if part.letter)

    def parse(self, text: str, *, now: datetime | None = None, keep_zone: bool = False) -> datetime:
        """Parse a text into a date-time in the local time zone of this machine.

        Parsing is lenient: 32 Jan is 1 Feb. Fields missing from the pattern default to 1970-01-01 00:00. A
        text without a zone is in local time.

        Args:
            text: the text; case-insensitive.
            now: two-digit years are in the range from 80 years before it to 20 years after; None for the
                current time.
            keep_zone: keep the zone of the text, if it has one, instead of converting to local time.
        Raises:
            ValueError: the text does not match the pattern, or the date is outside the years 1 to 9999.
        """
        century_start = _eighty_years_before(now or datetime.now().astimezone())
        fields = PatternReader(text, century_start.year, self.locale).read(self._parts)
        try:
            moment = resolve(fields, century_start)
            return moment if keep_zone else moment.astimezone()
        except (OverflowError, ValueError):
            raise ValueError(f"{text!r} is outside the years 1 to 9999") from None

    def format(self, moment: datetime) -> str:
        """The moment as text, in its own time zone."""
        return "".join(written(part, moment, date_names(self.locale)) for part in self._parts)


def _eighty_years_before(now: datetime) -> datetime:
    leap_day = now.month == 2 and now.day == 29
    return now.replace(year=now.year - 80, day=28 if leap_day else now.day)
