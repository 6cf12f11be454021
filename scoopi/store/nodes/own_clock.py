"""OwnClock: the clock by which a node measures the age of what it wrote itself."""

from __future__ import annotations

import time


def boottime() -> float:
    """Seconds since the machine's start, those included in which it was suspended.

    The monotonic clock stands still meanwhile: a node that wakes up would take its heartbeat for young, while
    others have long declared it lost.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)
