"""PoolWorker: what the parent knows about one worker."""

from __future__ import annotations

from scoopi.mediator.pending import Pending
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.politeness.host_clocks import Standing
from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import WorkItem

WINDOW_SECONDS = 0.15
"""A worker gets about this much work in advance, so that it never waits for the parent."""
WINDOW_LEAST, WINDOW_MOST = 4, 128
PACE_WEIGHT = 0.2
MOST_OF_REQUESTS = {Standing.UNKNOWN: 0.75, Standing.SILENT: 0.25}
"""The share of a worker's requests in flight that hosts of this standing or a worse one may have. The rest is
reserved for hosts that answer; otherwise a few hundred dead hosts would occupy all until their timeouts."""


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
    """

    def __init__(self, link: WorkerLink, most_requests: int, alone: bool = False) -> None:
        self.link = link
        self.outstanding: dict[str, Pending] = {}
        self.requests: dict[str, str] = {}
        self._doubtful: dict[str, Standing] = {}
        self.alone = alone
        self.ready = False
        self.is_leaving = False
        self.slow_on = ""
        self.overran: Note | None = None
        self.killed_at = self.fresh_since = 0.0
        self._most_requests = most_requests
        self._steps_s = WINDOW_SECONDS / WINDOW_LEAST
        self._wait_s = WINDOW_SECONDS
        self._to_give: list[WorkItem] = []

    def capacity(self) -> int:
        """How many jobs it can hold at a time: those that wait for its steps and those being fetched."""
        return 1 if self.alone else self.window() + self._requests_wanted()

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
        return len(self.outstanding) - len(self.requests) < self.window()

    def add(self, pending: Pending, item: WorkItem, standing: Standing = Standing.ANSWERS) -> None:
        """Add a job whose host has that standing; `WorkerPool.give` sends all that were added."""
        self.outstanding[item.job] = pending
        if item.grant is not None:
            self.requests[item.job] = item.grant.host
            if standing:
                self._doubtful[item.job] = standing
        self._to_give.append(item)

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
            self._steps_s += PACE_WEIGHT * (steps_s / jobs - self._steps_s)
            self._wait_s += PACE_WEIGHT * (wait_s / jobs - self._wait_s)

    def window(self) -> int:
        """How many jobs may wait in it for its steps."""
        return max(WINDOW_LEAST, min(WINDOW_MOST, int(WINDOW_SECONDS / max(self._steps_s, 1e-6))))

    def _has_request_for(self, standing: Standing) -> bool:
        wanted = self._requests_wanted()
        if len(self.requests) >= wanted:
            return False
        if not standing:
            return True
        self._doubtful = {job: each for job, each in self._doubtful.items() if job in self.requests}
        like_it = sum(each >= standing for each in self._doubtful.values())
        return like_it < max(1, int(wanted * MOST_OF_REQUESTS[standing]))

    def _requests_wanted(self) -> int:
        """As many as its steps can process while one page is fetched, so that pages do not pile up."""
        return min(self._most_requests, WINDOW_LEAST + int(self._wait_s / max(self._steps_s, 1e-6)))
