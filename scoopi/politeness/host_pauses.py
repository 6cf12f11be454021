"""HostPauses: keeps the pauses of hosts in the store, so that `resume` continues them."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from scoopi.store.ports import PAGE, RUN, Store, pages
from scoopi.store.record_codec import RecordCodec
from scoopi.store.runs.own_record import OwnRecord

_PREFIX = "rests/"
_BEHIND = "rests0"
"""Sorts after all keys with the prefix."""


class PauseRecord(msgspec.Struct, frozen=True, array_like=True):
    """A pause of a host.

    Attributes:
        pause_ms: its length.
        end_ms: when it ends by the time of day, in milliseconds since 1970. If that clock was changed, the
            rest of the pause is wrong, but never longer than the pause.
    """

    pause_ms: int
    end_ms: int


class HostPauses:
    """Keeps the pauses of hosts in the store, so that `resume` continues them.

    For a run on one machine; nodes of a cluster share pauses by the records of hosts (`HostShares`).

    The task runner's thread calls `note` and `until`, the job runner's `round`. One record for each
    incarnation holds the pauses that are not over.

    Args:
        store: one that settles its writes.
        incarnation: incarnation of this node.
        wake_rounds: requests a round.
        clock, time_of_day: monotonic seconds, and seconds since 1970.
    """

    def __init__(
        self,
        store: Store,
        incarnation: str,
        wake_rounds: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        time_of_day: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._own = OwnRecord(store, f"{_PREFIX}{incarnation}")
        self._wake_rounds = wake_rounds
        self._clock = clock
        self._time_of_day = time_of_day
        self._codec = RecordCodec(RUN, dict[str, PauseRecord])
        self._pauses: dict[str, PauseRecord] = {}
        self._until: dict[str, float] = {}
        self._is_loaded = self._is_dirty = False

    def note(self, host: str, pause_s: float) -> None:
        """Note that the host gets no requests for `pause_s` seconds from now."""
        pause_ms = int(pause_s * 1000)
        self._pauses[host] = PauseRecord(pause_ms, int(self._time_of_day() * 1000) + pause_ms)
        self._is_dirty = True
        self._wake_rounds()

    def until(self, host: str) -> float:
        """The end of a pause that an earlier process began, in monotonic seconds; 0 without one.

        Known after the first round.
        """
        return self._until.get(host, 0.0)

    def round(self) -> None:
        """Store what has changed; the first round, before jobs are taken, reads what is stored.

        Raises:
            StoreError: the next round tries again.
        """
        if not self._is_loaded:
            self._load()
            self._is_loaded = True
        if self._is_dirty:
            self._is_dirty = False
            try:
                self._keep()
            except BaseException:
                self._is_dirty = True
                raise

    def _load(self) -> None:
        now, now_ms = self._clock(), int(self._time_of_day() * 1000)
        for page in pages(self._store, RUN, PAGE, after=_PREFIX):
            for key, raw in page:
                if key >= _BEHIND:
                    return
                pauses: dict[str, PauseRecord] = self._codec.read(key, raw)
                for host, pause in pauses.items():
                    left_ms = min(pause.end_ms - now_ms, pause.pause_ms)
                    if left_ms > 0:
                        self._until[host] = max(self.until(host), now + left_ms / 1000)
                        self._pauses.setdefault(host, PauseRecord(left_ms, now_ms + left_ms))

    def _keep(self) -> None:
        now_ms = int(self._time_of_day() * 1000)
        lasting = {host: pause for host, pause in list(self._pauses.items()) if pause.end_ms > now_ms}
        self._own.write(self._codec.encode(lasting))
