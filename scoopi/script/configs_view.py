"""ConfigsView: the settings and the run's date as scripts see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypedDict

import msgspec


class ConfigsView(msgspec.Struct, frozen=True):
    """Behind the host object `configs`.

    Attributes:
        settings: the settings that may change rows, secrets aside, as text, by their dotted keys.
        run_date_time: of the run, zone-aware, whole seconds.
        format_date: writes a zone-aware date-time by `scoopi.dateTimePattern`.
        cluster: whether the run is one of a cluster.
    """

    settings: Mapping[str, str]
    run_date_time: datetime
    format_date: Callable[[datetime], str]
    cluster: bool = False

    @property
    def run_date(self) -> datetime:
        """The run's day, at midnight."""
        return self.run_date_time.replace(hour=0, minute=0, second=0, microsecond=0)

    def facts(self) -> dict[str, object]:
        """What `page.js` builds `configs` from, ready for JSON."""
        return {
            "settings": dict(self.settings),
            "runDateTime": zoned_facts(self.run_date_time),
            "runDate": zoned_facts(self.run_date),
            "runDateTimeText": self.format_date(self.run_date_time),
            "runDateText": self.format_date(self.run_date),
            "cluster": self.cluster,
        }


class ZonedFacts(TypedDict):
    """Local date-time taken as if it were UTC (ms since 1970), offset from UTC (ms), name of the region."""

    wall: int
    offset: int
    zone: str


def zoned_facts(moment: datetime) -> ZonedFacts:
    """The facts of a zone-aware date-time; the region's name is empty for a mere offset."""
    offset = moment.utcoffset() or timedelta()
    wall = moment.replace(tzinfo=UTC)
    return ZonedFacts(
        wall=round(wall.timestamp() * 1000),
        offset=round(offset.total_seconds() * 1000),
        zone=getattr(moment.tzinfo, "key", ""),
    )
