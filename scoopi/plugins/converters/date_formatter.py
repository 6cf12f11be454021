"""DateFormatter: a date-time in one form becomes the same in another."""

from __future__ import annotations

from functools import lru_cache

from scoopi.errors import ConvertError
from scoopi.java.dates.date_names import ENGLISH
from scoopi.java.dates.zoned_pattern import ZonedPattern
from scoopi.plugins.converters.alternatives import Alternatives, compiler
from scoopi.plugins.parameters import OnError

CACHED_TEXTS = 10_000


class DateFormatter:
    """Writes a date-time in another pattern, in the time zone of the text, which must have one.

    Patterns are those of java.time's DateTimeFormatter: with outPattern `dd MMM yyyy, HH:mm xx`
    `2021-01-02T00:00:00Z` becomes `02 Jan 2021, 00:00 +0000`.

    Args:
        item: name of the item whose values are converted.
        in_pattern: how the values are written; alternatives with `|`, of which the first that fits counts.
        out_pattern: how they shall be written.
        on_error: what becomes of a value that fits no pattern or has no zone; the step acts on it.
        locale: of the names of months and days, as in `de`.
    Raises:
        PluginError: a pattern is wrong.
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
        """The value in its new form; raises ConvertError if it fits no pattern or has no zone."""
        return self._converted(value)

    def _convert(self, value: str) -> str:
        moment = self._in.parse(value)
        try:
            return self._out.format(moment)
        except ValueError as error:
            raise ConvertError(f"{value!r} cannot be written: {error}", hint="correct outPattern") from None
