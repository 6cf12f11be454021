"""DateFormatter: a date-time in one form becomes the same in another."""

from __future__ import annotations

from functools import lru_cache

from scoopi.plugins.converters.alternatives import Alternatives, date_pattern
from scoopi.plugins.step_fields import OnError

CACHED_TEXTS = 10_000


class DateFormatter:
    """Writes a date-time by another pattern, in the time zone that the text itself says; it must say one.

    Args:
        item: name of the item whose values are converted.
        in_pattern: how the values are written; alternatives with `|`, of which the first that fits counts.
        out_pattern: how they shall be written.
        on_error: what becomes of a value that fits no pattern or says no zone; the step acts on it.
    Raises:
        PluginError: a pattern is wrong.
    Source: language, B 4.5 and A15.
    """

    def __init__(self, item: str, in_pattern: str, out_pattern: str, on_error: OnError = "keep") -> None:
        self.item = item
        self.on_error = on_error
        self._in = Alternatives(in_pattern, "inPattern", zoned=True)
        self._out = date_pattern(out_pattern, "outPattern")
        self._converted = lru_cache(maxsize=CACHED_TEXTS)(self._convert)

    def convert(self, value: str) -> str:
        """The value in its new form; raises ConvertError if it fits no pattern or says no zone."""
        return self._converted(value)

    def _convert(self, value: str) -> str:
        return self._out.format(self._in.parse(value))
