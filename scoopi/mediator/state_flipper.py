"""StateFlipper: the node's own state, from ready to terminated; Monitor: asks whether the run is complete."""

from __future__ import annotations

import logging
import threading
from enum import StrEnum

from injector import inject

from scoopi.configs.groups import EngineSettings
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)


class NodeState(StrEnum):
    """READY: takes jobs. IDLE: has none for now. SHUTDOWN: takes none any more. TERMINATED: all ended."""

    READY = "READY"
    IDLE = "IDLE"
    SHUTDOWN = "SHUTDOWN"
    TERMINATED = "TERMINATED"


class StateFlipper:
    """Owns the node's state, from ready to terminated; nothing else changes it.

    Each transition names its old and new state.
    """

    def __init__(self) -> None:
        self._state = NodeState.READY
        self._changed = threading.Condition()
        self._cancelled = False

    @property
    def state(self) -> NodeState:
        """The state now."""
        with self._changed:
            return self._state

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        with self._changed:
            return self._cancelled

    def mark_idle(self, idle: bool) -> None:
        """READY -> IDLE while the node is idle, IDLE -> READY while it is not."""
        with self._changed:
            if self._state in (NodeState.READY, NodeState.IDLE):
                self._state = NodeState.IDLE if idle else NodeState.READY

    def cancel(self) -> None:
        """READY or IDLE -> SHUTDOWN, whatever is left."""
        with self._changed:
            self._cancelled = True
            self._shut_down()

    def finish(self) -> None:
        """READY or IDLE -> SHUTDOWN, as the run is over or its page limit is reached."""
        with self._changed:
            self._shut_down()

    def terminate(self) -> None:
        """SHUTDOWN -> TERMINATED: all threads of the node have ended."""
        with self._changed:
            if self._state is NodeState.SHUTDOWN:
                self._state = NodeState.TERMINATED

    def wait_for_shutdown(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds for SHUTDOWN or TERMINATED, and return whether one was reached."""
        with self._changed:
            ended = (NodeState.SHUTDOWN, NodeState.TERMINATED)
            return self._changed.wait_for(lambda: self._state in ended, timeout=timeout_s)

    def _shut_down(self) -> None:
        if self._state in (NodeState.READY, NodeState.IDLE):
            self._state = NodeState.SHUTDOWN
            self._changed.notify_all()


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
