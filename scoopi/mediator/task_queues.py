"""TaskQueues: taken jobs that wait in this node, by host, and when each host may be served."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection
from typing import Literal, NamedTuple, TypeVar

from injector import NoInject, inject

from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, PageBudgets
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter
from scoopi.politeness.standing import Standing

One = TypeVar("One")


class GrantRequest(NamedTuple):
    """A job in a worker that waits for a grant; `url`, `public_only` and `file` as in `GrantRequested`."""

    worker: PoolWorker
    job: str
    url: str
    public_only: bool
    file: str


_Rank = Standing | Literal["grants", "files"]
"""A host's standing; `grants` if a job in a worker needs a further request to it, `files` for FILE_HOST."""

_ORDERS: tuple[tuple[_Rank, ...], ...] = tuple(
    ("grants", "files", first, *(other for other in Standing if other is not first)) for first in Standing
)
"""The orders in which ranks are served, one a call of `serve`: each standing is the first of them in turn."""


class TaskQueues:
    """Keeps taken jobs that wait in this node, by host.

    Hosts take turns, by rank; one that must not be asked yet sleeps until its clock allows a request. If no
    worker has room for a host, none has room for the others of its rank, so their round ends: many hosts that
    do not answer cost little and delay no other host. Belongs to the task runner's thread.

    Attributes:
        limiter: when each host may be asked, and whether it answers.
        waiting: how many jobs of each host wait here.
        total: how many jobs wait here.
    """

    @inject
    def __init__(
        self,
        limiter: HostRateLimiter,
        clock: NoInject[Callable[[], float]] = time.monotonic,
        budgets: PageBudgets = NO_BUDGETS,
    ) -> None:
        self.limiter = limiter
        self._budgets = budgets
        self._clock = clock
        self._jobs: dict[str, deque[Pending]] = {}
        self._grants: dict[str, deque[GrantRequest]] = {}
        self._turns: defaultdict[_Rank, deque[str]] = defaultdict(deque)
        self._in_turn: dict[str, _Rank] = {}
        self._orders = itertools.cycle(_ORDERS)
        self._sleeping: list[tuple[float, str]] = []
        self.waiting: Counter[str] = Counter()
        self.total = 0

    def add(self, pending: Pending) -> None:
        """Queue a taken job; a robots.txt before all jobs of its host."""
        host = pending.taken.host
        key = FILE_HOST if pending.archived else host
        queue = self._jobs.setdefault(key, deque())
        if pending.is_robots:
            queue.appendleft(pending)
        else:
            queue.append(pending)
        self.waiting[host] += 1
        self.total += 1
        self.wake(key)

    def request_grant(self, host: str, request: GrantRequest) -> None:
        """Queue a job in a worker that waits for a further request to the host."""
        self._grants.setdefault(host, deque()).append(request)
        self.wake(host)

    def wake(self, host: str) -> None:
        """Put the host among those that `serve` serves next, as it has new work, or an answer has come."""
        if host not in self._jobs and host not in self._grants:
            return
        rank = self._rank(host)
        if self._in_turn.get(host) != rank:  # where it had another rank, its former place is passed over
            self._in_turn[host] = rank
            self._turns[rank].append(host)

    def next_turn_in(self) -> float:
        """Seconds until a sleeping host wakes; infinity when none sleeps."""
        if not self._sleeping:
            return math.inf
        return max(0.0, self._sleeping[0][0] - self._clock())

    def serve(self, serve_host: Callable[[str], bool]) -> None:
        """Call `serve_host` for each host that has work and does not sleep.

        Args:
            serve_host: gives out what it can of the host; returns False if no worker has room for its next
                job.
        """
        now = self._clock()
        while self._sleeping and self._sleeping[0][0] <= now:
            self.wake(heapq.heappop(self._sleeping)[1])
        for rank in next(self._orders):
            turns = self._turns[rank]
            for _ in range(len(turns)):
                host = turns.popleft()
                if self._in_turn.get(host) != rank:
                    continue
                del self._in_turn[host]
                if not serve_host(host):
                    self.wake(host)
                    if rank != "grants":  # its requests were served: what lacks a worker is another job
                        break

    def sleep(self, host: str) -> None:
        """Take the host out of the turns until its clock allows a request, or an answer comes."""
        at = self.limiter.ready_at(host)
        if at < math.inf:
            heapq.heappush(self._sleeping, (at, host))

    def next_grant_request(self, host: str) -> GrantRequest | None:
        """The first request for a grant of the host, still queued; None if there is none."""
        return self._head(self._grants, host)

    def next_job(self, host: str) -> Pending | None:
        """The first job of the host, still queued; None if there is none."""
        return self._head(self._jobs, host)

    def pop_grant_request(self, host: str) -> None:
        """Remove the request that `next_grant_request` has returned."""
        self._pop(self._grants, host)

    def pop_job(self, host: str) -> Pending:
        """Remove and return the job that `next_job` has returned."""
        pending = self._pop(self._jobs, host)
        self._no_longer_wait([pending])
        return pending

    def is_late(self, pending: Pending) -> bool:
        """Whether a budget has been used up since the job was taken, so that its page must not be loaded."""
        return not pending.is_robots and bool(self._budgets.late(pending.taken))

    def begin_job(self, host: str) -> Pending:
        """Remove and return the job that `next_job` has returned, and count its page as begun."""
        pending = self.pop_job(host)
        if not pending.is_robots:
            self._budgets.begin(pending.taken)
        return pending

    def take_jobs(self, host: str) -> list[Pending]:
        """Remove and return all jobs of the host, but not the request of its robots.txt."""
        jobs = self._jobs.pop(host, deque())
        kept = deque(pending for pending in jobs if pending.is_robots)
        if kept:
            self._jobs[host] = kept
        taken = [pending for pending in jobs if not pending.is_robots]
        self._no_longer_wait(taken)
        return taken

    def forget_worker(self, worker: PoolWorker) -> None:
        """Drop the requests for grants of a worker that has ended."""
        for host, requests in list(self._grants.items()):
            kept = deque(one for one in requests if one.worker is not worker)
            if kept:
                self._grants[host] = kept
            else:
                del self._grants[host]

    def standing(self, host: str) -> Standing:
        """Whether the host answers, by its last request; may be called by any thread."""
        return Standing.ANSWERS if host == FILE_HOST else self.limiter.standing(host)

    def waiting_hosts(self) -> tuple[str, ...]:
        """Hosts that have jobs waiting here; approximate, and may be called by any thread."""
        return tuple(self.waiting)

    def grant_hosts(self) -> tuple[str, ...]:
        """Hosts of which jobs in workers need a further grant; may be called by any thread."""
        return tuple(self._grants)

    def clear(self, *, keeps_grants: bool = False) -> list[Pending]:
        """Remove and return all jobs that wait here.

        Args:
            keeps_grants: whether requests for grants stay; else they are dropped.
        """
        jobs = [pending for queue in self._jobs.values() for pending in queue]
        self._jobs.clear()
        if not keeps_grants:
            self._grants.clear()
        self.waiting.clear()
        self.total = 0
        return jobs

    def _no_longer_wait(self, jobs: Collection[Pending]) -> None:
        """Count jobs that were removed; nothing is kept of hosts without any, as there may be a million."""
        self.total -= len(jobs)
        for pending in jobs:
            host = pending.taken.host
            self.waiting[host] -= 1
            if not self.waiting[host]:
                del self.waiting[host]

    def _rank(self, host: str) -> _Rank:
        if host in self._grants:
            return "grants"
        return "files" if host == FILE_HOST else self.limiter.standing(host)

    @staticmethod
    def _head(queues: dict[str, deque[One]], host: str) -> One | None:
        queue = queues.get(host)
        return queue[0] if queue else None

    @staticmethod
    def _pop(queues: dict[str, deque[One]], host: str) -> One:
        queue = queues[host]
        first = queue.popleft()
        if not queue:
            del queues[host]
        return first
