"""WorkerPool: starts workers, knows what each has, chooses one for a job, replaces those that crash."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.politeness.host_clocks import Standing
from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import Give, Setup, Stop, WorkItem

WINDOW_SECONDS = 0.15
"""A worker gets about this much work in advance, so that it never waits for the parent."""
WINDOW_LEAST, WINDOW_MOST = 4, 128
PACE_WEIGHT = 0.2
MOST_OF_REQUESTS = {Standing.UNKNOWN: 0.75, Standing.SILENT: 0.25}
"""The share of a worker's requests in flight that hosts of this standing or a worse one may have. The rest is
reserved for hosts that answer; otherwise a few hundred dead hosts would occupy all until their timeouts."""
STALLED_S = 0.05, 0.25
"""A request is stalled when its host has never answered, and it has waited four times as long as pages take
usually: at least, and at most, so many seconds."""
MOST_STALLED = 512
"""So many stalled requests of a worker are not counted as in flight: they take a connection, but no time and
memory, and of many new hosts some never answer."""


class PoolWorker:
    """A worker's link, its jobs and its capacity. Belongs to the task runner's thread.

    Attributes:
        outstanding: jobs given and not yet ended, by id.
        requests: host by id, of jobs with a request granted and not yet answered.
        alone: whether it runs one job at a time, because those jobs are in quarantine.
        is_leaving: whether it was asked to end; its end is not a crash.
        slow_on: the job that takes it long; until that ends it gets no further ones.
        overran: the task for which it was killed, at `killed_at`; None while none was.
        fresh_since: time before this does not count against its task.
        window: how many jobs may wait in it for its steps.
    """

    def __init__(
        self,
        link: WorkerLink,
        most_requests: int,
        alone: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.link = link
        self._clock = clock
        self.outstanding: dict[str, Pending] = {}
        self.requests: dict[str, str] = {}
        self._doubtful: dict[str, tuple[Standing, float]] = {}  # in the order of their begin
        self._stalled: set[str] = set()
        self.alone = alone
        self.ready = False
        self.is_leaving = False
        self.slow_on = ""
        self.overran: Note | None = None
        self.killed_at = self.fresh_since = 0.0
        self._most_requests = most_requests
        self._steps_s = WINDOW_SECONDS / WINDOW_LEAST
        self._wait_s = WINDOW_SECONDS
        self._is_timed = False
        self._pace()
        self._to_give: list[WorkItem] = []

    def capacity(self) -> int:
        """How many jobs it can hold at a time: those that wait for its steps and those being fetched."""
        return 1 if self.alone else self.window + self._requests_wanted + len(self._stalled)

    def has_room(self, needs_request: bool, standing: Standing = Standing.ANSWERS) -> bool:
        """Whether it can take another job and begin it soon.

        Args:
            needs_request: the job needs a request in flight, to a host of that standing.
        """
        if not self.ready or self.slow_on or self.is_leaving or self.overran is not None:
            return False
        if self.alone:
            return not self.outstanding
        if needs_request and not self._has_request_for(standing):
            return False
        return len(self.outstanding) - len(self.requests) < self.window

    def add(self, pending: Pending, item: WorkItem, standing: Standing = Standing.ANSWERS) -> None:
        """Add a job whose host has that standing; `WorkerPool.give` sends all that were added."""
        self.outstanding[item.job] = pending
        if item.grant is not None:
            self.requests[item.job] = item.grant.host
            if standing:
                self._doubtful[item.job] = standing, self._clock()
        self._to_give.append(item)

    def request(self, job: str, host: str) -> None:
        """Note that a job of it got a grant for a further request."""
        self.requests[job] = host

    def answered(self, job: str) -> None:
        """Note that the request of a job was answered, or not sent."""
        self.requests.pop(job, None)
        self._doubtful.pop(job, None)
        self._stalled.discard(job)

    def end(self, job: str) -> Pending | None:
        """Remove a job that has ended or is handed back; None when this worker no longer has it."""
        if job == self.slow_on:
            self.slow_on = ""
        return self.outstanding.pop(job, None)

    def take_items(self) -> tuple[WorkItem, ...]:
        """The jobs added since the last call."""
        items, self._to_give = tuple(self._to_give), []
        return items

    def record_timing(self, jobs: int, steps_s: float, wait_s: float) -> None:
        """Record a batch: seconds in steps and seconds of waiting for pages, each summed over `jobs` jobs."""
        if jobs:
            weight = PACE_WEIGHT if self._is_timed else 1.0
            self._is_timed = True
            self._steps_s += weight * (steps_s / jobs - self._steps_s)
            self._wait_s += weight * (wait_s / jobs - self._wait_s)
            self._pace()

    def _pace(self) -> None:
        """Wants as many requests as its steps can process while one page is fetched: pages do not pile up."""
        steps_s = max(self._steps_s, 1e-6)
        self.window = max(WINDOW_LEAST, min(WINDOW_MOST, int(WINDOW_SECONDS / steps_s)))
        self._requests_wanted = min(self._most_requests, WINDOW_LEAST + int(self._wait_s / steps_s))
        least_s, most_s = STALLED_S
        self._stalled_after_s = min(max(least_s, 4 * self._wait_s), most_s) if self._is_timed else least_s

    def _has_request_for(self, standing: Standing) -> bool:
        wanted = self._requests_wanted
        if self._doubtful:
            self._find_stalled()
        if len(self.requests) - len(self._stalled) >= wanted:
            return False
        if not standing:
            return True
        like_it = sum(each >= standing for each, _ in self._doubtful.values())
        return like_it < max(1, int(wanted * MOST_OF_REQUESTS[standing]))

    def stalls_in(self) -> float:
        """Seconds until a request may be stalled, so that there is room for another; 0 if some just are."""
        if self._find_stalled():
            return 0.0
        first = next(iter(self._doubtful.values()), None)
        if first is None or len(self._stalled) >= MOST_STALLED:
            return math.inf
        return max(0.0, first[1] + self._stalled_after_s - self._clock())

    def _find_stalled(self) -> bool:
        """Count the requests that are stalled by now as such; whether there are new ones."""
        before, known = self._clock() - self._stalled_after_s, len(self._stalled)
        while self._doubtful and len(self._stalled) < MOST_STALLED:
            job, (_, since) = next(iter(self._doubtful.items()))
            if since > before:
                break
            del self._doubtful[job]
            self._stalled.add(job)
        return len(self._stalled) > known


class WorkerPool:
    """Starts workers, knows what each has, chooses one for a job, replaces those that crash.

    There is one more for jobs that must run alone. Belongs to one thread.

    Args:
        launch: starts a worker.
        count: how many share the work.
        plan: what they are wired from.
        most_requests: in flight in one worker.
    """

    def __init__(self, launch: Callable[[], WorkerLink], count: int, plan: bytes, most_requests: int) -> None:
        self._launch = launch
        self._count = count
        self._setup = Setup(plan)
        self._most_requests = most_requests
        self.workers: list[PoolWorker] = []
        self.alone: PoolWorker | None = None
        self._leaving: list[PoolWorker] = []

    def start(self) -> None:
        """Start all workers."""
        while len(self.workers) < self._count:
            self.workers.append(self._start_one(alone=False))

    def start_alone(self) -> PoolWorker:
        """The worker for jobs that must be alone, started when it is first needed."""
        if self.alone is None:
            self.alone = self._start_one(alone=True)
        return self.alone

    def end_alone(self) -> None:
        """Ask the worker for jobs that must be alone to end, if there is one and it has no job."""
        if self.alone is not None and not self.alone.outstanding:
            self.alone.is_leaving = True
            self.alone.link.send(Stop())
            self._leaving.append(self.alone)
            self.alone = None

    def __iter__(self) -> Iterator[PoolWorker]:
        yield from self.workers
        if self.alone is not None:
            yield self.alone
        yield from self._leaving

    def choose(self, needs_request: bool, standing: Standing = Standing.ANSWERS) -> PoolWorker | None:
        """The worker with room that has the fewest jobs; None when none has room.

        Args:
            needs_request: room for a request to a host of that standing is needed, too.
        """
        open_ones = [worker for worker in self.workers if worker.has_room(needs_request, standing)]
        return min(open_ones, key=lambda worker: len(worker.outstanding), default=None)

    def stalls_in(self) -> float:
        """Seconds until a worker may have room because a request of it is stalled; infinity if none does."""
        return min((worker.stalls_in() for worker in self.workers), default=math.inf)

    def capacity(self) -> int:
        """How many jobs all workers together can hold at a time."""
        return sum(worker.capacity() for worker in self.workers)

    def give(self) -> None:
        """Send every worker what was added for it."""
        for worker in self:
            if items := worker.take_items():
                worker.link.send(Give(items))

    def remove(self, worker: PoolWorker) -> tuple[str, Note]:
        """Forget a worker that has ended.

        Returns:
            How it ended, and the task that it was on, as `WorkerLink.reap`.
        """
        if worker is self.alone:
            self.alone = None
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
        """End all workers at once."""
        for worker in self:
            worker.link.kill()

    def _start_one(self, alone: bool) -> PoolWorker:
        worker = PoolWorker(self._launch(), self._most_requests, alone)
        worker.link.send(self._setup)
        return worker
