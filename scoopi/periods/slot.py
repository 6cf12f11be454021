"""Slot: for what a job of the scheduler runs: a period, an iteration, an instant, or a manual launch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from scoopi.errors import PeriodError
from scoopi.periods.period import Period, parse_period

_NUMBER = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_KNOWN = 16_384
MOST_NUMBER = 10**18 - 1
"""The largest number of an iteration or a launch: keys have 18 digits, so that they sort."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """A numbered iteration, `#42`."""

    number: int

    def __str__(self) -> str:
        return f"#{self.number}"


@dataclass(frozen=True, slots=True)
class Instant:
    """The moment of a fire, `@2014-05-01T13:00:00Z`; converted to UTC."""

    at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", self.at.astimezone(UTC))

    def __str__(self) -> str:
        return f"@{instant_text(self.at)}"


@dataclass(frozen=True, slots=True)
class ManualSlot:
    """A manual launch, `!17`."""

    number: int

    def __str__(self) -> str:
        return f"!{self.number}"


Slot = Period | Iteration | Instant | ManualSlot


@lru_cache(maxsize=_KNOWN)
def parse_slot(text: str) -> Slot:
    """Parse the text of a slot; `str` of the result gives the same text.

    The latest results are cached, as a pass parses the slot of each waiting job several times.

    >>> [str(slot) for slot in sorted(map(parse_slot, ["#42", "#7"]), key=slot_key)]
    ['#7', '#42']

    Raises:
        PeriodError: the text is not a slot.
    """
    kind, rest = text[:1], text[1:]
    if kind in ("#", "!") and _NUMBER.fullmatch(rest):
        return Iteration(int(rest)) if kind == "#" else ManualSlot(int(rest))
    if kind == "@":
        return Instant(parse_instant(rest))
    if text[1:2] == ":":
        return parse_period(text)
    raise PeriodError(f"{text!r} is not a slot", hint="write H:2011010110, #42, @2014-05-01T13:00:00Z or !17")


def slot_key(slot: Slot) -> str:
    """The key of a slot in the store; keys sort by kind, then by value.

    >>> slot_key(Iteration(42))
    '#000000000000000042'
    """
    if isinstance(slot, Iteration | ManualSlot):
        return f"{str(slot)[0]}{slot.number:018}"
    if isinstance(slot, Instant):
        return f"@{slot.at.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    return str(slot)


def slot_of_key(key: str) -> Slot:
    """The slot of a key that `slot_key` made."""
    if key[:1] in ("#", "!"):
        return parse_slot(key[0] + (key[1:].lstrip("0") or "0"))
    return parse_slot(key)


def parse_instant(text: str) -> datetime:
    """Parse RFC 3339 text.

    Raises:
        PeriodError: the text is not an instant with a time zone.
    """
    if not _INSTANT.fullmatch(text.upper()):
        raise PeriodError(f"{text!r} is not an instant", hint="write RFC 3339, as in 2014-05-01T13:00:00Z")
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise PeriodError(f"{text} is not an instant: {error}") from error


def instant_text(at: datetime) -> str:
    """The RFC 3339 text of an instant, in UTC with `Z`; fractions of a second only if not zero."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment_text(at: datetime) -> str:
    """The text of an instant in a sentence: without fractions of a second."""
    return instant_text(at.replace(microsecond=0))
