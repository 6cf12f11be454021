"""JobRecovery: makes the jobs of dead nodes ready again, and drops those that this node has lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

import msgspec

from scoopi.errors import RunError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.model.job import JobState
from scoopi.store.jobs.job_records import WaitingJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord
from scoopi.store.runs.run_record import RunPhase, RunRecord

log = logging.getLogger(__name__)


class RecoveryCalls(msgspec.Struct, frozen=True):
    """Callables by which recovery asks and notifies other parts of the node.

    Attributes:
        committed: given a job's id and fence, returns the state in the frame that this node has committed for
            them; None if there is none.
        on_waiting: receives jobs that, according to the store, wait at this node for another attempt.
        on_taken_back: called when jobs of another incarnation are ready again.
        recall: hands back all jobs that were taken and have not begun.
        on_ended: called once when the run has ended while this node was away.
        keep: has the cluster keep the unfinished run for another retention time.
    """

    committed: Callable[[str, int], JobState | None]
    on_waiting: Callable[[list[WaitingJob]], None]
    on_taken_back: Callable[[], None]
    recall: Callable[[], None] = lambda: None
    on_ended: Callable[[], None] = lambda: None
    keep: Callable[[], None] = lambda: None


class JobRecovery:
    """Makes the jobs of dead nodes ready again, and drops those that this node has lost.

    Belongs to the heartbeat's thread.

    Args:
        run: incarnation of the run.
    Source: ARCHITECTURE, protocol rules 7, 8 and 11.
    """

    def __init__(
        self,
        membership: Membership,
        jobs: JobStore,
        record: RunRecord,
        held: HeldJobs,
        run: str,
        calls: RecoveryCalls,
    ) -> None:
        self._membership = membership
        self._jobs = jobs
        self._record = record
        self._held = held
        self._run = run
        self._calls = calls
        self._done: set[str] = set()
        self._has_seen_end = False

    def phase(self) -> RunPhase:
        """Read the run's phase; if the run has ended without this node, drop the node's jobs.

        Raises:
            StoreError: the store does not answer; try again.
            RunError: the store does not know this run.
        """
        state = self._record.read()
        if state is None or state.incarnation != self._run:
            raise RunError("the store does not know this run: its data is lost", hint="start a new run")
        if state.phase is not RunPhase.RUNNING and not self._has_seen_end:
            self._has_seen_end = True
            log.warning("the run ended while node %s was away: its jobs are dropped", self._membership.node)
            self._calls.recall()
            self._calls.on_ended()
        return state.phase

    def may_return(self) -> bool:
        """Whether this node, which others have declared dead, may send heartbeats again.

        While the run is running it may, and drops the jobs that it has not begun, as others have them; once
        the run is over it may not. Raises as `phase`.
        """
        if (phase := self.phase()) is RunPhase.RUNNING:
            node = self._membership.node
            log.warning("node %s was declared lost: the jobs that it has not begun are dropped", node)
            self._calls.recall()
        # The records of a run that is over are about to expire: nothing is written beside them.
        return phase is not RunPhase.OVER

    def take_back(self, dead: Collection[str], left: Collection[str]) -> None:
        """Make the jobs of these incarnations ready again, once for each time that one dies or leaves.

        Args:
            dead: incarnations without a heartbeat; each job counts how often it was taken back from one.
            left: incarnations that have shut down gracefully, and hold only what did not end in time.
        """
        gone = {*dead, *left}
        # A node that was taken for dead, and beats again, may be lost again.
        self._done &= gone
        for incarnation in gone - self._done:
            self._take_back(incarnation, counts=incarnation in dead)

    def reconcile(self) -> None:
        """Compare the jobs that this node holds with those that the store assigns to it.

        If others have taken some back, all jobs that have not begun are handed back.

        Raises:
            StoreError: the store does not answer; try again.
            RunError: the run's data is lost.
        """
        if self._record.has_lost(self._run):
            raise RunError("the run's data is lost from the store", hint="start a new run")
        gone = self._jobs.reconcile(self._held.ids(), self._calls.committed).gone
        if gone:
            log.warning("jobs that this node holds were taken back by others: %d", len(gone))
            self._calls.recall()
        if waiting := self._jobs.waiting.here():
            self._calls.on_waiting(waiting)
        self._jobs.finished.bury()
        self._calls.keep()
        # What a dead node had sent may take effect after the first look for its jobs.
        self._done.clear()

    def _take_back(self, incarnation: str, counts: bool) -> None:
        record = self._membership.read().get(incarnation)
        taken = self._jobs.take_back(incarnation, counts, b"" if record is None else record.given)
        waiting = self._jobs.waiting.adopt(incarnation)
        self._calls.on_waiting(waiting)
        self._done.add(incarnation)
        if waiting:
            log.info(
                "jobs of %s wait here for another attempt: %d", self._named(record, counts), len(waiting)
            )
        if taken:
            log.warning("jobs of %s are ready again: %d", self._named(record, counts), taken)
            self._calls.on_taken_back()

    def _named(self, record: NodeRecord | None, is_dead: bool) -> str:
        if record is None or record.node == self._membership.node:
            return "an earlier process"
        return f"node {record.node}, which {'is lost' if is_dead else 'has left'},"
