"""Quarantine: decides on the jobs of a crashed worker; those that may be to blame run one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from scoopi.appenders.appender import JobResult
from scoopi.mediator.held_jobs import Pending, failed_result, failure_of
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.worker.crash_marker import RunningTask

log = logging.getLogger(__name__)

MOST_BESIDE = 2
"""A job runs alone after this many crashes of workers that held it while they ran another job."""


class Quarantine:
    """Decides on the jobs of a crashed worker; those that may be to blame run one at a time.

    Belongs to the task runner's thread.

    Args:
        max_crashes: a task fails after this many crashes while its job runs alone.
        task_limit_s: the longest that one task may take, in seconds.
        end: receives the result of a job that fails.
        place_of: given the names of a group and of its task, returns where the task is defined, `file:line`;
            an empty task means the group's first.
        on_robots_lost: receives the request of a robots.txt that is not read, and why.
    """

    def __init__(
        self,
        max_crashes: int,
        task_limit_s: float,
        end: Callable[[JobResult], None],
        place_of: Callable[[str, str], str],
        on_robots_lost: Callable[[Pending, str], None] = lambda pending, cause: None,
    ) -> None:
        self._on_robots_lost = on_robots_lost
        self._max_crashes = max_crashes
        self._task_limit_s = task_limit_s
        self._end = end
        self._place_of = place_of
        self._waiting: list[Pending] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Pending]:
        """The jobs that wait, the next first."""
        return iter(self._waiting)

    def hosts(self) -> set[str]:
        """Hosts of all jobs that wait; may be called from any thread."""
        return {pending.taken.host for pending in tuple(self._waiting)}

    def pop(self, pending: Pending) -> None:
        """Remove a job that waits."""
        self._waiting.remove(pending)

    def clear(self) -> list[Pending]:
        """Remove and return all jobs that wait."""
        jobs, self._waiting = self._waiting, []
        return jobs

    def judge(self, worker: PoolWorker, how: str, running: RunningTask) -> list[Pending]:
        """Decide on the jobs that a worker held when it crashed.

        Args:
            how: how it ended, as `WorkerLink.reap` returns it.
            running: the task that it was running, from its crash marker.
        Returns:
            The jobs that may run beside others again; the rest waits here to run alone, or has failed.
        """
        lost = dict(worker.outstanding)
        if worker.overran is not None:
            named = lost.pop(running.job, None) if running == worker.overran else None
            return [*lost.values(), *(self._overran(named, running.task) if named else ())]
        if worker.is_alone:
            for pending in lost.values():
                self._blame(pending, running.task, how)
            return []
        named = lost.pop(running.job, None)
        if named is None:  # the crash marker names none of its jobs
            log.warning("a worker died: %s; jobs to be run again, one at a time: %d", how, len(lost))
            self._waiting += lost.values()
            return []
        log.warning("a worker died: %s, on job %s; jobs queued again: %d", how, running.job, len(lost))
        return self._parted(named, [pending.held_at_crash() for pending in lost.values()])

    def _parted(self, named: Pending, others: list[Pending]) -> list[Pending]:
        """Keep the job that was running and those that were held at too many crashes; return the rest."""
        self._waiting.append(named)
        self._waiting += (pending for pending in others if pending.beside >= MOST_BESIDE)
        return [pending for pending in others if pending.beside < MOST_BESIDE]

    def _blame(self, pending: Pending, task: str, how: str) -> None:
        """The job was alone when its worker died, on that task (empty: loading its page)."""
        crashed = pending.crashed(task)
        deaths = crashed.crashes.count(task)
        log.warning("job %s: its worker died (%s) on task %r, %d times", pending.taken.id, how, task, deaths)
        if deaths < self._max_crashes:
            self._waiting.insert(0, crashed)
            return
        cause = f"the page kills its worker: {how}"
        hint = f"it was tried {deaths} times alone; look at the page, or leave it out"
        self._waiting[:0] = self._failed(pending, task, cause, hint)

    def _overran(self, pending: Pending, task: str) -> list[Pending]:
        limit = f"{self._task_limit_s:g} s"
        what = "the task ran" if task else "reading the page took"
        hint = "look for a loop in its selectors, scripts and plugins, or raise scoopi.task.timeout"
        return self._failed(pending, task, f"{what} longer than {limit}", hint)

    def _failed(self, pending: Pending, task: str, cause: str, hint: str) -> list[Pending]:
        """The job without the task, to be run once more; nothing when it fails as a whole."""
        taken = pending.taken
        if pending.is_robots:
            self._on_robots_lost(pending, cause)
            return []
        place = self._place_of(taken.payload.locator.group, task)
        failure = failure_of(taken, cause, hint, task, place)
        if task:
            return [pending.without(task, failure)]
        self._end(failed_result(taken, (*pending.failures, failure)))
        return []
