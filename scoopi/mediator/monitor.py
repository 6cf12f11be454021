"""Monitor: asks the store, only while this node is idle, whether the run is complete."""

from __future__ import annotations

import threading

from injector import inject

from scoopi.configs.groups import EngineSettings
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.store_outage import StoreOutage


class Monitor:
    """Asks the store, only while this node is idle, whether the run is complete.

    Args:
        completion: decides whether no job of the run is left anywhere; asks the store, may take seconds.
        settings: with the time between two checks without a wake-up.
        limit: how many pages the run may load; once it is reached, an idle node has nothing left to do.
    """

    @inject
    def __init__(
        self,
        held: HeldJobs,
        state: StateFlipper,
        completion: CompletionCheck,
        settings: EngineSettings,
        limit: PageLimit = NO_LIMIT,
    ) -> None:
        self._limit = limit
        self._held = held
        self._state = state
        self._completion = completion
        self._period_ms = settings.monitor_period_ms
        self._outage = StoreOutage.of("monitor")
        self._wakeup = threading.Event()
        self._stopped = threading.Event()

    def wake(self) -> None:
        """Check now, as the node may have become idle."""
        self._wakeup.set()

    def stop(self) -> None:
        """End `run`."""
        self._stopped.set()
        self._wakeup.set()

    def run(self) -> None:
        """Check at each wake-up and once a period, until stopped; a complete run shuts the node down."""
        while not self._stopped.is_set():
            self._wakeup.wait(timeout=self._period_ms / 1000)
            self._wakeup.clear()
            if not self._stopped.is_set():
                self._check()

    def _check(self) -> None:
        idle = self._held.load().idle
        self._state.mark_idle(idle)
        if not idle:
            return
        over = self._limit.is_reached
        if not over:
            with self._outage.retried_next_round():
                over = self._completion.is_over()
                self._outage.over()
        if over:
            self._state.finish()
