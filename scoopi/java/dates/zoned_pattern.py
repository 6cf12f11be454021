"""ZonedPattern: date-times with a zone, read and written by a pattern of java.time's DateTimeFormatter."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoopi.java.dates.date_names import ENGLISH, DateNames, date_names
from scoopi.java.dates.zoned_pattern_parts import ZonedPart, zoned_parts
from scoopi.java.dates.zoned_pattern_reader import read
from scoopi.java.dates.zoned_pattern_writer import Moment, written
from scoopi.java.dates.zoned_resolver import resolved


@dataclass(frozen=True, slots=True)
class ZonedPattern:
    """A compiled pattern. What it reads must have a year and a zone; other fields that it lacks are least.

    Raises:
        ValueError: the pattern is wrong, or its locale is unknown.
    Source: defs/README.md, 4.5.
    """

    pattern: str
    locale: str = ENGLISH
    _parts: tuple[ZonedPart, ...] = field(init=False, repr=False, compare=False)
    _names: DateNames = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", zoned_parts(self.pattern))
        object.__setattr__(self, "_names", date_names(self.locale))

    def parse(self, text: str) -> Moment:
        """The moment that the whole text means.

        Raises:
            NoZoneError: the text fits, but has no time zone.
            ValueError: the text does not fit.
        """
        return resolved(read(self._parts, text, self._names), self._names)

    def format(self, moment: Moment) -> str:
        """The moment as the pattern writes it, by the clock of its own zone.

        Raises:
            ValueError: the moment lacks what a field needs: `VV` needs a zone's name.
        """
        return written(self._parts, moment, self._names)
