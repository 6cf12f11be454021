"""RunPulse: keeps an unfinished run for a while after its last heartbeat, by the members' time to live."""

from __future__ import annotations

import msgspec

from scoopi.model.job import Count
from scoopi.store.ports import Store
from scoopi.store.record_codec import RecordCodec
from scoopi.store.run_maps import RUN

PREFIX = "pulse/"
WEEK_S = 604_800


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
        """The run is removed."""
        self._grid.delete_all(RUN, [PREFIX + maps])
