"""Durations as definitions of the scheduler write them: `250ms`, `90s`, `15m`, `48h`, `2d`."""

from __future__ import annotations

import re
from datetime import timedelta

from scoopi.errors import PeriodError

_DURATION = re.compile(r"(\d{1,9})(ms|s|m|h|d)", re.ASCII)
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


def parse_duration(text: str) -> timedelta:
    """Parse a duration: a number and a unit.

    >>> str(parse_duration("90s"))
    '0:01:30'

    Raises:
        PeriodError: the text is not a duration, or longer than 100,000 days: within this limit, any time of
            this century plus or minus a duration is in the years of the calendar.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise PeriodError(
            f"{text!r} is not a duration", hint="write a number and ms, s, m, h or d, as in 15m"
        )
    number, unit = int(match[1]), match[2]
    if number * _UNITS[unit].total_seconds() > 86400e5:
        raise PeriodError(f"{text} is longer than 100,000 days")
    return number * _UNITS[unit]


def duration_text(duration: timedelta) -> str:
    """The text of a duration, in the largest unit that gives a whole number.

    >>> duration_text(timedelta(minutes=90))
    '90m'
    """
    for unit in ("d", "h", "m", "s"):
        if duration and not duration % _UNITS[unit]:
            return f"{duration // _UNITS[unit]}{unit}"
    return f"{duration // _UNITS['ms']}ms" if duration else "0s"
