"""RunRetention and RunPulse: how long a run's records are kept after its end, or its last heartbeat."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.model.job import Count
from scoopi.store.pages.finished_jobs import RememberedEnds
from scoopi.store.ports import HOSTS, JOBS, MEMBERS, PAYLOADS, ROBOTS, RUN, Store, StoreMap, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 5000
MOST_LATER_S = 3600
"""All else is kept longer than the run record, by at most this: where the record is, the rest must be."""
_KEPT = (MEMBERS, HOSTS, JOBS, PAYLOADS, ROBOTS)
PREFIX = "pulse/"
WEEK_S = 604_800


class RunRetention:
    """Lets the records of a run that is over expire.

    To be begun when the run is OVER, never before; begun again, or by two, it counts from then.

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
        """Have the records expire, counted from now.

        Raises:
            StoreError: the store does not answer; begin again.
        """
        self._first()
        later_s = self._seconds + min(self._seconds, MOST_LATER_S)
        RememberedEnds(self._store).expire(later_s)
        for name in _KEPT:
            self.expire(name, later_s)
        self.expire(RUN, self._seconds)
        self._last()

    def expire(self, store_map: StoreMap, seconds: int) -> None:
        """Let all records of a map end after so many seconds."""
        for page in pages(self._store, store_map, PAGE):
            self._store.set_ttl_all(store_map, [key for key, _ in page], seconds)


class Pulse(msgspec.Struct, frozen=True):
    """The grid's record `pulse/<maps>`.

    Attributes:
        seconds: how long it stays when nobody renews it.
    """

    seconds: Count


class RunPulse:
    """One record for each incarnation of a run; it expires unless nodes at work on the run renew it.

    The members measure that time, so no two machines' clocks are compared. A missing record alone
    proves nothing: heartbeats are looked for before anything is removed.

    Args:
        grid: the maps that belong to no run, of settled answers.

    Every method raises StoreError when the grid does not answer.
    """

    def __init__(self, grid: Store) -> None:
        self._grid = grid
        self._codec = RecordCodec(RUN, Pulse)

    def renew(self, maps: str, seconds: int) -> None:
        """Keep the run in these maps for that many seconds from now."""
        key = PREFIX + maps
        self._grid.put_if_absent_all(RUN, [(key, self._codec.written(Pulse(seconds)))])
        self._grid.set_ttl_all(RUN, [key], seconds)

    def seconds(self, maps: str) -> int:
        """How long the run is kept after its last heartbeat; 0: that time is over."""
        key = PREFIX + maps
        record = self._grid.get_all(RUN, [key]).get(key)
        return 0 if record is None else self._codec.read(key, record).seconds

    def end(self, maps: str) -> None:
        """Forget the time of a run that is removed."""
        self._grid.delete_all(RUN, [PREFIX + maps])
