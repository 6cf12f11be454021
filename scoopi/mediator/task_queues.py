"""TaskQueues: taken jobs that wait in this node, by host, and when each host may be served."""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable
from typing import TypeVar

from scoopi.mediator.host_clocks import FILE_HOST, HostClocks
from scoopi.mediator.pending import Pending
from scoopi.mediator.pool_worker import PoolWorker

One = TypeVar("One")


class TaskQueues:
    """Hosts take turns; one that must wait sleeps until its clock says so. Belongs to one thread."""

    def __init__(self, clocks: HostClocks, clock: Callable[[], float]) -> None:
        self._clocks = clocks
        self._clock = clock
        self._jobs: dict[str, deque[Pending]] = {}
        self._asking: dict[str, deque[tuple[PoolWorker, str]]] = {}
        self._turns: deque[str] = deque()
        self._in_turn: set[str] = set()
        self._sleeping: list[tuple[float, str]] = []
        self.waiting: Counter[str] = Counter()
        self.total = 0

    def add(self, pending: Pending) -> None:
        """Queue a taken job."""
        host = pending.taken.host
        key = FILE_HOST if pending.archived else host
        self._jobs.setdefault(key, deque()).append(pending)
        self.waiting[host] += 1
        self.total += 1
        self.wake(key)

    def ask(self, host: str, worker: PoolWorker, job: str) -> None:
        """A job in a worker waits for a further request to the host."""
        self._asking.setdefault(host, deque()).append((worker, job))
        self.wake(host)

    def wake(self, host: str) -> None:
        """The host may be served now: it has new work, or an answer has come."""
        if host not in self._in_turn and (host in self._jobs or host in self._asking):
            self._in_turn.add(host)
            self._turns.append(host)

    def next_turn_in(self) -> float:
        """Seconds until a sleeping host wakes; infinity when none sleeps."""
        if not self._sleeping:
            return math.inf
        return max(0.0, self._sleeping[0][0] - self._clock())

    def serve(self, serve_host: Callable[[str], bool]) -> None:
        """Let each host in turn be served once.

        Args:
            serve_host: gives out what it can of the host; False when the host must wait for a worker.
        """
        now = self._clock()
        while self._sleeping and self._sleeping[0][0] <= now:
            self.wake(heapq.heappop(self._sleeping)[1])
        for _ in range(len(self._turns)):
            host = self._turns.popleft()
            self._in_turn.discard(host)
            if not serve_host(host):
                self.wake(host)

    def sleep(self, host: str) -> None:
        """Take the host out of the turns until its clock allows a request, or an answer comes."""
        at = self._clocks.ready_at(host)
        if at < math.inf:
            heapq.heappush(self._sleeping, (at, host))

    def next_asking(self, host: str) -> tuple[PoolWorker, str] | None:
        """The first that waits for a further request to the host."""
        return self._first(self._asking, host)

    def next_job(self, host: str) -> Pending | None:
        """The first job of the host, still queued."""
        return self._first(self._jobs, host)

    def pop_asking(self, host: str) -> None:
        """Remove what `next_asking` named."""
        self._pop(self._asking, host)

    def pop_job(self, host: str) -> Pending:
        """Remove and return what `next_job` named."""
        pending = self._pop(self._jobs, host)
        self.waiting[pending.taken.host] -= 1
        self.total -= 1
        return pending

    def forget_worker(self, worker: PoolWorker) -> None:
        """A dead worker asks for nothing any more."""
        for host, asking in list(self._asking.items()):
            kept = deque(one for one in asking if one[0] is not worker)
            if kept:
                self._asking[host] = kept
            else:
                del self._asking[host]

    def waiting_hosts(self) -> tuple[str, ...]:
        """Hosts that have jobs waiting here; approximate, and may be asked by any thread."""
        waiting = self.waiting
        return tuple(host for host in list(waiting) if waiting[host] > 0)

    def asking_hosts(self) -> tuple[str, ...]:
        """Hosts to which jobs in workers wait for a further request; may be asked by any thread."""
        return tuple(self._asking)

    def clear(self) -> list[Pending]:
        """Remove and return all jobs; whoever asks is forgotten."""
        jobs = [pending for queue in self._jobs.values() for pending in queue]
        self._jobs.clear()
        self._asking.clear()
        self.waiting.clear()
        self.total = 0
        return jobs

    @staticmethod
    def _first(queues: dict[str, deque[One]], host: str) -> One | None:
        queue = queues.get(host)
        return queue[0] if queue else None

    @staticmethod
    def _pop(queues: dict[str, deque[One]], host: str) -> One:
        queue = queues[host]
        first = queue.popleft()
        if not queue:
            del queues[host]
        return first
