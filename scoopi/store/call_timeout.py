"""CallTimeout: how long this node waits for an answer of its store; shorter and shorter during a shutdown."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

AT_ONCE_S = 1.0
"""Seconds within which an answer counts as immediate."""
SHARE = 0.25
"""Of what is left of the shutdown then. As each wait without an answer halves the
next, they take half of it."""
LEAST_S = 0.05
LOOK_S = 1.0
"""How often a waiting thread looks whether its node is shutting down."""


class CallTimeout:
    """How long this node waits for an answer of its store; shorter and shorter during a shutdown.

    Asked by all threads that wait.

    Args:
        calm_s: how long an answer is waited for while nobody has asked this node to stop.
        is_stopped: whether it was asked to, before `expedite` sets until when.
        clock: seconds, monotonic.
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
        self._shorter_at = -math.inf

    def expedite(self, end: float, left_s: float) -> None:
        """This node shuts down: from `end` on only answers that come at once are waited for.

        Args:
            left_s: seconds after `end` at which the node must have ended.
        """
        with self._lock:
            self._end = end
            self._at_once_s = min(self._at_once_s, max(LEAST_S, left_s * SHARE))

    def wait(self, wait_s: Callable[[float], bool]) -> bool:
        """Whether an answer comes in time; `wait_s` waits for it, at most so many seconds."""
        began = self._clock()
        while not wait_s(max(0.0, min(LOOK_S, self.until(began) - self._clock()))):
            if self._clock() >= self.until(began):
                self.shorten()
                return False
        return True

    def until(self, began: float) -> float:
        """The time at which a wait that began then is given up; it may be earlier when asked again."""
        calm, at_once = began + self._calm_s, began + self._at_once_s
        if self._end is not None:
            return min(calm, max(self._end, at_once))
        return at_once if self._is_stopped() else calm

    def shorten(self) -> None:
        """Halve the wait for the next answer, as none came at once; once if threads waited together."""
        with self._lock:
            now = self._clock()
            is_calm = not self._is_stopped() if self._end is None else now < self._end
            if not is_calm and now - self._shorter_at >= self._at_once_s / 2:
                self._shorter_at = now
                self._at_once_s = max(LEAST_S, self._at_once_s / 2)
