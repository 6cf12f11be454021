"""TaskMediator: the task runner's interface for the other threads of the node."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

import msgspec

from scoopi.errors import RunError, ScoopiError
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.inboxes import TaskInbox
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.task_runner import TaskRunner
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.model.sites import LimitsByHost
from scoopi.politeness.host_clocks import FILE_HOST, Standing
from scoopi.store.pages.job_records import TakenJob

log = logging.getLogger(__name__)

LEAST_AHEAD = 32
MOST_AHEAD = 8192
"""With a delay of a second, the page of a new host waits for a second after its robots.txt. If many hosts
have few pages each, no more of them than this can get a request in that time."""
AHEAD_BY_STANDING = {Standing.ANSWERS: 1.0, Standing.UNKNOWN: 0.75, Standing.SILENT: 0.5}
"""The rest of the queue is reserved for hosts that answer: jobs of hosts that do not answer wait long."""


class TaskFigures(msgspec.Struct, frozen=True):
    """A snapshot of the task runner, taken from outside its thread.

    Attributes:
        workers: how many workers there are; `ready` of them are wired and take jobs.
        pids: process ids of those that are processes.
        crashes: workers that crashed since the node started.
        queued: jobs taken and not yet given to a worker; `given` those in workers.
        requests: requests granted and not yet answered, to `hosts_in_flight` hosts.
        hosts_waiting: hosts with queued jobs.
        turned_at: monotonic seconds of the loop's last turn; infinity before the first.
        stuck_s: for how long a worker that cannot be killed has exceeded its task's limit; 0 for none.
    """

    workers: int
    ready: int
    pids: tuple[int, ...]
    crashes: int
    queued: int
    given: int
    requests: int
    hosts_in_flight: int
    hosts_waiting: int
    turned_at: float
    stuck_s: float


class Prefetch(msgspec.Struct, frozen=True):
    """How many jobs of a host are taken in advance.

    Attributes:
        limits: of each host; with a delay, jobs for the next `ahead_ms` milliseconds are taken.
        windows: with a delay of 0, this multiple of the workers' capacity is taken; the slower the store
            answers, the larger it should be.
    """

    limits: LimitsByHost
    ahead_ms: int
    windows: int = 2

    def most(self, host: str, capacity: Callable[[], int]) -> int:
        """The most jobs of the host that may wait here, given the capacity of all workers together."""
        delay_ms = 0 if host == FILE_HOST else self.limits.for_host(host).delay_ms
        if not delay_ms:
            return max(LEAST_AHEAD, self.windows * capacity())
        return max(1, math.ceil(self.ahead_ms / delay_ms))


class TaskMediator:
    """Runs the task runner in its thread, passes it the requests of other threads, and reports its load."""

    def __init__(
        self,
        runner: TaskRunner,
        inbox: TaskInbox,
        queues: TaskQueues,
        pool: WorkerPool,
        prefetch: Prefetch,
        on_fault: Callable[[ScoopiError], None],
    ) -> None:
        self._runner = runner
        self._queues = queues
        self._pool = pool
        self._inbox = inbox
        self._prefetch = prefetch
        self._on_fault = on_fault
        self._thread = threading.Thread(target=self._run, name="task-runner", daemon=True)

    def start(self) -> None:
        """Start the workers and serve them."""
        self._thread.start()

    def wanted(self, host: str) -> int:
        """How many jobs of the host this node should take now; 0 if enough wait."""
        most_queued = MOST_AHEAD * AHEAD_BY_STANDING[self._queues.standing(host)]
        queued = self._queues.total
        if queued >= most_queued and queued - self._pool.stalled_robots() >= most_queued:
            return 0
        if self._queues.clocks.is_left_alone(host):
            return 0
        most_waiting = self._prefetch.most(host, self._pool.capacity)
        waiting = self._queues.waiting[host]
        return most_waiting - waiting if waiting <= most_waiting // 2 else 0

    def may_send(self, jobs: list[TakenJob]) -> None:
        """Let jobs send their requests, once the store has recorded that they will."""
        self._inbox.post(lambda: self._runner.giver.may_send(jobs))

    def waiting_hosts(self) -> tuple[str, ...]:
        """The hosts with jobs waiting here; approximate, as they change all the time."""
        return tuple(host for host in self._queues.waiting_hosts() if host != FILE_HOST)

    def given(self) -> list[str]:
        """The ids of the jobs in workers; approximate, as they change all the time."""
        return [job for worker in list(self._pool) for job in list(worker.outstanding)]

    def figures(self) -> TaskFigures:
        """How busy the workers are; approximate, as it changes all the time. Does not block."""
        workers = list(self._pool)
        asked = [host for worker in workers for host in list(worker.requests.values())]
        return TaskFigures(
            workers=len(workers),
            ready=sum(worker.ready for worker in workers),
            pids=tuple(pid for worker in workers if (pid := worker.link.pid) is not None),
            crashes=self._runner.crashes,
            queued=self._queues.total,
            given=sum(len(worker.outstanding) for worker in workers),
            requests=len(asked),
            hosts_in_flight=len(set(asked)),
            hosts_waiting=len(self.waiting_hosts()),
            turned_at=self._runner.turned_at,
            stuck_s=self._runner.stuck_s,
        )

    def ended(self) -> bool:
        """Whether the thread was started and has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    def push(self, jobs: list[Pending]) -> None:
        """Queue taken jobs."""
        self._inbox.post(lambda: self._runner.push(jobs))

    def drain(self) -> None:
        """Give back the jobs that have not begun, and finish the others."""
        self._inbox.post(self._runner.drain)

    def recall(self) -> None:
        """Give back the jobs that have not begun, and continue."""
        self._inbox.post(self._runner.recall)

    def stop(self) -> None:
        """End the workers once all their jobs have ended."""
        self._inbox.post(self._runner.stop)

    def kill(self) -> None:
        """Kill the workers; their jobs are run again."""
        self._inbox.post(self._runner.kill)

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of the thread; return whether it has ended in time."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._runner.run()
        except Exception as error:
            log.exception("task runner: unexpected error")
            self._on_fault(RunError(f"the task runner failed: {error!r}"))
        finally:
            self._queues.clocks.close()
