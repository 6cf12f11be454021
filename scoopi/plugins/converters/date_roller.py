"""DateRoller: a date moves to the first, last or given value of fields of the calendar."""

from __future__ import annotations

from functools import lru_cache

from scoopi.errors import ConvertError
from scoopi.java.dates.date_names import ENGLISH
from scoopi.java.dates.date_pattern import DatePattern
from scoopi.plugins.converters.alternatives import Alternatives, compiler
from scoopi.plugins.converters.roll import rolls_of
from scoopi.plugins.parameters import OnError

CACHED_TEXTS = 10_000


class DateRoller:
    """Reads a date, rolls it, and writes it.

    `Dec '16` with inPattern `MMM ''YY`, outPattern `yyyy-MM-dd` and roll `DAY_OF_MONTH=ceil` becomes
    `2016-12-31`.

    Args:
        item: name of the item whose values are converted.
        in_pattern: how the values are written; alternatives with `|`, of which the first that fits counts.
        out_pattern: how they shall be written.
        roll: `FIELD=ceil`, `floor`, `round` or a number, several with blanks between; they act in that order.
        on_error: what becomes of a value that cannot be converted; the step acts on it.
        locale: of the names of months and days, as in `de`.
    Raises:
        PluginError: a pattern or the roll is wrong.
    Source: defs/README.md, 4.5.
    """

    def __init__(
        self,
        item: str,
        in_pattern: str,
        out_pattern: str,
        roll: str,
        on_error: OnError = "keep",
        locale: str = ENGLISH,
    ) -> None:
        self.item = item
        self.on_error = on_error
        self._in = Alternatives(in_pattern, "inPattern", compiler(DatePattern, "inPattern", locale))
        self._out = compiler(DatePattern, "outPattern", locale)(out_pattern)
        self._rolls = rolls_of(roll)
        self._converted = lru_cache(maxsize=CACHED_TEXTS)(self._convert)

    def convert(self, value: str) -> str:
        """The value rolled and in its new form.

        Raises:
            ConvertError: the value fits no pattern, or rolls out of the years 1 to 9999.
        """
        return self._converted(value)

    def _convert(self, value: str) -> str:
        wall = self._in.parse(value).replace(tzinfo=None)
        try:
            for roll in self._rolls:
                wall = roll.applied(wall)
            return self._out.format(wall.astimezone())
        except (OverflowError, ValueError):
            raise ConvertError(
                f"{value!r} rolls out of the years 1 to 9999", hint="correct the plugin's roll"
            ) from None
