"""DatePattern: dates read and written by a pattern of the letters of Java's SimpleDateFormat."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from scoopi.java.dates.date_names import ENGLISH, date_names
from scoopi.java.dates.pattern_calendar import resolve
from scoopi.java.dates.pattern_parts import Part, parts_of
from scoopi.java.dates.pattern_reader import Reader
from scoopi.java.dates.pattern_writer import written

ZONE_LETTERS = "zZX"


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A compiled pattern.

    `Y` means the calendar year, as `y`. Weeks begin on Sunday, and 1 January is in the first.

    Raises:
        ValueError: the pattern has an unknown letter or an open quote, or the locale is unknown.
    Source: defs/README.md, 4.5.
    """

    pattern: str
    locale: str = ENGLISH
    _parts: tuple[Part, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", parts_of(self.pattern))
        date_names(self.locale)

    @property
    def has_zone(self) -> bool:
        """Whether a matching text holds a time zone."""
        return any(part.letter in ZONE_LETTERS for part in self._parts if part.letter)

    def parse(self, text: str, *, now: datetime | None = None, keep_zone: bool = False) -> datetime:
        """The date-time that the whole text means, in the local time zone of this machine.

        Reading is lenient: 32 Jan is 1 Feb. What the pattern leaves out is that of 1970-01-01 00:00;
        a text without zone is in local time.

        Args:
            text: what is read; letters in either case.
            now: two-digit years lie from 80 years before it to 20 years after it; the present if left out.
            keep_zone: keep the zone of a text that holds one, instead of converting to local time.
        Raises:
            ValueError: the text does not fit, or the date lies outside of the years 1 to 9999.
        """
        century_start = _eighty_years_before(now or datetime.now().astimezone())
        fields = Reader(text, century_start.year, self.locale).read(self._parts)
        try:
            moment = resolve(fields, century_start)
            return moment if keep_zone else moment.astimezone()
        except (OverflowError, ValueError):
            raise ValueError(f"{text!r} lies outside of the years 1 to 9999") from None

    def format(self, moment: datetime) -> str:
        """The moment as the pattern writes it, by the clock of its own time zone."""
        return "".join(written(part, moment, date_names(self.locale)) for part in self._parts)


def _eighty_years_before(now: datetime) -> datetime:
    leap_day = now.month == 2 and now.day == 29
    return now.replace(year=now.year - 80, day=28 if leap_day else now.day)
