"""HandoverRouter: carries out what workers hand over: ended jobs, new jobs, requests for grants."""

from __future__ import annotations

import logging

from injector import inject

from scoopi.appenders.appender import Appender
from scoopi.appenders.job_result import JobResult
from scoopi.errors import RunError
from scoopi.mediator.pending import Pending
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.pool_worker import PoolWorker
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.finds import PREFIX
from scoopi.model.report.run_report import LOADER
from scoopi.politeness.host_clocks import HostClocks
from scoopi.store.pages.job_values import NewJob
from scoopi.worker.messages import (
    Answered,
    Asking,
    Fault,
    HandedBack,
    Ready,
    Results,
    Sent,
    ToParent,
)

log = logging.getLogger(__name__)


class HandoverRouter:
    """Belongs to the task runner's thread.

    Attributes:
        handed_back: jobs that workers gave back unrun, since the owner last took them.
        routed: how many results were passed to the appender.
    """

    @inject
    def __init__(
        self, clocks: HostClocks, queues: TaskQueues, appender: Appender, counts: NodeCounts
    ) -> None:
        self._clocks = clocks
        self._queues = queues
        self._appender = appender
        self._counts = counts
        self.handed_back: list[Pending] = []
        self.routed = 0

    def route(self, worker: PoolWorker, message: ToParent) -> None:
        """Carry out one message.

        Raises:
            RunError: the worker cannot be wired, so no worker can.
        """
        if isinstance(message, Results):
            self._end_jobs(worker, message)
        elif isinstance(message, Answered):
            worker.requests.pop(message.job, None)
            self._clocks.answered(message.host, message.job, message.heard)
            self._queues.wake(message.host)
        elif isinstance(message, Sent):
            self._clocks.sent(message.host, message.job, message.at)
            self._queues.wake(message.host)
        elif isinstance(message, Asking):
            self._queues.ask(message.host, worker, message.job)
        elif isinstance(message, HandedBack):
            self._take_back(worker, message)
        elif isinstance(message, Ready):
            worker.ready = True
        elif isinstance(message, Fault):
            raise RunError(f"a worker cannot start: {message.message}")

    def _take_back(self, worker: PoolWorker, message: HandedBack) -> None:
        for job in message.jobs:
            pending = worker.outstanding.pop(job, None)
            if pending is not None:
                self.handed_back.append(pending)

    def _end_jobs(self, worker: PoolWorker, message: Results) -> None:
        waited_s = message.times.get(LOADER, 0.0)
        worker.paced(len(message.results), sum(message.times.values()) - waited_s, waited_s)
        self._counts.add_all(message.times, prefix="time.")
        self._counts.add_all(message.finds, prefix=PREFIX)
        for result in message.results:
            if worker.outstanding.pop(result.job, None) is None:
                continue
            if result.job == worker.slow_on:
                worker.slow_on = ""
            self._counts.add("pages", result.pages)
            for failure in result.failures:
                log.info("job %s: %s failed: %s", failure.job, failure.task, failure.message)
            children = tuple(NewJob(child.id, child.host, child.payload) for child in result.children)
            self._appender.put(
                JobResult(result.job, result.fence, result.state, result.body, children, result.rows)
            )
            self.routed += 1
