"""Watchdog: ends workers whose task exceeds its limit, and frees the jobs that wait behind a slow one."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection

from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Recall

log = logging.getLogger(__name__)

POLL_S = 0.2
"""Seconds between two checks while workers have jobs."""
SLOW_S = 0.5
"""A worker that is in one task for more seconds gets no further jobs and hands back those that wait."""
FROZEN_S = 3.0
"""If two checks are more seconds apart, the machine or this process was frozen: the tasks' time starts
again."""
DYING_S = 5.0
"""A killed worker whose pipe is still open after this many seconds counts as one that cannot be killed."""


class Watchdog:
    """Ends workers whose task exceeds its limit, and frees the jobs that wait behind a slow one.

    Reads the crash marker of each worker in shared memory, so a task need not cooperate. Belongs to the task
    runner's thread.

    Args:
        limit_s: the most seconds that one task may take, infinity without a limit; loading a page from the
            network does not count.
        clock: monotonic seconds, the workers' clock.

    Attributes:
        stuck_s: for how many seconds a worker that survives its kill has been in its task; 0 if none does.
            Any thread may read it.
    """

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._polled_at = math.inf
        self._fresh_since = 0.0
        self.stuck_s = 0.0

    @property
    def limit_s(self) -> float:
        """The most seconds that one task may take."""
        return self._limit_s

    def check(self, workers: Collection[PoolWorker]) -> list[PoolWorker]:
        """Check each worker, unless the last check was less than POLL_S ago; kill those over the limit.

        Returns:
            Workers that are gone, even if their pipes are still open.
        """
        now = self._clock()
        since_s = now - self._polled_at
        if 0 <= since_s < POLL_S:
            return []
        self._polled_at = now
        if since_s > FROZEN_S:
            self._fresh_since = now
        watched = [worker for worker in workers if worker.overran is None]
        for worker in watched:
            self._check(worker, now)
        self.stuck_s = max((self._stuck_s(worker, now) for worker in workers), default=0.0)
        return [worker for worker in workers if worker.link.has_ended()]

    def _check(self, worker: PoolWorker, now: float) -> None:
        running = worker.link.running_task()
        task_s = now - running.began if running.began else 0.0
        if task_s > SLOW_S:
            self._relieve(worker, running, now)
        else:
            worker.slow_on = ""
        if min(task_s, now - max(self._fresh_since, worker.fresh_since)) > self._limit_s:
            self._end(worker, running, now)

    def _relieve(self, worker: PoolWorker, running: RunningTask, now: float) -> None:
        if worker.link.is_paused():
            worker.fresh_since = now
        if not worker.slow_on and len(worker.outstanding) > 1:
            worker.link.send(Recall())
        worker.slow_on = running.job

    def _end(self, worker: PoolWorker, running: RunningTask, now: float) -> None:
        if worker.link.running_task() != running:
            return  # the task has just ended
        log.warning(
            "job %s: task %r runs longer than %g s; its worker is killed",
            running.job,
            running.task,
            self._limit_s,
        )
        worker.overran, worker.killed_at = running, now
        worker.link.kill()

    @staticmethod
    def _stuck_s(worker: PoolWorker, now: float) -> float:
        is_stuck = worker.overran is not None and now - worker.killed_at > DYING_S
        return now - worker.overran.began if worker.overran is not None and is_stuck else 0.0
