"""clock: the current time, and whether the next check is due."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime


def now_utc() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


class PollTimer:
    """When something that is checked in a loop is due: at once, and then at most once in each period.

    Args:
        period_s: the period in seconds.
        clock: returns seconds that only grow.
    """

    def __init__(self, period_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period_s, self._clock = period_s, clock
        self._next_s = clock()

    def is_due(self) -> bool:
        """Whether a period is over since this was last true; if so, the next period begins."""
        now_s = self._clock()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self._period_s
        return True
