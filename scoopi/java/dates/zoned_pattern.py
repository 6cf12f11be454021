"""ZonedPattern: reads and writes date-times with a zone by a pattern of Java's DateTimeFormatter."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scoopi.java.dates.date_names import ENGLISH, DateNames, date_names
from scoopi.java.dates.zoned_pattern_parts import ZonedPart, zoned_parts
from scoopi.java.dates.zoned_pattern_reader import Fields, read
from scoopi.java.dates.zoned_pattern_writer import Moment, first_week, written

_DAY_S = 86_400
_RANGES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "M": (1, 12), "d": (1, 31), "D": (1, 366), "Q": (1, 4), "w": (1, 53), "e": (1, 7), "H": (0, 23),
        "k": (1, 24), "K": (0, 11), "h": (1, 12), "m": (0, 59), "s": (0, 59), "A": (0, 86_399_999),
        "n": (0, 999_999_999), "N": (0, 86_399_999_999_999), "u": (1, 9999), "y": (1, 9999), "Y": (1, 9999),
    }
)  # fmt: skip
_NANOS = 1_000_000_000


class NoZoneError(ValueError):
    """A text matches its pattern, but has no time zone."""


def resolved(fields: Fields, names: DateNames) -> Moment:
    """Turn the fields of a text into a moment; `names` has the locale's first day of a week.

    Raises:
        NoZoneError: there is no time zone.
        ValueError: a field is out of its range, fields contradict each other, or there is no year.
    """
    numbers = {key: value for key, value in fields.items() if isinstance(value, int)}
    for letter, (least, most) in _RANGES.items():
        if not least <= numbers.get(letter, least) <= most:
            raise ValueError(f"{numbers[letter]} is not a valid value of {letter}")
    day = _day(numbers, names)
    if numbers.get("E", day.isoweekday()) != day.isoweekday():
        raise ValueError(f"{day} is another day of the week")
    if numbers.get("Q", (day.month + 2) // 3) != (day.month + 2) // 3:
        raise ValueError(f"{day} is in another quarter")
    nanos = _nanos_of_day(numbers)
    region = str(fields.get("region", ""))
    wall = datetime.combine(day, time()) + timedelta(seconds=nanos // _NANOS)
    return Moment(wall.replace(tzinfo=_zone(fields, region)), nanos % _NANOS, region)


def _day(numbers: Mapping[str, int], names: DateNames) -> date:
    if "Y" in numbers and "w" in numbers and ("e" in numbers or "E" in numbers):
        number = numbers["e"] if "e" in numbers else (numbers["E"] - 1 - names.first_weekday) % 7 + 1
        return first_week(numbers["Y"], names) + timedelta(days=7 * (numbers["w"] - 1) + number - 1)
    year = numbers.get("u", numbers.get("y"))
    if year is None or numbers.get("G") == 1:
        raise ValueError("there is no year after the year 0")
    if "D" in numbers:
        day = date(year, 1, 1) + timedelta(days=numbers["D"] - 1)
        if day.year != year:
            raise ValueError(f"{year} has no day {numbers['D']}")
        return day
    month = numbers.get("M", 1)
    return date(year, month, min(numbers.get("d", 1), monthrange(year, month)[1]))


def _nanos_of_day(numbers: Mapping[str, int]) -> int:
    if "N" in numbers:
        return numbers["N"]
    if "A" in numbers:
        return numbers["A"] * 1_000_000
    seconds = _hour(numbers) * 3600 + numbers.get("m", 0) * 60 + numbers.get("s", 0)
    return seconds % _DAY_S * _NANOS + numbers.get("S", numbers.get("n", 0))


def _hour(numbers: Mapping[str, int]) -> int:
    if "H" in numbers:
        return numbers["H"]
    if "k" in numbers:
        return numbers["k"] % 24
    halved = numbers.get("K", numbers.get("h", 0) % 12)
    if "a" not in numbers and ("K" in numbers or "h" in numbers):
        raise ValueError("there is no half of the day beside the hour")
    return halved + 12 * (numbers.get("a", 1) - 1)


def _zone(fields: Fields, region: str) -> tzinfo:
    if region:
        try:
            return ZoneInfo(region)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{region} is not a known time zone") from None
    if "offset" not in fields:
        raise NoZoneError("there is no time zone")
    return timezone(timedelta(seconds=int(fields["offset"])))


@dataclass(frozen=True, slots=True)
class ZonedPattern:
    """A compiled pattern of Java's DateTimeFormatter, which reads and writes date-times with a zone.

    A text must have a year and a zone; other missing fields have their least value, such as 1 for the month.

    Raises:
        ValueError: the pattern is invalid, or its locale is unknown.
    Source: defs/README.md, 4.5.
    """

    pattern: str
    locale: str = ENGLISH
    _parts: tuple[ZonedPart, ...] = field(init=False, repr=False, compare=False)
    _names: DateNames = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", zoned_parts(self.pattern))
        object.__setattr__(self, "_names", date_names(self.locale))

    def parse(self, text: str) -> Moment:
        """Parse a text into a moment.

        Raises:
            NoZoneError: the text matches, but has no time zone.
            ValueError: the text does not match the pattern.
        """
        return resolved(read(self._parts, text, self._names), self._names)

    def format(self, moment: Moment) -> str:
        """The moment as text, in its own zone.

        Raises:
            ValueError: the moment lacks what a field needs: `VV` needs a zone's name.
        """
        return written(self._parts, moment, self._names)
