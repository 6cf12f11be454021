"""Pending and HeldJobs: the jobs that this node has taken and not yet finished or handed back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import msgspec
from msgspec.structs import replace

from scoopi.appenders.appender import JobResult
from scoopi.mediator.retries.retry_queue import RetryQueue
from scoopi.model.failure import Failure, page_failure
from scoopi.model.handover import Grant
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.worker.messages import WorkItem

NOT_SAFE = "the server may have received the request; `idempotent: true` in its locator allows a retry"


class Pending(msgspec.Struct, frozen=True):
    """A job between its take and its end.

    Attributes:
        archived: whether the archive has its page, so that it needs no grant.
        failures: of tasks that are skipped now, because they crashed their worker or took too long.
        crashes: for each crash of a worker that ran this job alone, the task that it was running.
        beside: the number of workers that crashed while they held this job and ran another one.
        is_robots: whether it is a request for a host's robots.txt, not a job of the run.
    """

    taken: TakenJob
    archived: bool = False
    failures: tuple[Failure, ...] = ()
    crashes: tuple[str, ...] = ()
    beside: int = 0
    is_robots: bool = False

    @property
    def sends_once(self) -> bool:
        """Whether its request must not be sent again once it may have been sent."""
        request = self.taken.payload.locator.request
        return request is not None and not request.is_repeatable and not self.archived

    def item(self, grant: Grant | None = None) -> WorkItem:
        """The job as a worker gets it, with the grant if it needs one."""
        taken = self.taken
        return WorkItem(
            taken.id,
            taken.fence,
            taken.payload,
            grant,
            self.archived,
            self.failures,
            taken.tried,
            self.is_robots,
        )

    def crashed(self, task: str) -> Pending:
        """This job after a crash on that task of a worker that ran it alone."""
        return replace(self, crashes=(*self.crashes, task))

    def held_at_crash(self) -> Pending:
        """This job after the crash of a worker that held it while running another one."""
        return replace(self, beside=self.beside + 1)

    def without(self, task: str, failure: Failure) -> Pending:
        """This job to be run once more without that task, which has failed."""
        payload = self.taken.payload
        skipped = msgspec.structs.replace(payload, skip=(*payload.skip, task))
        return replace(
            self,
            taken=self.taken._replace(payload=skipped),
            failures=(*self.failures, failure),
            crashes=(),
        )


def robots_pending(host: str, url: str, public_only: bool) -> Pending:
    """Return a job that stands in the queues for the request of a host's robots.txt.

    Args:
        url: of the robots.txt.
        public_only: see `Request`.
    """
    payload = JobPayload(Locator("robots.txt", "", url), "", public_only=public_only)
    return Pending(TakenJob(f"robots.txt of {host}", 0, 0, host, payload), is_robots=True)


def failure_of(taken: TakenJob, cause: str, hint: str, task: str = "", at: str = "") -> Failure:
    """A failure of a job that has not run, in the form of a step's failure.

    Args:
        task: empty when the job fails as a whole.
        at: where the task's definition stands, as `file:line`.
    """
    return page_failure(taken.payload.locator, cause, f"{cause}; {hint}", task, "worker", at)


def skipped_result(taken: TakenJob, skipped: Failure) -> JobResult:
    """The result of a job that robots.txt or a budget does not allow to run: no rows, and why."""
    frame = Frame(job=taken.id, fence=taken.fence, state=JobState.SKIPPED, pages=0, parts=(), skipped=skipped)
    return JobResult(taken.id, taken.fence, JobState.SKIPPED, msgspec.msgpack.encode(frame))


def failed_result(taken: TakenJob, failures: tuple[Failure, ...]) -> JobResult:
    """The result of a job that fails without being run: no rows, these failures."""
    frame = Frame(
        job=taken.id,
        fence=taken.fence,
        state=JobState.FAILED,
        pages=0,
        parts=(),
        failures=failures,
        payload=taken.payload,
    )
    return JobResult(taken.id, taken.fence, JobState.FAILED, msgspec.msgpack.encode(frame))


class HeldJobs:
    """Tracks the jobs that this node holds, and so whether it is idle.

    A job counts from before its take to its end.

    Attributes:
        waiting: jobs that wait at this node for another attempt. It does not hold them, and may end without
            them; but the run is not over.
    """

    def __init__(self) -> None:
        self.waiting = RetryQueue()
        self._lock = threading.Condition()
        self._ids: set[str] = set()
        self._taking = 0
        self._takes = 0

    @contextmanager
    def taking(self) -> Iterator[Callable[[], None]]:
        """Keep the node from being idle while a take is under way (a context manager).

        Yields:
            A callable that counts the take, to be called once jobs were found, before they are taken. A look
            that finds none is not counted, or nodes that look now and then would never count as idle.
        """
        with self._lock:
            self._taking += 1
        try:
            yield self._count_take
        finally:
            with self._lock:
                self._taking -= 1
                self._lock.notify_all()

    def add(self, ids: Iterable[str]) -> None:
        """Add jobs that were taken; call it within `taking`."""
        with self._lock:
            self._ids.update(ids)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove jobs that have ended, or were handed back."""
        with self._lock:
            self._ids.difference_update(ids)
            self._lock.notify_all()

    def is_idle(self) -> bool:
        """Whether the node holds no job and is about to hold none."""
        with self._lock:
            return self._idle()

    def load(self) -> NodeLoad:
        """The node's load: how often it has taken jobs; idle if it holds none and none waits for a retry."""
        with self._lock:
            return NodeLoad(self._takes, self._idle() and not self.waiting)

    def wait_idle(self, timeout_s: float, given_up: Callable[[], bool]) -> bool:
        """Wait until the node is idle, `timeout_s` seconds are over, or `given_up` is true after a `wake`.

        Returns:
            Whether the node is idle.
        """
        with self._lock:
            self._lock.wait_for(lambda: self._idle() or given_up(), timeout=timeout_s)
            return self._idle()

    def wake(self) -> None:
        """Have `wait_idle` check its conditions again."""
        with self._lock:
            self._lock.notify_all()

    def ids(self) -> set[str]:
        """A copy of the ids of the held jobs."""
        with self._lock:
            return set(self._ids)

    def _count_take(self) -> None:
        with self._lock:
            self._takes += 1

    def _idle(self) -> bool:
        return not self._ids and not self._taking
