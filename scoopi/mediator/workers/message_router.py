"""MessageRouter: acts on the messages of workers: finished jobs, new jobs, requests for grants."""

from __future__ import annotations

import logging
from typing import NamedTuple

from injector import inject

from scoopi.appenders.appender import Appender, JobResult
from scoopi.errors import RunError
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.retries.retry_handler import RetryHandler
from scoopi.mediator.task_queues import GrantRequest, TaskQueues
from scoopi.mediator.workers.page_log import log_failures, log_page
from scoopi.mediator.workers.robots_gate import RobotsGate
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.counter_names import PREFIX
from scoopi.model.report.run_report import LOADER
from scoopi.politeness.host_rate_limiter import HostRateLimiter
from scoopi.store.jobs.job_records import NewJob
from scoopi.worker.messages import (
    GrantRequested,
    JobsHandedBack,
    Ready,
    RequestEnded,
    Results,
    RobotsRead,
    Sent,
    StartFault,
    ToParent,
)

log = logging.getLogger(__name__)


class Routed(NamedTuple):
    """What a message of a worker has led to.

    Attributes:
        results: how many jobs the worker has finished.
        handed_back: jobs that the worker gave back unrun.
    """

    results: int = 0
    handed_back: tuple[Pending, ...] = ()


NOTHING = Routed()


class MessageRouter:
    """Acts on the messages of workers: finished jobs, new jobs, requests for grants.

    Belongs to the task runner's thread.
    """

    @inject
    def __init__(
        self,
        limiter: HostRateLimiter,
        queues: TaskQueues,
        appender: Appender,
        counts: NodeCounts,
        retries: RetryHandler,
        robots: RobotsGate,
    ) -> None:
        self._robots = robots
        self._limiter = limiter
        self._queues = queues
        self._appender = appender
        self._counts = counts
        self._retries = retries

    def route(self, worker: PoolWorker, message: ToParent) -> Routed:
        """Act on one message of a worker.

        Raises:
            RunError: the worker cannot be wired, so no worker can.
        """
        if isinstance(message, RequestEnded):
            job, host = message.job, message.host
            worker.slots.end(job)
            self._limiter.ended(host, job, message.heard, message.fault, message.sent_at)
            self._queues.wake(host)
        elif isinstance(message, Results):
            return Routed(results=self._end_jobs(worker, message))
        elif isinstance(message, Sent):
            self._limiter.sent(message.host, message.job, message.at)
            self._queues.wake(message.host)
        elif isinstance(message, GrantRequested):
            request = GrantRequest(worker, message.job, message.url, message.public_only, message.file)
            self._queues.request_grant(message.host, request)
        elif isinstance(message, RobotsRead):
            pending = worker.end(message.job)
            if pending is not None:
                self._robots.answered(pending, message.answer)
        elif isinstance(message, JobsHandedBack):
            back = (worker.end(job) for job in message.jobs)
            return Routed(handed_back=tuple(pending for pending in back if pending is not None))
        elif isinstance(message, Ready):
            worker.ready = True
        elif isinstance(message, StartFault):
            raise RunError(f"a worker cannot start: {message.message}")
        return NOTHING

    def _end_jobs(self, worker: PoolWorker, message: Results) -> int:
        waited_s = message.times.get(LOADER, 0.0)
        worker.record_timing(len(message.results), sum(message.times.values()) - waited_s, waited_s)
        self._counts.add_all(message.times, prefix="time.")
        self._counts.add_all(message.finds, prefix=PREFIX)
        passed = pages = 0
        ended: list[JobResult] = []
        for result in message.results:
            pending = worker.end(result.job)
            if pending is None:
                continue
            passed += 1
            log_page(pending, result)
            self._retries.count(pending, result)
            final = self._retries.final(pending, result)
            if final is None:
                continue
            result = final
            if result.finds:
                self._counts.add_all(result.finds, prefix=PREFIX)
            log_failures(result)
            children = tuple([NewJob(child.id, child.host, child.payload) for child in result.children])
            ended.append(
                JobResult(result.job, result.fence, result.state, result.body, children, result.rows)
            )
            pages += result.pages
        if ended:
            self._appender.put_all(ended)
        self._counts.add("pages", pages)
        return passed
