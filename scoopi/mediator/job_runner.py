"""JobRunner: takes jobs from the store while this node has room for them."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from scoopi.appenders.job_result import JobResult
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.pending import Pending, failed_result, failure_of
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.model.job import JobPayload
from scoopi.politeness.shared_hosts import ROUND_S, SharedHosts
from scoopi.store.pages.job_store import JobStore
from scoopi.store.pages.job_values import TakenJob
from scoopi.store.retries import retried_next_round

log = logging.getLogger(__name__)


PAUSE_A_HOST_S = 1e-5
SWEEP_S = 1.0
"""Seconds between two looks at all hosts, whatever the wake-ups."""


class JobRunner:
    """One thread; wake-ups make it fast, the periodic sweep makes it complete.

    Args:
        max_takes: a job taken back from dead nodes more often than this fails.
        archived: whether the archive has the page of a job, fresh enough.
        end: takes the result of a job that fails without being run.
        shared: how this node shares hosts with others; None: it has all of them.
    """

    def __init__(
        self,
        jobs: JobStore,
        tasks: TaskMediator,
        held: HeldJobs,
        max_takes: int,
        archived: Callable[[JobPayload], bool],
        end: Callable[[JobResult], None],
        shared: SharedHosts | None = None,
    ) -> None:
        self._jobs = jobs
        self._tasks = tasks
        self._held = held
        self._max_takes = max_takes
        self._archived = archived
        self._end = end
        self._shared = shared
        self._wakeup = threading.Event()
        self._cancelled = threading.Event()
        self._stopped = threading.Event()
        self._back: deque[list[Pending]] = deque()
        self._hosts: dict[str, None] = {}
        self._dry: set[str] = set()

    def wake(self) -> None:
        """Fewer jobs wait in this node; more may be taken; callable from any thread."""
        self._wakeup.set()

    def has_new(self, hosts: Iterable[str]) -> None:
        """Jobs of these hosts were put; callable from any thread."""
        for host in hosts:
            self._hosts.setdefault(host)
            self._dry.discard(host)
        self._wakeup.set()

    def give_back(self, jobs: list[Pending]) -> None:
        """Hand these jobs back to the store, soon; callable from any thread."""
        self._back.append(jobs)
        self._wakeup.set()

    def cancel(self) -> None:
        """Take no more jobs."""
        self._cancelled.set()
        self._wakeup.set()

    def stop(self) -> None:
        """End the thread, when all that was given back is handed back."""
        self._stopped.set()
        self.cancel()

    def run(self) -> None:
        """Take and hand back until stopped."""
        while True:
            swept = not self._wakeup.wait(timeout=ROUND_S if self._shared else SWEEP_S)
            self._wakeup.clear()
            with retried_next_round("job runner"):
                self._hand_back()
                if self._shared is not None:
                    self._share_and_take(self._shared)
                elif not self._cancelled.is_set():
                    self._take(sweep=swept or not self._hosts)
            if self._stopped.is_set() and not self._back:
                return
            # Looking through very many hosts at each wake-up would keep this thread busy.
            self._cancelled.wait(timeout=len(self._hosts) * PAUSE_A_HOST_S)

    def _hand_back(self) -> None:
        while self._back:
            jobs = self._back[0]
            self._jobs.hand_back([pending.taken for pending in jobs])
            self._back.popleft()
            self._held.remove([pending.taken.id for pending in jobs])

    def _take(self, sweep: bool) -> None:
        if sweep:
            self._dry.clear()
            for host in self._jobs.hosts():
                self._hosts.setdefault(host)
        for host in self._awake():
            if self._shared is not None and not self._shared.may_take(host):
                continue
            wanted = self._tasks.wanted(host)
            if wanted > 0:
                self._take_from(host, wanted)

    def _awake(self) -> Iterator[str]:
        """Hosts that may have jobs, while jobs are taken."""
        for host in list(self._hosts):
            if self._cancelled.is_set():
                return
            if host not in self._dry:
                yield host

    def _share_and_take(self, shared: SharedHosts) -> None:
        if shared.is_due():
            if shared.is_sweep_due():
                self._dry.clear()
            # First of the hosts that this node has: so it is known which of them have no jobs left.
            self._take(sweep=False)
            is_first = not self._hosts
            self._dry |= shared.round(list(self._awake()))
            for host in shared.hosts():
                self._hosts.setdefault(host)
            if is_first and self._hosts:  # those that are known only now are asked for at once
                self._dry |= shared.round(list(self._awake()))
        self._take(sweep=False)

    def _take_from(self, host: str, wanted: int) -> None:
        if self._shared is not None:
            wanted = self._shared.part(host, wanted)
        self._dry.add(host)
        with self._held.taking() as begin:
            taken = self._jobs.take(host, wanted, begin)
            self._held.add(job.id for job in taken)
        if len(taken) >= wanted:
            self._dry.discard(host)
        fit = [job for job in taken if job.lost <= self._max_takes]
        self._fail([job for job in taken if job.lost > self._max_takes])
        if fit:
            self._tasks.push([Pending(job, archived=self._archived(job.payload)) for job in fit])
        if len(taken) < wanted:
            self._refill(host)

    def _refill(self, host: str) -> None:
        """Seeded jobs of the host may wait in packs."""
        with self._held.taking() as begin:
            unpacked = self._jobs.unpack(host, begin)
        if unpacked:
            log.info("%d more jobs of %s are ready", unpacked, host)
            self.has_new([host])

    def _fail(self, jobs: Sequence[TakenJob]) -> None:
        for job in jobs:
            cause = "the job was lost with its node too often"
            hint = f"it was taken back {job.lost} times; look at what its page does to a node"
            self._end(failed_result(job, (failure_of(job, cause, hint),)))
