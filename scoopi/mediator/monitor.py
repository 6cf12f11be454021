"""Monitor: checks whether the run is complete, periodically and when it is notified."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.store.retries import retried_next_round

log = logging.getLogger(__name__)


class Monitor:
    """Asks the store only while this node is idle.

    Args:
        is_over: whether no job of the run is left anywhere; may take seconds.
        period_ms: between two checks without a wake-up.
    """

    def __init__(
        self, held: HeldJobs, state: StateFlipper, is_over: Callable[[], bool], period_ms: int
    ) -> None:
        self._held = held
        self._state = state
        self._is_over = is_over
        self._period_ms = period_ms
        self._wakeup = threading.Event()
        self._stopped = threading.Event()

    def wake(self) -> None:
        """The node may have become idle."""
        self._wakeup.set()

    def stop(self) -> None:
        """End the loop."""
        self._stopped.set()
        self._wakeup.set()

    def run(self) -> None:
        """Look until stopped."""
        while not self._stopped.is_set():
            self._wakeup.wait(timeout=self._period_ms / 1000)
            self._wakeup.clear()
            if not self._stopped.is_set():
                self._look()

    def _look(self) -> None:
        idle = self._held.load().idle
        self._state.mark_idle(idle)
        if not idle:
            return
        over = False
        with retried_next_round("monitor"):
            over = self._is_over()
        if over:
            self._state.run_is_over()
