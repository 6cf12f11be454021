"""Roll: sets one field of a date to its greatest, its least, the nearer of both, or a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from scoopi.errors import PluginError
from scoopi.plugins.converters.calendar_field import FIELDS, CalendarField

_ROLL = re.compile(r"(\w+)=(ceil|floor|round|[+-]?\d{1,9})", re.ASCII)
_HINT = "write it as in DAY_OF_MONTH=ceil; ceil, floor, round or a number"


@dataclass(frozen=True, slots=True)
class Roll:
    """One `FIELD=op` of a definition; `op` is `ceil`, `floor`, `round` or a number."""

    field: CalendarField
    op: str

    def applied(self, wall: datetime) -> datetime:
        """The wall time with the field set; numbers too large for it go on into the next larger field.

        Raises:
            ValueError, OverflowError: the result lies outside of the years 1 to 9999.
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
    """The rolls of a definition, in their order.

    Raises:
        PluginError: there is none, or one is malformed or of an unknown field.
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
        raise PluginError(
            f"roll {word!r}: there is no field {found[1]}", hint=f"use one of {', '.join(FIELDS)}"
        )
    return Roll(field, found[2])
