"""SlowFigure: a number that is slow to read, cached and read by one thread at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from scoopi.errors import ScoopiError


class SlowFigure:
    """Caches a number; callers never wait for another caller's read, but get the last value.

    Args:
        read: the source.
        kept_s: how long a value, or a failure, is cached.
    """

    def __init__(
        self, read: Callable[[], int], kept_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._kept_s = kept_s
        self._clock = clock
        self._lock = threading.Lock()
        self._value: int | None = None
        self._until = clock()

    def value(self) -> int | None:
        """The number, at most `kept_s` old or the last known; None if it was never read."""
        if self._clock() >= self._until and self._lock.acquire(blocking=False):
            try:
                self._value = self._read()
            except ScoopiError:
                pass  # keep the last value; the parts that need the source report its failure
            finally:
                self._until = self._clock() + self._kept_s
                self._lock.release()
        return self._value
