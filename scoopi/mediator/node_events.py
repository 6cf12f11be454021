"""NodeEvents: passes what happened in one part of the node on to the parts that wait for it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from injector import inject

from scoopi.appenders.appender import JobResult
from scoopi.errors import ScoopiError
from scoopi.mediator.held_jobs import HeldJobs, Pending
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.job import JobState

log = logging.getLogger(__name__)


class NodeEvents:
    """Passes what happened in one part of the node on to the parts that wait for it.

    Breaks the cycle of appender, workers and takers: each notifies this object and knows no other part.

    Wake-ups only make the node fast; the sweeps of the job runner and the monitor find what they miss.
    """

    @inject
    def __init__(
        self,
        held: HeldJobs,
        counts: NodeCounts,
        state: StateFlipper,
        job_inbox: JobInbox,
        task_inbox: TaskInbox,
        monitor: Monitor,
    ) -> None:
        self._held = held
        self._counts = counts
        self._state = state
        self._job_inbox = job_inbox
        self._task_inbox = task_inbox
        self._monitor = monitor
        self._faults: list[ScoopiError] = []

    @property
    def fault(self) -> ScoopiError | None:
        """The first error after which this node cannot continue; None without one."""
        return self._faults[0] if self._faults else None

    def on_ended(self, won: Sequence[JobResult], lost: Sequence[JobResult]) -> None:
        """Count jobs that have ended, and release them.

        Args:
            won: results of jobs that this node has ended; their rows count.
            lost: results of jobs that another incarnation has ended; the rows of this node do not count.
        """
        failed = sum(result.state is JobState.FAILED for result in won)
        self._counts.add("jobs.failed", failed)
        skipped = sum(result.state is JobState.SKIPPED for result in won)
        self._counts.add("jobs.skipped", skipped)
        self._counts.add("jobs.done", len(won) - failed - skipped)
        self._counts.add("rows", sum(result.rows for result in won))
        self._counts.add("bytes", sum(len(result.body) for result in won))
        for result in lost:
            log.warning("job %s: ended by another node; this attempt's rows do not count", result.job)
        self._held.remove(result.job for result in (*won, *lost))
        hosts = {child.host for result in won for child in result.children}
        if hosts:
            self._job_inbox.has_new(hosts)
        self._task_inbox.wake()
        if self._held.is_idle():
            self._monitor.wake()

    def hand_back(self, jobs: list[Pending]) -> None:
        """Hand jobs that are not run back to the store; drop requests for a robots.txt."""
        self._job_inbox.hand_back([pending for pending in jobs if not pending.is_robots])

    def on_fault(self, error: ScoopiError) -> None:
        """Keep the error, and shut this node down, as it cannot continue."""
        self._faults.append(error)
        self._state.cancel()
        self._held.wake()  # a graceful shutdown waits for running jobs, which will not end
