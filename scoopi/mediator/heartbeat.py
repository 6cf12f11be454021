"""Heartbeat: the thread that sends this node's heartbeats, watches the others' and learns of a cancel."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable

import msgspec

from scoopi.errors import ClusterError, RecordError, RunError, ScoopiError
from scoopi.mediator.job_recovery import JobRecovery
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, marks_of
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)

STOP_S = 5.0
STEP_S = 0.1
REST_S = 0.2
"""Seconds between two heartbeats while all nodes are idle."""
LULL_S = 2.0
"""For how many seconds a node that has become idle sends a heartbeat every STEP_S: when a run ends, its nodes
become idle one after the other, and so they agree on the end in half a second."""


class HeartbeatCalls(msgspec.Struct, frozen=True):
    """Callables by which the heartbeat asks and notifies other parts of the node.

    Attributes:
        on_lost_data: called once when the store no longer holds the run, or cannot be reached any more.
        on_rest: called at each heartbeat that finds all nodes idle: the run may be over.
        is_cancelled: whether the run was cancelled from outside this node.
        on_cancelled: called once, when `is_cancelled` has become true.
        given: returns the ids of the jobs that this node's workers have.
        share_sessions: called at each heartbeat: writes and reads the sessions of sites.
    """

    on_lost_data: Callable[[ScoopiError], None]
    on_rest: Callable[[], None] = lambda: None
    is_cancelled: Callable[[], bool] = lambda: False
    on_cancelled: Callable[[], None] = lambda: None
    given: Callable[[], Iterable[str]] = tuple
    share_sessions: Callable[[], None] = lambda: None


class Heartbeat:
    """Sends the heartbeats of this node, watches the others' and learns of a cancel.

    One thread, which sends one a period, and more while all nodes are idle.

    Args:
        load: returns this node's load now.
        period_s: seconds between two heartbeats.
        round_s: seconds between two calls of `JobRecovery.reconcile`: the liveness gap.
    """

    def __init__(
        self,
        membership: Membership,
        recovery: JobRecovery,
        load: Callable[[], NodeLoad],
        calls: HeartbeatCalls,
        period_s: float,
        round_s: float,
    ) -> None:
        self._membership = membership
        self._recovery = recovery
        self._load = load
        self._calls = calls
        self._period_s = period_s
        self._round_s = round_s
        self._outage = StoreOutage.of("heartbeat")
        self._has_heard_cancel = False
        self._stopped = threading.Event()
        self._since_poll_s = self._since_round_s = self._idle_s = 0.0
        self._thread = threading.Thread(target=self._guarded, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Send one heartbeat, which takes back what earlier incarnations of this node held; start the thread.

        Raises:
            StoreError: the store does not answer; start again.
        """
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread without a last heartbeat."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)

    def beat(self) -> None:
        """Send one heartbeat, and act on what those of the other nodes show.

        Raises:
            StoreError: the store does not answer; the next heartbeat tries again.
            RunError: the run's data is lost.
        """
        self._since_round_s += self._since_poll_s
        self._since_poll_s = 0.0
        if not self._has_beaten():
            return
        self._calls.share_sessions()
        dead = self._membership.watch()
        self._recovery.take_back(dead, self._membership.last_scan.left)
        if self._membership.last_scan.idle:
            self._calls.on_rest()
        if not self._has_heard_cancel and self._calls.is_cancelled():
            log.warning("the run was cancelled from elsewhere: this node stops")
            self._has_heard_cancel = True
            self._calls.on_cancelled()
        if self._since_round_s >= self._round_s:
            self._since_round_s = 0.0
            self._recovery.reconcile()

    def _guarded(self) -> None:
        try:
            self._beat_on()
        except Exception as error:
            log.exception("heartbeat: unexpected error")
            self._calls.on_lost_data(RunError(f"the heartbeat failed: {error!r}"))

    def _beat_on(self) -> None:
        step_s = min(STEP_S, self._period_s)
        while not self._stopped.wait(timeout=step_s):
            self._since_poll_s += step_s
            self._idle_s = self._idle_s + step_s if self._load().idle else 0.0
            try:
                with self._outage.retried_next_round():
                    if self._is_due():
                        self.beat()
                        self._outage.over()
            except (RunError, ClusterError, RecordError) as error:
                self._calls.on_lost_data(error)
                return

    def _is_due(self) -> bool:
        """Whether a period is over, which is short while all nodes are idle, or this node has become idle."""
        if 0 < self._idle_s <= LULL_S:
            return True
        are_idle = self._idle_s > 0 and self._membership.last_scan.idle
        return self._since_poll_s >= (min(REST_S, self._period_s) if are_idle else self._period_s)

    def _has_beaten(self) -> bool:
        """Whether the heartbeat is written; a node that was away checks first whether its run still runs."""
        was_away = self._thread.ident is not None and self._membership.own_beat_is_old()
        if was_away and self._recovery.phase() is RunPhase.OVER:
            return False
        load = self._load()._replace(given=marks_of(self._calls.given()))
        return self._membership.beat(load, may_return=self._recovery.may_return)
