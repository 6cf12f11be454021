"""LocatorValues, TextTemplate: what the placeholders of a locator stand for, and a text that has some."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote, quote_plus

import msgspec

from scoopi.java.dates.date_pattern import DatePattern

ISO_DAY = "yyyy-MM-dd"
_PLACEHOLDER = re.compile(r"(%?)%\{\s*([^{}]*?)\s*\}")
_OF_PATHS = "/:@!$&'()*+,;="
"""What stands for itself in the path of an address (RFC 3986, 3.3)."""
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


LocatorValues = NumberValues | DateValues | TextValues


def all_values(values: Sequence[LocatorValues]) -> Iterator[dict[str, str]]:
    """One value of each, in all combinations; the last one changes fastest. None is kept in memory."""
    if not values:
        yield {}
        return
    first, *others = values
    for text in first.texts():
        for rest in all_values(others):
            yield {first.name: text, **rest}


def placeholder_names(text: str) -> list[str]:
    """The names in `%{…}`, in order.

    >>> placeholder_names("http://a/%{shop}/%{ n }?q=100%%{x}")
    ['shop', 'n']
    """
    return [name for escape, name in _PLACEHOLDER.findall(text) if not escape]


def unescaped(text: str) -> str:
    """A text without placeholders as it is meant: `%%{` is `%{`."""
    return text.replace("%%{", "%{")


class TextTemplate:
    """A text whose placeholders are filled with values.

    Args:
        write: how a value is written into it, given the value, and the text before it as far as it is fixed.
    """

    def __init__(self, text: str, write: Callable[[str, str], str] = lambda value, before: value) -> None:
        self._write = write
        self._parts: list[tuple[str, str, str]] = []
        """The fixed text before a placeholder, all fixed text before it, and its name."""
        at, before = 0, ""
        for found in _PLACEHOLDER.finditer(text):
            if found[1]:
                continue
            fixed = unescaped(text[at : found.start()])
            before += fixed
            self._parts.append((fixed, before, found[2]))
            at = found.end()
        self._rest = unescaped(text[at:])

    def filled(self, values: Mapping[str, str]) -> str:
        """The text with these values; a name that has none stands for nothing."""
        write = self._write
        return (
            "".join([fixed + write(values.get(name, ""), before) for fixed, before, name in self._parts])
            + self._rest
        )


def address_template(url: str) -> TextTemplate:
    """An address: values are encoded as its path or its query needs it.

    What stands at its beginning or in its host is taken as it is, and so is a value in the path of a file.

    >>> address_template("http://a/%{x}?q=%{x}").filled({"x": "b c/&"})
    'http://a/b%20c/&?q=b+c%2F%26'
    """
    return TextTemplate(url, _in_address if url.lower().startswith(("http:", "https:", "%{")) else _as_it_is)


def json_template(text: str, values: Sequence[LocatorValues]) -> TextTemplate:
    """A JSON document: values are texts in it; a string that is one number of a range becomes that number."""
    for each in values:
        if isinstance(each, NumberValues) and not each.width:
            text = text.replace(f'"%{{{each.name}}}"', f"%{{{each.name}}}")
    return TextTemplate(text, lambda value, before: json.dumps(value, ensure_ascii=False)[1:-1])


def _as_it_is(value: str, before: str) -> str:
    return value


def _in_address(value: str, before: str) -> str:
    if value.isalnum() and value.isascii():
        return value  # as numbers, which most values are
    if "?" in before or "#" in before:
        return quote_plus(value)
    if not before or ("://" in before and "/" not in before.partition("://")[2]):
        return value
    return quote(value, safe=_OF_PATHS)
