"""zoned_facts: a zone-aware date-time as the sandbox's ZonedDateTime is built from it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypedDict


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
