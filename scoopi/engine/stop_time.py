"""StopTime: whether this node is asked to stop, and by when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

TASKS_SHARE = 0.7
"""The part of the shutdown timeout in which running tasks must end."""
CLOSE_SHARE = 0.8
"""The part of it in which results must be committed and other jobs handed back; publishing has the rest."""
STORE_SHARE = 0.8
"""The part of it after which each call to the store gets less time than the one before."""
UP_SHARE = 0.85
"""The part of it after which nothing is retried; leaving and reporting take the rest."""


class StopTime:
    """Whether this node is asked to stop, and by when.

    It begins once, with the first signal or cancellation; callable from any thread.

    Args:
        limit_s: the shutdown timeout: how many seconds a graceful shutdown may take, publishing included.
        clock: monotonic seconds.
        on_stop: called with the monotonic time by which the store must have answered, and the seconds that
            the shutdown may take after it.
    """

    def __init__(
        self,
        limit_s: float,
        clock: Callable[[], float] = time.monotonic,
        on_stop: Callable[[float, float], None] = lambda end, left_s: None,
    ) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._on_stop = on_stop
        self._lock = threading.Lock()
        self._began_at: float | None = None
        self._hard = threading.Event()

    def begin(self, hard: bool = False) -> None:
        """Ask for the shutdown; may be repeated. With `hard`, no time is left."""
        with self._lock:
            if self._began_at is None:
                self._began_at = self._clock()
        if hard:
            self._hard.set()
        end = self._clock() if self.is_hard else self._began_at + self._limit_s * STORE_SHARE
        self._on_stop(end, self._limit_s * (1 - STORE_SHARE))

    @property
    def is_asked(self) -> bool:
        """Whether a shutdown was asked for."""
        return self._began_at is not None

    @property
    def is_hard(self) -> bool:
        """Whether an immediate shutdown was asked for."""
        return self._hard.is_set()

    def is_up(self) -> bool:
        """Whether only the time to leave is left; False while no shutdown was asked for."""
        end = self.end_of(UP_SHARE)
        return self.is_hard or (end is not None and self._clock() > end)

    def end_of(self, share: float) -> float | None:
        """The monotonic time at which this share of the timeout is over; None without a shutdown."""
        return None if self._began_at is None else self._began_at + self._limit_s * share
