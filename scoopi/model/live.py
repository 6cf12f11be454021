"""Live: how long a saved page may serve later runs."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime, timedelta

from scoopi.java.dates.date_pattern import DatePattern

_DURATION = re.compile(
    r"([-+]?)P(?:([-+]?\d+)D)?"
    r"(?:T(?=[-+\d])(?:([-+]?\d+)H)?(?:([-+]?\d+)M)?(?:([-+]?\d+)(?:[.,](\d{0,9}))?S)?)?",
    re.ASCII | re.IGNORECASE,
)
_PERIOD = re.compile(
    r"([-+]?)P(?:([-+]?\d+)Y)?(?:([-+]?\d+)M)?(?:([-+]?\d+)W)?(?:([-+]?\d+)D)?",
    re.ASCII | re.IGNORECASE,
)
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Live:
    """How long a saved page may serve later runs.

    Either a span of time from the loading of the page, or a fixed moment; without both, nothing is reused.

    Source: defs/README.md, 4.6.

    Attributes:
        months: the whole months of the span; the 31st becomes the last day of a shorter month.
        days: further days, by the calendar.
        seconds: further seconds.
        until: the fixed moment, zone-aware; if it is given, the span is not used.
    """

    months: int = 0
    days: int = 0
    seconds: float = 0
    until: datetime | None = None

    def fresh(self, from_date: datetime, run_date: datetime) -> bool:
        """Whether a page loaded at `from_date` may serve the run at `run_date`; both are zone-aware.

        A page that expires exactly at `run_date` is stale.
        """
        if self.until is not None:
            return self.until > run_date
        try:
            return self._end(from_date) > run_date
        except OverflowError:
            return self.months + self.days + self.seconds > 0

    def _end(self, start: datetime) -> datetime:
        """The end of the span, by the local calendar: a day may have 23 hours."""
        wall = start.astimezone().replace(tzinfo=None)
        years, month = divmod(wall.month - 1 + self.months, 12)
        year = wall.year + years
        if not MINYEAR <= year <= MAXYEAR:
            raise OverflowError(f"there is no year {year}")
        day = min(wall.day, monthrange(year, month + 1)[1])
        shifted = wall.replace(year=year, month=month + 1, day=day) + timedelta(days=self.days)
        return shifted.astimezone() + timedelta(seconds=self.seconds)


def parse_live(text: str, pattern: DatePattern) -> Live:
    """Parse the `live` of a task group.

    >>> from scoopi.java.dates.date_pattern import DatePattern
    >>> parse_live("P1Y2M3D", DatePattern("yyyy-MM-dd"))
    Live(months=14, days=3, seconds=0, until=None)

    Args:
        text: an ISO duration (`PT6H`) or period (`P1W`, `P1Y2M3D`), `0` or blank for never, or else a
            date-time.
        pattern: the pattern of the date-time (`scoopi.dateTimePattern`).
    Raises:
        ValueError: the text is none of these.
    """
    span = text.strip()
    if span in ("", "0"):
        return Live()
    if len(span) > 1 and re.search(rf"\d{{{_MOST_DIGITS + 1}}}", span) is None:
        duration = _DURATION.fullmatch(span)
        if duration and span[-1] not in "pP":
            return _duration(*duration.groups())
        period = _PERIOD.fullmatch(span)
        if period and span[-1] not in "pP":
            return _period(*period.groups())
    try:
        return Live(until=pattern.parse(text))
    except ValueError as error:
        how = "write a span such as PT6H, P1W or P2M, or a date-time as scoopi.dateTimePattern has it"
        raise ValueError(f"{text!r} is neither a span of time nor a date-time ({error}); {how}") from None


def _duration(
    sign: str, days: str | None, hours: str | None, minutes: str | None, seconds: str | None, part: str | None
) -> Live:
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    fraction = int((part or "0").ljust(9, "0")) / 1e9
    total = whole + (-fraction if (seconds or "").startswith("-") else fraction)
    times = -1 if sign == "-" else 1
    return Live(days=times * int(days or 0), seconds=times * total)


def _period(sign: str, years: str | None, months: str | None, weeks: str | None, days: str | None) -> Live:
    times = -1 if sign == "-" else 1
    return Live(
        months=times * (int(years or 0) * 12 + int(months or 0)),
        days=times * (int(weeks or 0) * 7 + int(days or 0)),
    )
