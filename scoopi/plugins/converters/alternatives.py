"""Alternatives: date patterns of which the first that fits a text reads it."""

from __future__ import annotations

from datetime import datetime

from scoopi.errors import ConvertError, PluginError
from scoopi.model.date_pattern import DatePattern


class Alternatives:
    """Date patterns with `|` between them.

    Args:
        patterns: as the definition writes them.
        field: the name of the definition's key, for messages.
        zoned: only texts that say their zone are read, and they stay in it.
    Raises:
        PluginError: a pattern is wrong, or there is none.
    Source: language, B 4.5 and A15.
    """

    def __init__(self, patterns: str, field: str, *, zoned: bool = False) -> None:
        self._patterns = [date_pattern(pattern, field) for pattern in patterns.split("|") if pattern]
        self._shown = patterns
        self._zoned = zoned
        if not self._patterns:
            raise PluginError(f"{field} is empty", hint='give a date pattern, as in "dd MMM yyyy"')

    def parse(self, text: str) -> datetime:
        """The date-time by the first pattern that the whole text fits.

        Raises:
            ConvertError: it fits none, or says no zone where one is needed.
        """
        without_zone = ""
        for pattern in self._patterns:
            try:
                moment = pattern.parse(text, keep_zone=self._zoned)
            except ValueError:
                continue
            if pattern.has_zone or not self._zoned:
                return moment
            without_zone = pattern.pattern
        if without_zone:
            raise ConvertError(
                f"{text!r} as {without_zone} says no time zone",
                hint="read its zone too (z, Z or X in inPattern); DateRoller takes dates without one",
            )
        raise ConvertError(
            f"{text!r} is no date as {self._shown}", hint="add a pattern that fits, behind a |"
        )


def date_pattern(pattern: str, field: str) -> DatePattern:
    """The compiled pattern.

    Raises:
        PluginError: it is wrong; names the field.
    """
    try:
        return DatePattern(pattern)
    except ValueError as error:
        raise PluginError(
            f"{field} {pattern!r} is no date pattern: {error}", hint='write it as in "dd MMM yyyy"'
        ) from None
