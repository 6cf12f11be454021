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
        keep_zone: a text that says its zone is not converted to local time.
    Raises:
        PluginError: a pattern is wrong, or there is none.
    Source: language, B 4.5 and A15.
    """

    def __init__(self, patterns: str, field: str, *, keep_zone: bool = False) -> None:
        self._patterns = [date_pattern(pattern, field) for pattern in patterns.split("|") if pattern]
        self._shown = patterns
        self._keep_zone = keep_zone
        if not self._patterns:
            raise PluginError(f"{field} is empty", mend='give a date pattern, as in "dd MMM yyyy"')

    def parse(self, text: str) -> datetime:
        """The date-time by the first pattern that the whole text fits.

        Raises:
            ConvertError: it fits none.
        """
        for pattern in self._patterns:
            try:
                return pattern.parse(text, keep_zone=self._keep_zone)
            except ValueError:
                continue
        raise ConvertError(
            f"{text!r} is no date as {self._shown}", mend="add a pattern that fits, behind a |"
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
            f"{field} {pattern!r} is no date pattern: {error}", mend='write it as in "dd MMM yyyy"'
        ) from None
