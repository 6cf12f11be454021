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
from scoopi.politeness.host_rate_limiter import FILE_HOST
from scoopi.politeness.standing import Standing
from scoopi.store.jobs.job_records import TakenJob

log = logging.getLogger(__name__)

LEAST_AHEAD = 32
MOST_AHEAD = 8192
"""The most jobs that wait in a node. If many hosts have few pages each, at most this many hosts can get a
request in a second, as with a delay of a second the page of a new host waits that long after its
robots.txt."""
AHEAD_BY_STANDING = {Standing.ANSWERS: 1.0, Standing.UNKNOWN: 0.75, Standing.SILENT: 0.5}
"""The part of MOST_AHEAD that may be in use when a job of such a host is taken; the rest is reserved for
hosts that answer, as jobs of hosts that do not answer wait long."""


class TaskFigures(msgspec.Struct, frozen=True):
    """A snapshot of the task runner, taken from outside its thread.

    Attributes:
        workers: how many workers there are; `ready` of them are wired and take jobs.
        pids: process ids of the workers that are processes, not threads.
        crashes: how many workers have crashed since the node started.
        queued: how many jobs were taken and wait for a worker; `given` are in workers.
        requests: how many requests are granted and not yet answered, to `hosts_in_flight` hosts.
        hosts_waiting: how many hosts have queued jobs.
        turned_at: monotonic seconds of the loop's last turn; infinity before the first.
        stuck_s: for how many seconds a worker that cannot be killed has been in its task; 0 if there is none.
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
        ahead_ms: for a host with a delay, jobs for this many milliseconds are taken.
        windows: for a host without a delay, this multiple of the workers' capacity is taken; the slower the
            store answers, the larger it should be.
    """

    ahead_ms: int
    windows: int = 2

    def most(self, delay_s: float, capacity: Callable[[], int]) -> int:
        """The most jobs of a host with this delay that may wait in the node.

        Args:
            capacity: returns how many jobs all workers together can hold.
        """
        if not delay_s:
            return max(LEAST_AHEAD, self.windows * capacity())
        return max(1, math.ceil(self.ahead_ms / 1000 / delay_s))


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
        """Start the task runner's thread, which starts the workers."""
        self._thread.start()

    def wanted(self, host: str) -> int:
        """How many jobs of the host this node should take now; 0 if enough wait."""
        most_queued = MOST_AHEAD * AHEAD_BY_STANDING[self._queues.standing(host)]
        queued = self._queues.total
        if queued >= most_queued and queued - self._pool.stalled_robots() >= most_queued:
            return 0
        limiter = self._queues.limiter
        if limiter.is_left_alone(host):
            return 0
        delay_s = 0.0 if host == FILE_HOST else limiter.delay_s(host)
        most_waiting = self._prefetch.most(delay_s, self._pool.capacity)
        waiting = self._queues.waiting[host]
        return most_waiting - waiting if waiting <= most_waiting // 2 else 0

    def may_send(self, jobs: list[TakenJob]) -> None:
        """Let jobs send their requests, as the store has recorded that they will."""
        self._inbox.post(lambda: self._runner.dispatcher.notes.add(jobs))

    def waiting_hosts(self) -> tuple[str, ...]:
        """The hosts, other than FILE_HOST, with jobs waiting in the node; approximate, as they change."""
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
        """Hand back the jobs that have not begun, finish the others, and accept no more."""
        self._inbox.post(self._runner.drain)

    def recall(self) -> None:
        """Hand back the jobs that have not begun, and continue."""
        self._inbox.post(self._runner.recall)

    def stop(self) -> None:
        """End the workers once all their jobs have ended."""
        self._inbox.post(self._runner.stop)

    def kill(self) -> None:
        """Kill the workers; their jobs are run again."""
        self._inbox.post(self._runner.kill)

    def join(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds for the end of the thread; return whether it has ended."""
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
            self._queues.limiter.close()
