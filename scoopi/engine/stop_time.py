"""StopTime: whether this node was asked to stop, and until when its last work must be done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

STORE_SHARE = 0.8
"""Of the stop's time: from then on a store that does not answer at once is not waited for."""
UP_SHARE = 0.85
"""Of the stop's time: then nothing is tried again; to leave and to say so takes the rest."""


class StopTime:
    """Begun once, by the first signal or by who cancels; any thread may ask.

    Args:
        limit_s: so long an orderly stop may take, publishing included.
        clock: seconds, monotonic.
        on_stop: told by which monotonic time the store must have answered, and how long the stop may take
            after that.
    Source: design, "Promises", 4.
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
        """The stop was asked for, now or before; `hard`: no time is left."""
        with self._lock:
            if self._began_at is None:
                self._began_at = self._clock()
        if hard:
            self._hard.set()
        end = self._clock() if self.is_hard else self._began_at + self._limit_s * STORE_SHARE
        self._on_stop(end, self._limit_s * (1 - STORE_SHARE))

    @property
    def is_asked(self) -> bool:
        """Whether the node is to stop."""
        return self._began_at is not None

    @property
    def is_hard(self) -> bool:
        """Whether it is to stop at once."""
        return self._hard.is_set()

    def is_up(self) -> bool:
        """Whether the time of the stop is over, but for the leaving; False while none was asked for."""
        end = self.end_of(UP_SHARE)
        return self.is_hard or (end is not None and self._clock() > end)

    def end_of(self, share: float) -> float | None:
        """The monotonic time at which this share of the stop's time is over; None: none was asked for."""
        return None if self._began_at is None else self._began_at + self._limit_s * share
