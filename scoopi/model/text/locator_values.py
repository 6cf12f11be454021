"""LocatorValues: what the placeholders of a locator stand for, and in which order they are filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from math import prod

import msgspec

from scoopi.java.dates.date_pattern import DatePattern

ISO_DAY = "yyyy-MM-dd"
_MONTHS = 12


class NumberValues(msgspec.Struct, frozen=True, tag="numbers", omit_defaults=True):
    """Whole numbers, both ends included.

    Attributes:
        width: the least number of digits; zeros are put before a shorter number.
    """

    name: str
    first: int
    last: int
    step: int = 1
    width: int = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return (self.last - self.first) // self.step + 1

    def texts(self) -> Iterator[str]:
        """Each number as written."""
        for number in range(self.first, self.last + 1, self.step):
            yield str(number).zfill(self.width)


class DateValues(msgspec.Struct, frozen=True, tag="dates", omit_defaults=True):
    """Days, both ends included, every so many days or months.

    Attributes:
        in_months: `step` counts months; a month that is too short has its last day instead.
        pattern: how they are written, in Java's letters for dates.
    """

    name: str
    first: date
    last: date
    step: int = 1
    in_months: bool = False
    pattern: str = ISO_DAY

    @property
    def count(self) -> int:
        """How many there are."""
        if not self.in_months:
            return (self.last - self.first).days // self.step + 1
        months = (self.last.year - self.first.year) * _MONTHS + self.last.month - self.first.month
        return months // self.step + (self._after(months // self.step) <= self.last)

    def texts(self) -> Iterator[str]:
        """Each day as written."""
        is_plain, pattern = self.pattern == ISO_DAY, DatePattern(self.pattern)
        for number in range(self.count):
            day = self._after(number)
            yield (
                day.isoformat()
                if is_plain
                else pattern.format(datetime(day.year, day.month, day.day, tzinfo=UTC))
            )

    def _after(self, steps: int) -> date:
        if not self.in_months:
            return self.first + timedelta(days=steps * self.step)
        years, month = divmod(self.first.month - 1 + steps * self.step, _MONTHS)
        year, month = self.first.year + years, month + 1
        begin_of_next = date(year + month // _MONTHS, month % _MONTHS + 1, 1)
        return date(year, month, min(self.first.day, (begin_of_next - timedelta(days=1)).day))


class TextValues(msgspec.Struct, frozen=True, tag="texts"):
    """Texts that are listed."""

    name: str
    listed: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.listed)

    def texts(self) -> Iterator[str]:
        """Each text."""
        return iter(self.listed)


class RowValues(msgspec.Struct, frozen=True, tag="rows"):
    """Rows of a file: the values of a row belong together.

    Attributes:
        names: of the columns.
        rows: cells in the order of the columns.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def given(self) -> Iterator[dict[str, str]]:
        """Each row, by the names of its columns."""
        for row in self.rows:
            yield dict(zip(self.names, row, strict=True))


LocatorValues = NumberValues | DateValues | TextValues | RowValues


def count_of(values: Iterable[LocatorValues]) -> int:
    """How many combinations there are."""
    return prod(each.count for each in values)


def all_values(values: Sequence[LocatorValues], skip: int = 0) -> Iterator[dict[str, str]]:
    """One value of each, in all combinations; the last one changes fastest. None is kept in memory.

    Args:
        skip: so many combinations, fewer than there are, are left out at the beginning.
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
