"""StopTime: whether this node was asked to stop, and until when its last work must be done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class StopTime:
    """Begun once, by the first signal or by who cancels; any thread may ask.

    Args:
        limit_s: so long an orderly stop may take, publishing included.
        clock: seconds, monotonic.
    Source: design, "Promises", 4.
    """

    def __init__(self, limit_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._lock = threading.Lock()
        self._began_at: float | None = None
        self._hard = threading.Event()

    def begin(self, hard: bool = False) -> None:
        """The stop was asked for, now or before; `hard`: no time is left."""
        with self._lock:
            if self._began_at is None:
                self._began_at = self._clock()
        if hard:
            self._hard.set()

    @property
    def is_asked(self) -> bool:
        """Whether the node is to stop."""
        return self._began_at is not None

    @property
    def is_hard(self) -> bool:
        """Whether it is to stop at once."""
        return self._hard.is_set()

    def is_up(self) -> bool:
        """Whether the time of the stop is over; False while none was asked for."""
        end = self.end_of(1.0)
        return self.is_hard or (end is not None and self._clock() > end)

    def end_of(self, share: float) -> float | None:
        """The monotonic time at which this share of the stop's time is over; None: none was asked for."""
        return None if self._began_at is None else self._began_at + self._limit_s * share
