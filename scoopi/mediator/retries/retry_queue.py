"""RetryQueue: the jobs that wait at this node for another attempt, by the time when they are due."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable

from scoopi.store.jobs.job_records import WaitingJob

GATHERED_S = 0.05
"""Jobs that become due within this time become ready together."""


class RetryQueue:
    """Keeps the jobs that wait at this node for another attempt, by the time when they are due.

    The jobs' records in the store say so too; if this process crashes, another one adopts the jobs.

    Belongs to the job runner's thread; any thread may ask how many wait, and for how long.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due_at: dict[str, float] = {}
        self._heap: list[tuple[float, str, str]] = []
        self._due: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._due_at)

    def add(self, jobs: Iterable[WaitingJob]) -> None:
        """Add jobs that wait from now on; a job that waits already gets the new wait."""
        now = self._clock()
        for job in jobs:
            at = self._due_at[job.id] = now + job.wait_ms / 1000
            self._due.pop(job.id, None)
            heapq.heappush(self._heap, (at, job.id, job.host))

    def add_missing(self, jobs: Iterable[WaitingJob]) -> None:
        """Add the jobs that do not wait here yet; the others keep their wait."""
        self.add([job for job in jobs if job.id not in self._due_at])

    def next_in(self) -> float:
        """Seconds until further jobs are to be made ready; infinity when none waits."""
        first = next(iter(self._heap), None)
        if first is None:
            return GATHERED_S if self._due else math.inf
        return max(GATHERED_S, first[0] - self._clock())

    def due(self, *, is_over: bool = False) -> dict[str, str]:
        """The jobs that have waited for long enough, host by id; they stay until they are removed.

        Args:
            is_over: whether the run loads no further page, so that all jobs that wait are due.
        """
        now = math.inf if is_over else self._clock()
        while self._heap and self._heap[0][0] <= now:
            at, job, host = heapq.heappop(self._heap)
            if self._due_at.get(job) == at:
                self._due[job] = host
        return dict(self._due)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the jobs with these ids, as they no longer wait."""
        for job in ids:
            self._due_at.pop(job, None)
            self._due.pop(job, None)
