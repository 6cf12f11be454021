"""Suspects: the jobs of a dead worker, run again one at a time; who kills its worker alone is guilty."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable

from scoopi.appenders.job_result import JobResult
from scoopi.mediator.failed_job import failed_result, failure_of
from scoopi.mediator.pending import Pending

log = logging.getLogger(__name__)


class Suspects:
    """Belongs to the task runner's thread. Source: design, "Shape of a node".

    Args:
        max_crashes: deaths while alone after which the task fails.
        end: takes the result of a job that fails as a whole.
        place_of: where the definitions have a group's task; of an empty task's name, its first.
    """

    def __init__(
        self, max_crashes: int, end: Callable[[JobResult], None], place_of: Callable[[str, str], str]
    ) -> None:
        self._max_crashes = max_crashes
        self._end = end
        self._place_of = place_of
        self._waiting: deque[Pending] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, jobs: Iterable[Pending]) -> None:
        """Jobs that were in a worker when it died."""
        self._waiting.extend(jobs)

    def first(self) -> Pending | None:
        """The next to run alone, still waiting."""
        return self._waiting[0] if self._waiting else None

    def hosts(self) -> set[str]:
        """Hosts of all that wait; may be asked by any thread."""
        return {pending.taken.host for pending in tuple(self._waiting)}

    def pop(self) -> Pending:
        """Remove and return what `first` named."""
        return self._waiting.popleft()

    def clear(self) -> list[Pending]:
        """Remove and return all."""
        jobs = list(self._waiting)
        self._waiting.clear()
        return jobs

    def blame(self, pending: Pending, task: str, how: str) -> None:
        """The job was alone when its worker died, on that task (empty: loading its page)."""
        crashed = pending.crashed(task)
        deaths = crashed.crashes.count(task)
        log.warning("job %s: its worker died (%s) on task %r, %d times", pending.taken.id, how, task, deaths)
        if deaths < self._max_crashes:
            self._waiting.appendleft(crashed)
            return
        failure = failure_of(
            pending.taken,
            f"the page kills its worker: {how}",
            f"it was tried {deaths} times alone; look at the page, or leave it out",
            task,
            self._place_of(pending.taken.payload.locator.group, task),
        )
        if task:
            self._waiting.appendleft(pending.without(task, failure))
        else:
            self._end(failed_result(pending.taken, (*pending.failures, failure)))
