"""LeaseWatch: finds by this node's own clocks that a record has not changed for too long."""

from __future__ import annotations

import time
from collections.abc import Callable


class LeaseWatch:
    """Remembers the record as last read, and since when; clocks of machines are never compared.

    Args:
        lease_ms: unchanged for this long, and in at least `reads` looks after the first: expired.
        clock: seconds, monotonic.
        reads: how many looks in a row must have found it unchanged.
        spacing_ms: looks nearer to each other than this are one look.
    Source: ARCHITECTURE, protocol rules 8 and 9.
    """

    def __init__(
        self, lease_ms: int, clock: Callable[[], float], reads: int = 1, spacing_ms: int = 0
    ) -> None:
        self._lease_s = lease_ms / 1000
        self._spacing_s = spacing_ms / 1000
        self._clock = clock
        self._needed = reads
        self._record: bytes | None = None
        self._changed_at = 0.0
        self._looked_at = 0.0
        self._looks = 0

    def is_lost(self, record: bytes) -> bool:
        """Look at the record as it was just read; whether it has not changed for too long."""
        now = self._clock()
        if record != self._record:
            self._record, self._changed_at, self._looked_at, self._looks = record, now, now, 0
        elif now - self._looked_at >= self._spacing_s:
            self._looked_at, self._looks = now, self._looks + 1
        return now - self._changed_at >= self._lease_s and self._looks >= self._needed

    def interrupt(self) -> None:
        """A look failed: those before it are not in a row with those to come."""
        self._looks = 0


def boottime() -> float:
    """Seconds since the machine's start, those included in which it was suspended.

    The monotonic clock stands still meanwhile: a node that wakes up would find its heartbeat recent, while
    others declared it dead long ago.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)
