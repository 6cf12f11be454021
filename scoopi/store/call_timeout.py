"""CallTimeout: how long this node waits for an answer of its store; it shrinks during a shutdown."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

AT_ONCE_S = 1.0
"""Timeout for an immediate answer, in seconds."""
SHARE = 0.25
"""Timeout for an immediate answer, as a share of the time left for the shutdown. As each wait without an
answer halves the next, all together take half of it."""
LEAST_S = 0.05
POLL_S = 1.0
"""Seconds between two checks of a waiting thread whether its node is shutting down."""


class CallTimeout:
    """How long this node waits for an answer of its store; it shrinks during a shutdown.

    Thread-safe, and shared by all threads that wait.

    Args:
        calm_s: timeout in normal operation, in seconds.
        is_stopped: whether this node was asked to stop, even before `expedite` sets the deadline.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        calm_s: float,
        is_stopped: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calm_s = calm_s
        self._is_stopped = is_stopped
        self._clock = clock
        self._lock = threading.Lock()
        self._end: float | None = None
        self._at_once_s = AT_ONCE_S
        self._first_s: float | None = None
        self._shorter_at = -math.inf

    def expedite(self, end: float, left_s: float) -> None:
        """Begin the shutdown: a wait ends at `end`, and waits after it are for immediate answers only.

        Args:
            end: monotonic time in seconds.
            left_s: seconds after `end` until the node must have ended.
        """
        with self._lock:
            self._end = end
            self._at_once_s = min(self._at_once_s, max(LEAST_S, left_s * SHARE))

    def limit_waits(self, at_once_s: float) -> None:
        """Begin a shutdown whose length is not known: only immediate answers are waited for.

        As each wait without an answer halves the next, all together take twice `at_once_s`, until an answer
        comes (`answered`).

        Args:
            at_once_s: timeout for an immediate answer, in seconds.
        """
        with self._lock:
            if self._first_s is None:
                self._end, self._at_once_s, self._first_s = -math.inf, at_once_s, at_once_s

    def answered(self) -> None:
        """Note that the store has answered: after `limit_waits`, the next wait has the full timeout again."""
        if self._first_s is not None:
            self._at_once_s = self._first_s

    def wait(self, wait_s: Callable[[float], bool]) -> bool:
        """Wait for an answer; return whether it came in time.

        Args:
            wait_s: waits for at most the given number of seconds, and returns whether the answer came.
        """
        began = self._clock()
        while not wait_s(max(0.0, min(POLL_S, self.until(began) - self._clock()))):
            if self._clock() >= self.until(began):
                self.shorten()
                return False
        return True

    def until(self, began: float) -> float:
        """The deadline, in monotonic seconds, of a wait that began at `began`; earlier in a shutdown."""
        calm, at_once = began + self._calm_s, began + self._at_once_s
        if self._end is not None:
            return min(calm, max(self._end, at_once))
        return at_once if self._is_stopped() else calm

    def shorten(self) -> None:
        """During a shutdown, halve the timeout for immediate answers after a wait without one.

        Threads that waited at the same time halve it once. Does nothing in normal operation.
        """
        with self._lock:
            now = self._clock()
            is_calm = not self._is_stopped() if self._end is None else now < self._end
            if not is_calm and now - self._shorter_at >= self._at_once_s / 2:
                self._shorter_at = now
                self._at_once_s = max(LEAST_S, self._at_once_s / 2)
