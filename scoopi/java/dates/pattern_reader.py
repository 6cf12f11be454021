"""PatternReader: reads a text by a date pattern into calendar fields."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from scoopi.java.dates.date_names import ENGLISH, FULL, SHORT, ZONES, Styles, date_names
from scoopi.java.dates.pattern_parts import PatternPart

_NUMBER = re.compile(r"-?\d+")
_MOST_DIGITS = 18
_BLANK = " \t"
Named = Mapping[str, tuple[str, Mapping[str, int]]]
"""Letter -> (field, lower-case name -> number)."""
_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "d": "day_of_month",
        "D": "day_of_year",
        "F": "day_of_week_in_month",
        "w": "week_of_year",
        "W": "week_of_month",
        "H": "hour_of_day",
        "K": "hour",
        "m": "minute",
        "s": "second",
        "S": "millisecond",
    }
)
_RFC_ZONE = re.compile(r"([+-])([01]\d|2[0-3])([0-5]\d)", re.ASCII)
_GMT_ZONE = re.compile(r"GMT(?:([+-])([01]?\d|2[0-3]):([0-5]\d))?", re.ASCII | re.IGNORECASE)
_ISO_ZONES = (
    re.compile(r"Z|([+-])([01]\d|2[0-3])()", re.ASCII),
    re.compile(r"Z|([+-])([01]\d|2[0-3])([0-5]\d)", re.ASCII),
    re.compile(r"Z|([+-])([01]\d|2[0-3]):([0-5]\d)", re.ASCII),
)


@cache
def _named_of(locale: str) -> Named:
    names = date_names(locale)
    months = _numbered([names.standalone_months, names.months])
    days = {
        name: number % 7 + 1 for name, number in _numbered([names.standalone_days, names.days], 1).items()
    }
    return MappingProxyType(
        {
            "M": ("month", months),
            "L": ("month", months),
            "E": ("day_of_week", days),
            "a": ("am_pm", _numbered([names.halves])),
            "G": ("era", _numbered([names.eras])),
        }
    )


def _numbered(every: list[Styles], first: int = 0) -> dict[str, int]:
    known = [styles[style] for styles in every for style in (SHORT, FULL) if style in styles]
    return {name.lower(): number for names in known for number, name in enumerate(names, first)}


class PatternReader:
    """Reads one text by a date pattern, from left to right. Used once.

    Args:
        text: the text.
        century_start: the earliest year that two digits can stand for.
        locale: locale of the names.
    """

    def __init__(self, text: str, century_start: int, locale: str = ENGLISH) -> None:
        self._text = text
        self._century_start = century_start
        self._named_fields = _named_of(locale)
        self._index = 0
        self._fields: dict[str, int] = {}

    def read(self, parts: tuple[PatternPart, ...]) -> dict[str, int]:
        """Read the text: calendar field -> value, in the order of the text.

        `month` is counted from 0, `day_of_week` from 1 for Sunday; `am_pm` is 0 or 1, `era` 0 for BC, and
        `offset` the minutes east of UTC. `ambiguous` is 1 for a year of two digits that may also belong to
        the next century.

        Raises:
            ValueError: the text does not match the parts, or is longer.
        """
        for part in parts:
            if part.letter:
                self._read_field(part)
            elif self._text.startswith(part.text, self._index):
                self._index += len(part.text)
            else:
                raise self._misfit(repr(part.text))
        if self._index < len(self._text):
            raise self._misfit("its end")
        return self._fields

    def _read_field(self, part: PatternPart) -> None:
        if part.letter in self._named_fields and not part.is_number:
            name, numbers = self._named_fields[part.letter]
            self._set(name, self._named(part.letter, numbers))
            return
        while self._index < len(self._text) and self._text[self._index] in _BLANK:
            self._index += 1
        if part.is_number:
            self._set_number(part, self._number(part))
        else:
            self._set("offset", self._zone(part))

    def _set(self, name: str, value: int) -> None:
        self._fields.pop(name, None)
        self._fields[name] = value

    def _number(self, part: PatternPart) -> int:
        end = self._index + part.width if part.abuts else len(self._text)
        found = _NUMBER.match(self._text, self._index, min(end, len(self._text)))
        if found is None or end > len(self._text) or len(found[0]) > _MOST_DIGITS:
            raise self._misfit("a number")
        self._index = found.end()
        if part.letter in "yY" and part.width <= 2 and len(found[0]) == 2 and found[0].isdigit():
            return self._full_year(int(found[0]))
        return int(found[0])

    def _full_year(self, value: int) -> int:
        """The year with these last two digits in the current century; may be before the exact start of it."""
        century, first = divmod(self._century_start, 100)
        self._fields["ambiguous"] = int(value == first)
        return century * 100 + value + (100 if value < first else 0)

    def _set_number(self, part: PatternPart, value: int) -> None:
        match part.letter:
            case "y" | "Y":
                self._set("year", value)
            case "M" | "L":
                self._set("month", value - 1)
            case "k":
                self._set("hour_of_day", 0 if value == 24 else value)
            case "h":
                self._set("hour", 0 if value == 12 else value)
            case "u":
                self._set("day_of_week", value % 7 + 1 if 1 <= value <= 7 else value)
            case letter:
                self._set(_FIELDS[letter], value)

    def _named(self, letter: str, numbers: Mapping[str, int]) -> int:
        """The number of the longest name at this position."""
        rest = self._text[self._index : self._index + 40].lower()
        fitting = [name for name in numbers if rest.startswith(name)]
        if not fitting:
            raise self._misfit({"M": "a month", "L": "a month", "E": "a day"}.get(letter, "AM or PM"))
        name = max(fitting, key=len)
        self._index += len(name)
        return numbers[name]

    def _zone(self, part: PatternPart) -> int:
        patterns = [_ISO_ZONES[part.width - 1]] if part.letter == "X" else [_RFC_ZONE, _GMT_ZONE]
        for pattern in patterns:
            found = pattern.match(self._text, self._index)
            if found:
                self._index = found.end()
                minutes = int(found[2] or 0) * 60 + int(found[3] or 0)
                return -minutes if found[1] == "-" else minutes
        if part.letter == "X":
            raise self._misfit("a zone")
        return self._zone_name()

    def _zone_name(self) -> int:
        local = {
            time.tzname[0].upper(): -time.timezone // 60,
            time.tzname[1].upper(): -time.altzone // 60,
        }
        name = re.compile(r"[A-Za-z]*").match(self._text, self._index)
        zones = {**ZONES, **local}
        if name is None or name[0].upper() not in zones:
            raise self._misfit("a zone")
        self._index = name.end()
        return zones[name[0].upper()]

    def _misfit(self, wanted: str) -> ValueError:
        return ValueError(f"{self._text!r} needs {wanted} at character {self._index + 1}")
