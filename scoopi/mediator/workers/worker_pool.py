"""WorkerPool: starts workers, chooses one for a job, replaces those that crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scoopi.mediator.workers.pool_worker import PoolWorker
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.politeness.host_clocks import Standing
from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import Give, Setup, Stop


class WorkerPool:
    """The workers of a node, and one more for jobs that must run alone. Belongs to one thread.

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
