"""LocatorValues: the values of a locator's placeholders, and their combinations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from math import prod

import msgspec

from scoopi.java.dates.date_pattern import DatePattern

ISO_DAY = "yyyy-MM-dd"
_MONTHS = 12
_DIRECTIVES = frozenset("aAbBdjmyY%")
"""The directives of strftime that a day has a value for, and that all systems know."""


def check_day_pattern(pattern: str) -> None:
    """Check a pattern of days: the letters of Java's date patterns, or with a `%` directives of strftime.

    Raises:
        ValueError: it is not a valid pattern.
    """
    if "%" not in pattern:
        DatePattern(pattern)
        return
    letters = re.findall(r"%(.?)", pattern)
    wrong = next((each for each in letters if each not in _DIRECTIVES), None)
    if wrong is not None:
        raise ValueError(f"%{wrong} is not a directive for a day")


def _day_writer(pattern: str) -> Callable[[date], str]:
    if pattern == ISO_DAY:
        return date.isoformat
    if "%" in pattern:
        return lambda day: day.strftime(pattern)
    letters = DatePattern(pattern)
    return lambda day: letters.format(datetime(day.year, day.month, day.day, tzinfo=UTC))


class NumberValues(msgspec.Struct, frozen=True, tag="numbers", omit_defaults=True):
    """Whole numbers, both ends included.

    Attributes:
        width: the least number of digits; shorter numbers are padded with zeros.
    """

    name: str
    first: int
    last: int
    step: int = 1
    width: int = 0

    @property
    def count(self) -> int:
        """The number of values."""
        return (self.last - self.first) // self.step + 1

    def texts(self) -> Iterator[str]:
        """Yield each number as text."""
        for number in range(self.first, self.last + 1, self.step):
            yield str(number).zfill(self.width)


class DateValues(msgspec.Struct, frozen=True, tag="dates", omit_defaults=True):
    """Dates, both ends included, every `step` days or months.

    Attributes:
        in_months: whether `step` counts months; the 31st becomes the last day of a shorter month.
        pattern: how the dates are written, see `check_day_pattern`.
    """

    name: str
    first: date
    last: date
    step: int = 1
    in_months: bool = False
    pattern: str = ISO_DAY

    @property
    def count(self) -> int:
        """The number of values."""
        if not self.in_months:
            return (self.last - self.first).days // self.step + 1
        months = (self.last.year - self.first.year) * _MONTHS + self.last.month - self.first.month
        return months // self.step + (self._after(months // self.step) <= self.last)

    def texts(self) -> Iterator[str]:
        """Yield each date as text."""
        write = _day_writer(self.pattern)
        for number in range(self.count):
            yield write(self._after(number))

    def _after(self, steps: int) -> date:
        if not self.in_months:
            return self.first + timedelta(days=steps * self.step)
        years, month = divmod(self.first.month - 1 + steps * self.step, _MONTHS)
        year, month = self.first.year + years, month + 1
        begin_of_next = date(year + month // _MONTHS, month % _MONTHS + 1, 1)
        return date(year, month, min(self.first.day, (begin_of_next - timedelta(days=1)).day))


class TextValues(msgspec.Struct, frozen=True, tag="texts"):
    """A list of texts."""

    name: str
    listed: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self.listed)

    def texts(self) -> Iterator[str]:
        """Return each text."""
        return iter(self.listed)


class RowValues(msgspec.Struct, frozen=True, tag="rows"):
    """Rows of a file, a query or another run; the values of one row are always used together.

    Attributes:
        names: the names of the columns.
        rows: the cells of each row, in the order of the columns.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def given(self) -> Iterator[dict[str, str]]:
        """Yield each row as a dict by column."""
        for row in self.rows:
            yield dict(zip(self.names, row, strict=True))


LocatorValues = NumberValues | DateValues | TextValues | RowValues


def count_of(values: Iterable[LocatorValues]) -> int:
    """Return the number of combinations of the values."""
    return prod(each.count for each in values)


def all_values(values: Sequence[LocatorValues], skip: int = 0) -> Iterator[dict[str, str]]:
    """Yield all combinations of one value of each; the last changes fastest. They are made one at a time.

    Args:
        skip: how many combinations to leave out at the beginning; fewer than there are.
    """
    if not values:
        yield {}
        return
    first, *others = values
    passed, skip = divmod(skip, count_of(others))
    if isinstance(first, RowValues):
        for row in islice(first.given(), passed, None):
            for rest in all_values(others, skip):
                yield {**row, **rest}
            skip = 0
        return
    for text in islice(first.texts(), passed, None):
        for rest in all_values(others, skip):
            yield {first.name: text, **rest}
        skip = 0
