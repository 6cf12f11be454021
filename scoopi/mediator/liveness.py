"""Liveness: this node's heartbeat, and the jobs of those that have died."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection

from scoopi.errors import ClusterError, RecordError, RunError, ScoopiError, StoreError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.model.job import JobState
from scoopi.store.awaited_nodes import awaited_nodes
from scoopi.store.job_store import JobStore
from scoopi.store.member import Load, MemberState
from scoopi.store.membership import Membership
from scoopi.store.run_record import RunPhase, RunRecord
from scoopi.store.stopped import StoppedError

log = logging.getLogger(__name__)

LEAVE_S = 5.0
STEP_S = 0.1
REST_S = 0.2
"""Between two heartbeats while all nodes are idle."""
LULL_S = 2.0
"""For so long a node that has come to rest looks at each step: when a run ends, its nodes come to rest one
after the other, and agree on the end in half a second."""


class Liveness:
    """One thread, one look a heartbeat; more of them while all nodes are idle.

    Args:
        run: the run's incarnation.
        committed: the state of a frame of (job, fence) that this node has committed, if any.
        on_taken_back: told when jobs of a dead node are ready again.
        on_lost_data: told once when the store no longer holds the run, or cannot be reached any more.
        on_rest: told at each look that finds all nodes idle: the run may be over.
        heartbeat_s: time between two heartbeats.
        is_cancelled: whether somebody has cancelled the run from elsewhere.
        on_cancelled: told once when somebody has.
        pages: how many pages this node has loaded.
        recall: gives back all jobs that were taken and not begun.
        on_ended: called once when the run has ended while this node was away.
        round_s: between two rounds of reconciling: the liveness gap (design, "Protocol", rule 7).
    """

    def __init__(
        self,
        members: Membership,
        jobs: JobStore,
        record: RunRecord,
        held: HeldJobs,
        run: str,
        committed: Callable[[str, int], JobState | None],
        on_taken_back: Callable[[], None],
        on_lost_data: Callable[[ScoopiError], None],
        on_rest: Callable[[], None] = lambda: None,
        heartbeat_s: float = 1.0,
        round_s: float = 15.0,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_cancelled: Callable[[], None] = lambda: None,
        pages: Callable[[], int] = lambda: 0,
        recall: Callable[[], None] = lambda: None,
        on_ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._members = members
        self._jobs = jobs
        self._record = record
        self._held = held
        self._run_incarnation = run
        self._committed = committed
        self._on_taken_back = on_taken_back
        self._on_lost_data = on_lost_data
        self._on_rest = on_rest
        self._heartbeat_s = heartbeat_s
        self._round_s = round_s
        self._is_cancelled = is_cancelled
        self._on_cancelled = on_cancelled
        self._pages = pages
        self._recall = recall
        self._on_ended = on_ended
        self._has_heard_cancel = self._has_seen_end = False
        self._stopped = threading.Event()
        self._since_look_s = self._since_round_s = self._idle_s = 0.0
        self._done: set[str] = set()
        self._thread = threading.Thread(target=self._guarded, name="liveness", daemon=True)

    def start(self) -> None:
        """Beat once, take back what older incarnations of this node held, then go on in a thread.

        Raises:
            StoreError: the store does not answer; start again.
        """
        self._look()
        self._thread.start()

    def leave(self, published: bool = True) -> bool:
        """End the thread and say that this node has left; to be called after publishing.

        Args:
            published: all rows that this node has committed stand in its files.
        Returns:
            Whether no live node is left in the run.
        """
        self.stop()
        try:
            load = self.load()._replace(owes_rows=not published)
            self._members.beat(load, MemberState.LEFT)
            return not self._members.live()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("the last heartbeat was not acknowledged: %s", error.what)
            return False

    def stop(self) -> None:
        """End the thread and write nothing; of a node whose run is over without it."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(LEAVE_S)

    def awaited(self, incarnations: Collection[str]) -> tuple[str, ...]:
        """Of nodes that ended jobs in these incarnations, those that neither live nor have published since.

        Args:
            incarnations: whose segments this node has not; also earlier ones of its own.
        """
        members = self._members.read()
        return awaited_nodes(members, self._members.live_among(members), incarnations, asking=self.node)

    def await_others(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """After `leave`: wait until each of the others has left or is lost; a live one may take its time.

        Raises:
            StoppedError: `is_stopped` says so.
            StoreError: the store does not answer.
        """
        while True:
            self._members.watch()
            if not self._members.live():
                return
            if is_stopped():
                raise StoppedError
            time.sleep(self._heartbeat_s)  # nothing tells when a node leaves

    @property
    def node(self) -> str:
        """This node's id."""
        return self._members.node

    def load(self) -> Load:
        """This node's load just now."""
        return self._held.load()._replace(pages=self._pages())

    def _guarded(self) -> None:
        try:
            self._beat_on()
        except Exception as error:
            log.exception("liveness: unexpected error")
            self._on_lost_data(RunError(f"liveness failed: {error!r}"))

    def _beat_on(self) -> None:
        step_s = min(STEP_S, self._heartbeat_s)
        while not self._stopped.wait(timeout=step_s):
            self._since_look_s += step_s
            self._idle_s = self._idle_s + step_s if self._held.is_idle() else 0.0
            try:
                if self._is_due():
                    self._look()
            except (RunError, ClusterError, RecordError) as error:
                self._on_lost_data(error)
                return
            except StoreError as error:
                log.warning("liveness: the store is tried again: %s", error.what)

    def _is_due(self) -> bool:
        """A heartbeat has passed, or this node came to rest, or all of them are at rest."""
        if 0 < self._idle_s <= LULL_S:
            return True
        are_at_rest = self._idle_s > 0 and self._members.last_look.idle
        return self._since_look_s >= (min(REST_S, self._heartbeat_s) if are_at_rest else self._heartbeat_s)

    def _look(self) -> None:
        self._since_round_s += self._since_look_s
        self._since_look_s = 0.0
        if not self._has_beaten():
            return
        dead = self._members.watch()
        # Who left in the orderly way has handed everything back, but for what did not end in time.
        left = self._members.last_look.left
        # A node that was taken for lost, and beats again, may be lost again.
        self._done &= dead | left
        for incarnation in (dead | left) - self._done:
            self._take_back(incarnation, counts=incarnation in dead)
        if self._members.last_look.idle:
            self._on_rest()
        if not self._has_heard_cancel and self._is_cancelled():
            log.warning("the run was cancelled from elsewhere: this node stops")
            self._has_heard_cancel = True
            self._on_cancelled()
        if self._since_round_s >= self._round_s:
            self._since_round_s = 0.0
            self._round()

    def _has_beaten(self) -> bool:
        """Whether the heartbeat is written; a node that was away looks first whether its run goes on."""
        was_away = self._thread.ident is not None and self._members.own_beat_is_old()
        if was_away and self._phase_now() is RunPhase.OVER:
            return False
        return self._members.beat(self.load(), may_return=self._may_return)

    def _may_return(self) -> bool:
        """Of a node that others have declared lost: they have its jobs, or are to have them."""
        if (phase := self._phase_now()) is RunPhase.RUNNING:
            log.warning("node %s was declared lost: the jobs that it has not begun are dropped", self.node)
            self._recall()
        # The records of a run that is over are about to end: nothing is written beside them.
        return phase is not RunPhase.OVER

    def _phase_now(self) -> RunPhase:
        """How far the run has come; when it has ended without this node, its jobs are dropped."""
        state = self._record.read()
        if state is None or state.incarnation != self._run_incarnation:
            raise RunError("the store does not know this run: its data is lost", hint="begin a new run")
        if state.phase is not RunPhase.RUNNING and not self._has_seen_end:
            self._has_seen_end = True
            log.warning("the run ended while node %s was away: its jobs are dropped", self.node)
            self._recall()
            self._on_ended()
        return state.phase

    def _take_back(self, incarnation: str, counts: bool) -> None:
        taken = self._jobs.take_back(incarnation, counts)
        self._done.add(incarnation)
        if taken:
            log.warning("jobs of %s are ready again: %d", self._named(incarnation, counts), taken)
            self._on_taken_back()

    def _named(self, incarnation: str, is_lost: bool) -> str:
        member = self._members.read().get(incarnation)
        if member is None or member.node == self.node:
            return "an earlier process"
        return f"node {member.node}, which {'is lost' if is_lost else 'has left'},"

    def _round(self) -> None:
        if self._record.lost(self._run_incarnation):
            raise RunError("the run's data is lost from the store", hint="begin a new run")
        gone = self._jobs.reconcile(self._held.ids(), self._committed).gone
        if gone:
            log.warning("jobs that this node holds were taken back by others: %d", len(gone))
            self._recall()
        self._jobs.bury()
        # What a dead node had sent may take effect after the first look for its jobs.
        self._done.clear()
