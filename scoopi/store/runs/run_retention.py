"""RunRetention and RunKeepAlive: how long a run's records are kept after its end, or its last heartbeat."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.model.job import Count
from scoopi.store.pages.finished_jobs import RememberedEnds
from scoopi.store.ports import HOSTS, JOBS, MEMBERS, PAYLOADS, ROBOTS, RUN, Store, StoreMap, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 5000
MOST_LATER_S = 3600
"""Seconds, at most, by which other records outlive the run record: as long as it exists, they must exist."""
_KEPT = (MEMBERS, HOSTS, JOBS, PAYLOADS, ROBOTS)
PREFIX = "keep-alive/"
WEEK_S = 604_800


class RunRetention:
    """Lets the records of a run that is over expire.

    Only to be used once the run is OVER. `begin` may be called again; the time then counts from that call.

    Args:
        store: the store of the run.
        seconds: how long the run record is kept; other records are kept up to an hour longer.
        first: called before the first record gets an expiry time.
        last: called when all records have one; if this node crashes before, another node must call `begin`.
    Source: ARCHITECTURE, protocol rule 10.
    """

    def __init__(
        self,
        store: Store,
        seconds: int,
        first: Callable[[], None] = lambda: None,
        last: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._seconds = seconds
        self._first = first
        self._last = last

    def begin(self) -> None:
        """Give all records an expiry time, counted from now.

        Raises:
            StoreError: the store does not answer; call again.
        """
        self._first()
        later_s = self._seconds + min(self._seconds, MOST_LATER_S)
        RememberedEnds(self._store).expire(later_s)
        for name in _KEPT:
            self.expire(name, later_s)
        self.expire(RUN, self._seconds)
        self._last()

    def expire(self, store_map: StoreMap, seconds: int) -> None:
        """Let all records of a map expire `seconds` seconds from now."""
        for page in pages(self._store, store_map, PAGE):
            self._store.set_ttl_all(store_map, [key for key, _ in page], seconds)


class KeepAlive(msgspec.Struct, frozen=True):
    """The record `keep-alive/<maps>` in the map that belongs to no run.

    Attributes:
        seconds: how long the record exists after it was written or renewed.
    """

    seconds: Count


class RunKeepAlive:
    """Keeps one record for each run, which expires unless nodes that work on the run renew it.

    The store measures that time, so no clocks of two machines are compared. A missing record alone proves
    nothing: heartbeats are checked before anything is removed.

    Every method raises StoreError if the store does not answer. A run is given by the name of its maps.

    Args:
        grid: the store of the maps that belong to no run; settles its writes, as `SettlingStore` does.
    """

    def __init__(self, grid: Store) -> None:
        self._grid = grid
        self._codec = RecordCodec(RUN, KeepAlive)

    def renew(self, maps: str, seconds: int) -> None:
        """Keep the run in these maps for a number of seconds from now."""
        key = PREFIX + maps
        self._grid.put_if_absent_all(RUN, [(key, self._codec.written(KeepAlive(seconds)))])
        self._grid.set_ttl_all(RUN, [key], seconds)

    def seconds(self, maps: str) -> int:
        """How long the run is kept after each renewal, in seconds; 0 if the record has expired."""
        key = PREFIX + maps
        record = self._grid.get_all(RUN, [key]).get(key)
        return 0 if record is None else self._codec.read(key, record).seconds

    def end(self, maps: str) -> None:
        """Delete the record of a run that is removed."""
        self._grid.delete_all(RUN, [PREFIX + maps])
