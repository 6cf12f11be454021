"""DateRoller: sets fields of a date to their first, last or a given value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from scoopi.errors import ConvertError, PluginError
from scoopi.java.dates.date_names import ENGLISH
from scoopi.java.dates.date_pattern import DatePattern
from scoopi.plugins.converters.calendar_field import FIELDS, CalendarField
from scoopi.plugins.converters.date_formatter import Alternatives, compiler
from scoopi.plugins.parameters import OnError

_ROLL = re.compile(r"(\w+)=(ceil|floor|round|[+-]?\d{1,9})", re.ASCII)
_HINT = "write FIELD=ceil, floor, round or a number, as in DAY_OF_MONTH=ceil"
CACHED_TEXTS = 10_000


@dataclass(frozen=True, slots=True)
class Roll:
    """One `FIELD=op` of a definition; `op` is `ceil`, `floor`, `round` or a number."""

    field: CalendarField
    op: str

    def applied(self, wall: datetime) -> datetime:
        """The wall time with the field set; numbers too large for it carry into the next larger field.

        Raises:
            ValueError, OverflowError: the result is outside the years 1 to 9999.
        """
        field = self.field
        greatest = field.greatest(wall)
        match self.op:
            case "ceil":
                value = greatest
            case "floor":
                value = field.least
            case "round":
                value = field.least if field.value(wall) <= greatest // 2 else greatest
            case number:
                value = int(number)
        return field.set(wall, value)


def rolls_of(text: str) -> list[Roll]:
    """Parse the rolls of a definition, in order.

    Raises:
        PluginError: there is none, or one is malformed or names an unknown field.
    """
    rolls = [_roll(word) for word in text.split()]
    if not rolls:
        raise PluginError("roll is empty", hint=_HINT)
    return rolls


def _roll(word: str) -> Roll:
    found = _ROLL.fullmatch(word)
    if found is None:
        raise PluginError(f"roll {word!r} is malformed", hint=_HINT)
    field = FIELDS.get(found[1])
    if field is None:
        raise PluginError(f"roll {word!r}: unknown field {found[1]}", hint=f"use one of {', '.join(FIELDS)}")
    return Roll(field, found[2])


class DateRoller:
    """Reads a date, rolls it, and writes it.

    `Dec '16` with inPattern `MMM ''YY`, outPattern `yyyy-MM-dd` and roll `DAY_OF_MONTH=ceil` becomes
    `2016-12-31`.

    Args:
        item: name of the item whose values are converted.
        in_pattern: pattern of the values; of alternatives separated by `|` the first that fits is used.
        out_pattern: pattern of the converted values.
        roll: `FIELD=ceil`, `floor`, `round` or a number; several, separated by spaces, are applied in order.
        on_error: what the step does with a value that cannot be converted.
        locale: language of the names of months and days, as in `de`.
    Raises:
        PluginError: a pattern or the roll is invalid, or the locale is unknown.
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
        """The rolled value in `out_pattern`.

        Raises:
            ConvertError: the value fits no pattern, or is rolled outside the years 1 to 9999.
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
                f"{value!r} is rolled outside the years 1 to 9999", hint="correct the plugin's roll"
            ) from None
