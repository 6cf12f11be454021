"""Period: an hour, a day, a month or a year, and the arithmetic of periods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum

from scoopi.errors import PeriodError

_DIGITS = re.compile(r"\d{10}", re.ASCII)
_HOUR = timedelta(hours=1)


class Qualifier(Enum):
    """The length of a period; the value is the name in definitions."""

    HOURLY = "hourly"
    DAILY = "daily"
    MONTHLY = "monthly"
    YEARLY = "yearly"

    @property
    def letter(self) -> str:
        """The first letter of the text of such a period: `H`, `D`, `M` or `Y`."""
        return self.value[0].upper()

    @property
    def is_finest(self) -> bool:
        """Whether no periods are nested in such a period."""
        return self is Qualifier.HOURLY

    @property
    def finer(self) -> Qualifier:
        """The qualifier of the periods that are nested in such a period.

        Raises:
            PeriodError: nothing is nested in an hour.
        """
        if self.is_finest:
            raise PeriodError("an hour has no nested periods")
        return _QUALIFIERS[_QUALIFIERS.index(self) - 1]

    @property
    def longest_group(self) -> int:
        """The largest number of such periods that may form a group."""
        return {"hourly": 23, "daily": 28, "monthly": 12, "yearly": 1}[self.value]

    def floor(self, moment: datetime) -> datetime:
        """The beginning of the period that contains a moment."""
        start = moment.replace(minute=0, second=0, microsecond=0)
        if self is Qualifier.HOURLY:
            return start
        if self is Qualifier.DAILY:
            return start.replace(hour=0)
        if self is Qualifier.MONTHLY:
            return start.replace(day=1, hour=0)
        return start.replace(month=1, day=1, hour=0)


_QUALIFIERS = tuple(Qualifier)
_BY_LETTER = {qualifier.letter: qualifier for qualifier in _QUALIFIERS}


@dataclass(frozen=True, slots=True)
class Period:
    """A period of the calendar; it includes its start and excludes its end.

    Its text begins with a letter, because ten digits alone are ambiguous: `2011010100` is both a day and
    the first hour of that day.

    >>> str(Period(Qualifier.DAILY, datetime(2011, 1, 1)))
    'D:2011010100'

    Args:
        qualifier: the length.
        start: the beginning, without a zone; rounded down to the qualifier.
    """

    qualifier: Qualifier
    start: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", self.qualifier.floor(self.start.replace(tzinfo=None)))

    def __str__(self) -> str:
        return f"{self.qualifier.letter}:{self.key}"

    @property
    def key(self) -> str:
        """The ten digits: year, month, day and hour, with zeros for what is finer than the qualifier."""
        start = self.start
        month = start.month if self.qualifier is not Qualifier.YEARLY else 0
        day = start.day if self.qualifier in (Qualifier.HOURLY, Qualifier.DAILY) else 0
        return f"{start.year:04}{month:02}{day:02}{start.hour:02}"

    @property
    def end(self) -> datetime:
        """The beginning of the next period, without a zone."""
        return self.shift(1).start

    def bounds(self, zone: tzinfo = UTC) -> tuple[datetime, datetime]:
        """Start and end in a time zone without clock changes."""
        return self.start.replace(tzinfo=zone), self.end.replace(tzinfo=zone)

    def shift(self, count: int) -> Period:
        """The period that is `count` periods later, or earlier if negative.

        Raises:
            PeriodError: the result is outside the years 1 to 9998.
        """
        try:
            return Period(self.qualifier, self._shifted(count))
        except (ValueError, OverflowError) as error:
            raise PeriodError(f"{self} shifted by {count} is outside the years 1 to 9998") from error

    def _shifted(self, count: int) -> datetime:
        start = self.start
        if self.qualifier is Qualifier.HOURLY:
            shifted = start + _HOUR * count
        elif self.qualifier is Qualifier.DAILY:
            shifted = start + _HOUR * 24 * count
        else:
            months = count if self.qualifier is Qualifier.MONTHLY else 12 * count
            year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
            shifted = start.replace(year=year, month=month + 1)
        if shifted.year > 9998:
            raise OverflowError
        return shifted

    def diff(self, other: Period) -> int:
        """How many periods this one is after the other; negative if it is before it.

        Raises:
            PeriodError: the qualifiers differ.
        """
        if other.qualifier is not self.qualifier:
            hint = f"scoopi period cast {self.qualifier.value} {other} converts the second one"
            raise PeriodError(f"{self} and {other} have different qualifiers", hint=hint)
        if self.qualifier in (Qualifier.HOURLY, Qualifier.DAILY):
            hours = (self.start - other.start) // _HOUR
            return hours if self.qualifier is Qualifier.HOURLY else hours // 24
        months = (self.start.year - other.start.year) * 12 + self.start.month - other.start.month
        return months if self.qualifier is Qualifier.MONTHLY else months // 12

    def cast(self, qualifier: Qualifier) -> Period:
        """Convert to another length: the period that contains this one, or the first one nested in it.

        >>> str(parse_period("M:2011020000").cast(Qualifier.HOURLY))
        'H:2011020100'
        """
        return Period(qualifier, self.start)

    def children(self, qualifier: Qualifier | None = None) -> Iterator[Period]:
        """The nested periods in order: the hours of a day, the days of a month, the months of a year.

        Args:
            qualifier: of the nested periods; the next finer one by default.
        Raises:
            PeriodError: the qualifier is not finer.
        """
        finer = qualifier or self.qualifier.finer
        if _QUALIFIERS.index(finer) >= _QUALIFIERS.index(self.qualifier):
            raise PeriodError(f"{finer.value} periods are not nested in {self}")
        return self._children(finer)

    def _children(self, finer: Qualifier) -> Iterator[Period]:
        child, end = self.cast(finer), self.end
        while child.start < end:
            yield child
            child = child.shift(1)

    def group(self, size: int) -> tuple[Period, Period]:
        """First and last member of the group that contains this period.

        Groups end at the multiples of `size`, counted from hour 0, day 1 and month 1; the first group of
        hours has hour 0 in addition, and the last group of a day, month or year may be shorter.

        >>> [str(member) for member in parse_period("H:2011010122").group(3)]
        ['H:2011010122', 'H:2011010123']

        Raises:
            PeriodError: the size is not from 1 to `longest_group`.
        """
        longest = self.qualifier.longest_group
        if not 1 <= size <= longest:
            raise PeriodError(f"{self.qualifier.value} periods form groups of 1 to {longest}, not of {size}")
        if size == 1:
            return self, self
        ordinal, first_of_all, last_of_all = self._place()
        end = -(-ordinal // size) * size or size
        first = end - size + 1
        if first == 1:
            first = first_of_all
        return self.shift(first - ordinal), self.shift(min(end, last_of_all) - ordinal)

    def _place(self) -> tuple[int, int, int]:
        """The ordinal of this period in its parent, and those of the first and the last period there."""
        if self.qualifier is Qualifier.HOURLY:
            return self.start.hour, 0, 23
        if self.qualifier is Qualifier.DAILY:
            month = self.cast(Qualifier.MONTHLY)
            return self.start.day, 1, (month.end - month.start).days
        return self.start.month, 1, 12


def parse_qualifier(text: str) -> Qualifier:
    """The qualifier with this name.

    Raises:
        PeriodError: the name is unknown.
    """
    try:
        return Qualifier(text)
    except ValueError:
        names = ", ".join(qualifier.value for qualifier in _QUALIFIERS)
        raise PeriodError(f"unknown qualifier {text}", hint=f"use one of {names}") from None


def parse_period(text: str, qualifier: Qualifier | None = None) -> Period:
    """Parse the text of a period, such as `H:2011010110`.

    Args:
        text: a letter and ten digits; the letter is optional if the qualifier is given.
        qualifier: the expected length; a finer period is rounded down to it.
    Raises:
        PeriodError: the text is not a period, or its date does not exist.
    """
    letter, colon, digits = text.rpartition(":")
    if not _DIGITS.fullmatch(digits) or (colon and letter not in _BY_LETTER):
        raise PeriodError(
            f"{text!r} is not a period", hint="write a letter of H D M Y and ten digits, as in H:2011010110"
        )
    if colon:
        own = Period(_BY_LETTER[letter], _moment(text, digits, _BY_LETTER[letter]))
        return own if qualifier is None else own.cast(qualifier)
    if qualifier is None:
        raise PeriodError(
            f"{text} has no qualifier", hint=f"write D:{text} for the day, H:{text} for the hour"
        )
    return Period(qualifier, _moment(text, digits, qualifier))


def _moment(text: str, digits: str, qualifier: Qualifier) -> datetime:
    """The start of a period; month and day may be zero where the qualifier does not need them.

    Raises:
        PeriodError: the date does not exist, or is after the year 9998.
    """
    year, month, day, hour = int(digits[:4]), int(digits[4:6]), int(digits[6:8]), int(digits[8:])
    may_lack_month = qualifier is Qualifier.YEARLY and not month and not day and not hour
    may_lack_day = qualifier in (Qualifier.YEARLY, Qualifier.MONTHLY) and not day and not hour
    month = 1 if may_lack_month else month
    day = 1 if may_lack_day else day
    try:
        if year > 9998:
            raise ValueError("year 9999 has no end")
        return datetime(year, month, day, hour)
    except ValueError as error:
        raise PeriodError(f"{text} is not a period: {error}") from error
