"""DateFormatter: writes a date-time in another pattern."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from scoopi.errors import ConvertError, PluginError
from scoopi.java.dates.date_names import ENGLISH, date_names
from scoopi.java.dates.date_pattern import DatePattern
from scoopi.java.dates.zoned_pattern import NoZoneError, ZonedPattern
from scoopi.plugins.parameters import OnError

Read = TypeVar("Read", covariant=True)
Pattern = TypeVar("Pattern", DatePattern, ZonedPattern)
CACHED_TEXTS = 10_000


class DateReader(Protocol[Read]):
    """A compiled date pattern."""

    @property
    def pattern(self) -> str:
        """The pattern as written."""

    def parse(self, text: str, /) -> Read:
        """Parse a text.

        Raises:
            NoZoneError: the text fits, but lacks the time zone.
            ValueError: the text does not fit.
        """


class Alternatives(Generic[Read]):
    """Date patterns separated by `|`, of which the first that fits a text is used.

    Args:
        patterns: as written in the definition.
        field: the key in the definition, for messages.
        compiled: compiles one pattern.
    Raises:
        PluginError: a pattern is invalid, or there is none.
    Source: defs/README.md, 4.5.
    """

    def __init__(self, patterns: str, field: str, compiled: Callable[[str], DateReader[Read]]) -> None:
        self._patterns = [compiled(pattern) for pattern in patterns.split("|") if pattern]
        self._shown = patterns
        if not self._patterns:
            raise PluginError(f"{field} is empty", hint='give a date pattern, as in "dd MMM yyyy"')

    def parse(self, text: str) -> Read:
        """Parse a text with the first pattern that fits all of it.

        Raises:
            ConvertError: no pattern fits, or the text lacks a time zone that is needed.
        """
        without_zone = ""
        for pattern in self._patterns:
            try:
                return pattern.parse(text)
            except NoZoneError:
                without_zone = pattern.pattern
            except ValueError:
                continue
        if without_zone:
            raise ConvertError(
                f"{text!r} as {without_zone} has no time zone",
                hint="add its zone to inPattern (z, VV, Z, x or X), or use DateRoller, which needs none",
            )
        raise ConvertError(
            f"{text!r} is not a date in the form {self._shown}", hint="add a pattern that fits, after a |"
        )


def compiler(kind: type[Pattern], field: str, locale: str) -> Callable[[str], Pattern]:
    """A function that compiles the patterns of a field.

    Raises:
        PluginError: the locale is unknown; from the function: the pattern is invalid.
    """
    try:
        date_names(locale)
    except ValueError as error:
        raise PluginError(f"locale: {error}", hint="leave it out for English") from None

    def compiled(pattern: str) -> Pattern:
        try:
            return kind(pattern, locale)
        except ValueError as error:
            raise PluginError(
                f"{field} {pattern!r} is not a valid date pattern: {error}",
                hint='write a pattern such as "dd MMM yyyy"',
            ) from None

    return compiled


class DateFormatter:
    """Writes a date-time in another pattern, in the time zone of the text, which must have one.

    Patterns are those of java.time's DateTimeFormatter: with outPattern `dd MMM yyyy, HH:mm xx`
    `2021-01-02T00:00:00Z` becomes `02 Jan 2021, 00:00 +0000`.

    Args:
        item: name of the item whose values are converted.
        in_pattern: pattern of the values; of alternatives separated by `|` the first that fits is used.
        out_pattern: pattern of the converted values.
        on_error: what the step does with a value that fits no pattern or lacks a zone.
        locale: language of the names of months and days, as in `de`.
    Raises:
        PluginError: a pattern is invalid, or the locale is unknown.
    Source: defs/README.md, 4.5.
    """

    def __init__(
        self, item: str, in_pattern: str, out_pattern: str, on_error: OnError = "keep", locale: str = ENGLISH
    ) -> None:
        self.item = item
        self.on_error = on_error
        self._in = Alternatives(in_pattern, "inPattern", compiler(ZonedPattern, "inPattern", locale))
        self._out = compiler(ZonedPattern, "outPattern", locale)(out_pattern)
        self._converted = lru_cache(maxsize=CACHED_TEXTS)(self._convert)

    def convert(self, value: str) -> str:
        """The value in `out_pattern`.

        Raises:
            ConvertError: the value fits no pattern, lacks a time zone, or cannot be written.
        """
        return self._converted(value)

    def _convert(self, value: str) -> str:
        moment = self._in.parse(value)
        try:
            return self._out.format(moment)
        except ValueError as error:
            raise ConvertError(f"{value!r} cannot be written: {error}", hint="correct outPattern") from None
