"""RunRetention: lets what a finished run keeps in the store end after a while."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.store.pages.remembered_ends import RememberedEnds
from scoopi.store.ports import Store, StoreMap, pages
from scoopi.store.run_maps import HOSTS, JOBS, MEMBERS, PAYLOADS, RUN

PAGE = 5000
MOST_LATER_S = 3600
"""All else is kept longer than the run record, by at most this: where the record is, the rest must be."""
_KEPT = (MEMBERS, HOSTS, JOBS, PAYLOADS)


class RunRetention:
    """To be begun when the run is OVER, never before; begun again, or by two, it counts from then.

    Args:
        store: of the run.
        seconds: how long; all but the run record up to an hour longer.
        first: called before the first record begins to run out.
        last: called when all of them have an expiry time: until then another node must continue, should this
            one crash.
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
        """From now on time runs out for the records.

        Raises:
            StoreError: the store does not answer; begin again.
        """
        self._first()
        later_s = self._seconds + min(self._seconds, MOST_LATER_S)
        RememberedEnds(self._store).expire(later_s)
        for name in _KEPT:
            self._expire(name, later_s)
        self._expire(RUN, self._seconds)
        self._last()

    def _expire(self, store_map: StoreMap, seconds: int) -> None:
        for page in pages(self._store, store_map, PAGE):
            self._store.set_ttl_all(store_map, [key for key, _ in page], seconds)
