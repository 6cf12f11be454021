"""RunKeepAlive: keeps the records of an unfinished run while its nodes send heartbeats."""

from __future__ import annotations

import msgspec

from scoopi.model.job import Count
from scoopi.store.ports import RUN, Store
from scoopi.store.record_codec import RecordCodec

PREFIX = "keep-alive/"
WEEK_S = 604_800


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
        shared_store: the store of the maps of no run; settles its writes, as `SettlingStore` does.
    """

    def __init__(self, shared_store: Store) -> None:
        self._shared_store = shared_store
        self._codec = RecordCodec(RUN, KeepAlive)

    def renew(self, maps: str, seconds: int) -> None:
        """Keep the run in these maps for a number of seconds from now."""
        key = PREFIX + maps
        self._shared_store.put_if_absent_all(RUN, [(key, self._codec.encode(KeepAlive(seconds)))])
        self._shared_store.set_ttl_all(RUN, [key], seconds)

    def seconds(self, maps: str) -> int:
        """How long the run is kept after each renewal, in seconds; 0 if the record has expired."""
        key = PREFIX + maps
        record = self._shared_store.get_all(RUN, [key]).get(key)
        return 0 if record is None else self._codec.read(key, record).seconds

    def end(self, maps: str) -> None:
        """Delete the record of a run that is removed."""
        self._shared_store.delete_all(RUN, [PREFIX + maps])
