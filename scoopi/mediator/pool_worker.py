"""PoolWorker: what the parent knows of one worker."""

from __future__ import annotations

from scoopi.mediator.pending import Pending
from scoopi.mediator.worker_link import WorkerLink
from scoopi.worker.messages import WorkItem

WINDOW_SECONDS = 0.15
"""A worker is given about this much work ahead, so that it never waits for the parent."""
WINDOW_LEAST, WINDOW_MOST = 4, 128
REQUESTS_A_THREAD = 2
"""Of requests that are soon answered so many are given: while one is under way, the next is there already."""
PACE_WEIGHT = 0.2


class PoolWorker:
    """A worker's link, its jobs, and how much it takes. Belongs to the task runner's thread.

    Attributes:
        outstanding: jobs given and not yet ended, by id.
        requests: host by id, of jobs with a request granted and not yet answered.
        alone: whether it runs one job at a time, because those jobs were in a worker that died.
    """

    def __init__(self, link: WorkerLink, fetch_threads: int, alone: bool = False) -> None:
        self.link = link
        self.outstanding: dict[str, Pending] = {}
        self.requests: dict[str, str] = {}
        self.alone = alone
        self.ready = False
        self._fetch_threads = fetch_threads
        self._seconds_a_job = WINDOW_SECONDS / WINDOW_LEAST
        self._window, self._most_requests = WINDOW_LEAST, fetch_threads
        self._to_give: list[WorkItem] = []

    def window(self) -> int:
        """How many jobs it may hold at a time."""
        return 1 if self.alone else self._window

    def has_room(self, needs_request: bool) -> bool:
        """Whether it takes another job (with a request now) and would begin it soon."""
        if not self.ready:
            return False
        if needs_request and len(self.requests) >= self._most_requests:
            return False
        return len(self.outstanding) < self.window()

    def add(self, pending: Pending, item: WorkItem) -> None:
        """Give it a job; sent with the others by `give`."""
        self.outstanding[item.job] = pending
        if item.grant is not None:
            self.requests[item.job] = item.grant.host
        self._to_give.append(item)

    def take_items(self) -> tuple[WorkItem, ...]:
        """The jobs added since the last call."""
        items, self._to_give = tuple(self._to_give), []
        return items

    def paced(self, jobs: int, seconds: float) -> None:
        """It took so long for so many jobs."""
        if jobs:
            self._seconds_a_job += PACE_WEIGHT * (seconds / jobs - self._seconds_a_job)
            ahead = int(WINDOW_SECONDS / max(self._seconds_a_job, 1e-6))
            self._window = max(WINDOW_LEAST, min(WINDOW_MOST, ahead))
            # Half of what it is given ahead: with slow pages a grant would run out while it waits.
            most = min(REQUESTS_A_THREAD * self._fetch_threads, self._window // 2)
            self._most_requests = max(self._fetch_threads, most)
