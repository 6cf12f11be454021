"""RunRetention: lets the records of a run that is over expire."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.store.jobs.finished_jobs import RememberedEnds
from scoopi.store.ports import HOSTS, JOBS, NODES, PAYLOADS, ROBOTS, RUN, Store, StoreMap, pages

PAGE = 5000
MOST_LATER_S = 3600
"""Seconds, at most, by which other records outlive the run record: as long as it exists, they must exist."""
_KEPT = (NODES, HOSTS, JOBS, PAYLOADS, ROBOTS)


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
