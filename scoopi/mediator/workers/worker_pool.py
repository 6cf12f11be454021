"""WorkerPool: starts workers, tracks their jobs, chooses one for a job, replaces those that crash."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.workers.request_slots import RequestSlots, most_stalled
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.politeness.standing import Standing
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Assign, Setup, Stop, WorkItem

WINDOW_SECONDS = 0.15
"""A worker gets jobs for about this many seconds of its steps in advance, so that it never waits for the
parent."""
WINDOW_LEAST, WINDOW_MOST = 4, 128
TIMING_WEIGHT = 0.2


class PoolWorker:
    """A worker's link, its jobs and its capacity. Belongs to the task runner's thread.

    Attributes:
        outstanding: jobs given and not yet ended, by id.
        slots: its requests granted and not yet answered.
        is_alone: whether it runs the jobs in quarantine, one at a time.
        ready: whether it is wired, and takes jobs.
        is_leaving: whether it was asked to end, so that its end is not a crash.
        slow_on: the id of a job that takes long, until whose end the worker gets no further jobs; else empty.
        overran: the task that exceeded its limit, for which the worker was killed; None if there was none.
        killed_at: monotonic seconds of that kill.
        fresh_since: monotonic seconds; time before does not count against the limit of its task.
        window: the number of jobs that may wait in the worker for its steps.
    """

    def __init__(
        self,
        link: WorkerLink,
        most_requests: int,
        is_alone: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.link = link
        self.outstanding: dict[str, Pending] = {}
        self.slots = RequestSlots(most_requests, most_stalled(), clock)
        self.is_alone = is_alone
        self.ready = False
        self.is_leaving = False
        self.slow_on = ""
        self.overran: RunningTask | None = None
        self.killed_at = self.fresh_since = 0.0
        self._steps_s = WINDOW_SECONDS / WINDOW_LEAST
        self._wait_s = WINDOW_SECONDS
        self._is_timed = False
        self._adapt()
        self._to_give: list[WorkItem] = []

    def capacity(self) -> int:
        """How many jobs it can hold at a time: those that wait for its steps and those being fetched."""
        return 1 if self.is_alone else self.window + self.slots.total

    @property
    def requests(self) -> dict[str, str]:
        """The hosts of the requests granted and not yet answered, by job id."""
        return self.slots.hosts

    def has_room(
        self, needs_request: bool, standing: Standing = Standing.ANSWERS, is_robots: bool = False
    ) -> bool:
        """Whether it can take another job and begin it soon.

        Args:
            needs_request: whether the job makes a request, to a host of that standing.
            is_robots: whether the request is for a robots.txt, which needs no steps.
        """
        if not self.ready or self.slow_on or self.is_leaving or self.overran is not None:
            return False
        if self.is_alone:
            return not self.outstanding
        if needs_request and not self.slots.has_room(standing, is_robots):
            return False
        return is_robots or len(self.outstanding) - len(self.requests) < self.window

    def add(self, pending: Pending, item: WorkItem, standing: Standing = Standing.ANSWERS) -> None:
        """Add a job whose host has that standing; `WorkerPool.give` sends all that were added."""
        self.outstanding[item.job] = pending
        if item.grant is not None:
            self.slots.begin(item.job, item.grant.host, standing, pending.is_robots)
        self._to_give.append(item)

    def end(self, job: str) -> Pending | None:
        """Remove a job that has ended or is handed back; None when this worker no longer has it."""
        if job == self.slow_on:
            self.slow_on = ""
        return self.outstanding.pop(job, None)

    def take_items(self) -> tuple[WorkItem, ...]:
        """Remove and return the jobs added since the last call."""
        items, self._to_give = tuple(self._to_give), []
        return items

    def record_timing(self, jobs: int, steps_s: float, wait_s: float) -> None:
        """Record a batch: seconds in steps and seconds of waiting for pages, each summed over `jobs` jobs."""
        if jobs:
            weight = TIMING_WEIGHT if self._is_timed else 1.0
            self._is_timed = True
            self._steps_s += weight * (steps_s / jobs - self._steps_s)
            self._wait_s += weight * (wait_s / jobs - self._wait_s)
            self._adapt()

    def _adapt(self) -> None:
        """Allow as many requests as its steps can process while one page is fetched; more would pile up."""
        steps_s = max(self._steps_s, 1e-6)
        self.window = max(WINDOW_LEAST, min(WINDOW_MOST, int(WINDOW_SECONDS / steps_s)))
        wanted = WINDOW_LEAST + int(self._wait_s / steps_s)
        self.slots.adapt(wanted, self._wait_s if self._is_timed else None)


class WorkerPool:
    """Starts workers, tracks their jobs, chooses one for a job, replaces those that crash.

    Iterating yields all workers, those that are leaving too. Belongs to the task runner's thread.

    Args:
        launch: starts a worker.
        count: how many workers share the jobs; one more runs jobs in quarantine.
        plan: an encoded `WorkerPlan`, from which they are wired.
        most_requests: how many requests may be in flight in one worker.
    """

    def __init__(self, launch: Callable[[], WorkerLink], count: int, plan: bytes, most_requests: int) -> None:
        self._launch = launch
        self._count = count
        self._setup = Setup(plan)
        self._most_requests = most_requests
        self.workers: list[PoolWorker] = []
        self._alone: PoolWorker | None = None
        self._leaving: list[PoolWorker] = []

    def start(self) -> None:
        """Start workers until there are `count`."""
        while len(self.workers) < self._count:
            self.workers.append(self._start_one(is_alone=False))

    def start_alone(self) -> PoolWorker:
        """Return the worker for jobs in quarantine; start it if there is none."""
        if self._alone is None:
            self._alone = self._start_one(is_alone=True)
        return self._alone

    def end_alone(self) -> None:
        """Ask the worker for jobs in quarantine to end, if there is one and it has no job."""
        if self._alone is not None and not self._alone.outstanding:
            self._alone.is_leaving = True
            self._alone.link.send(Stop())
            self._leaving.append(self._alone)
            self._alone = None

    def __iter__(self) -> Iterator[PoolWorker]:
        yield from self.workers
        if self._alone is not None:
            yield self._alone
        yield from self._leaving

    def choose(
        self, needs_request: bool, standing: Standing = Standing.ANSWERS, is_robots: bool = False
    ) -> PoolWorker | None:
        """The worker with room that has the fewest jobs; None when none has room.

        Args:
            needs_request, standing, is_robots: see `PoolWorker.has_room`.
        """
        open_ones = [each for each in self.workers if each.has_room(needs_request, standing, is_robots)]
        return min(open_ones, key=lambda worker: len(worker.outstanding), default=None)

    def stalls_in(self) -> float:
        """Seconds until a worker may have room because a request of it is stalled; infinity if none does."""
        return min((worker.slots.stalls_in() for worker in self.workers), default=math.inf)

    def stalled_robots(self) -> int:
        """How many requests for a robots.txt are stalled; may be called by any thread."""
        return sum(worker.slots.stalled_robots for worker in self.workers)

    def capacity(self) -> int:
        """How many jobs all workers together can hold at a time."""
        return sum(worker.capacity() for worker in self.workers)

    def give(self) -> None:
        """Send every worker what was added for it."""
        for worker in self:
            if items := worker.take_items():
                worker.link.send(Assign(items))

    def remove(self, worker: PoolWorker) -> tuple[str, RunningTask]:
        """Remove a worker that has ended, and wait for its process.

        Returns:
            See `WorkerLink.reap`.
        """
        if worker is self._alone:
            self._alone = None
        elif worker.is_leaving:
            self._leaving.remove(worker)
        else:
            self.workers.remove(worker)
        return worker.link.reap()

    def stop(self) -> None:
        """Ask all workers to end."""
        for worker in self:
            worker.link.send(Stop())

    def kill(self) -> None:
        """Kill all workers."""
        for worker in self:
            worker.link.kill()

    def _start_one(self, is_alone: bool) -> PoolWorker:
        worker = PoolWorker(self._launch(), self._most_requests, is_alone)
        worker.link.send(self._setup)
        return worker
