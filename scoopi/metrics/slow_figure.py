"""SlowFigure: a number that takes long to read, kept for a while and read by one thread at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from scoopi.errors import ScoopiError


class SlowFigure:
    """However many ask, the source is asked once in a while; who comes meanwhile gets the last answer.

    Args:
        read: the source.
        kept_s: how long an answer holds, a failure too.
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
        """The number, as old as `kept_s` says; None when the source has never answered."""
        if self._clock() >= self._until and self._lock.acquire(blocking=False):
            try:
                self._value = self._read()
            except ScoopiError:
                pass  # the last answer is the best there is; the parts that need the source tell its failure
            finally:
                self._until = self._clock() + self._kept_s
                self._lock.release()
        return self._value
