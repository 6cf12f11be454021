"""Shutdown: ends the parts of a node in their order."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

from injector import inject

from scoopi.appenders.appender import Appender
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_mediator import JobMediator
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.mediator.task_mediator import TaskMediator

log = logging.getLogger(__name__)
THREAD_END_S = 5.0
"""How many seconds a thread that has nothing left to do may take to end."""


class Shutdown:
    """Ends the parts of a node in their order. Stops last what was started first; every wait has an end."""

    @inject
    def __init__(
        self,
        jobs: JobMediator,
        tasks: TaskMediator,
        appender: Appender,
        held: HeldJobs,
        state: StateFlipper,
    ) -> None:
        self._jobs = jobs
        self._tasks = tasks
        self._appender = appender
        self._held = held
        self._state = state
        self._expedited = threading.Event()

    def graceful(self, deadline: float, end: float, broken: Callable[[], bool] = lambda: False) -> None:
        """Take no new job, let running tasks end, hand back jobs that were only taken.

        Args:
            deadline: on the monotonic clock; a task that has not ended by then is run again.
            end: on the monotonic clock; by then results are committed, and other jobs handed back.
            broken: whether nothing more can end; checked when `HeldJobs.wake` is called.
        """
        self._jobs.cancel()
        self._tasks.drain()
        ended = self._held.wait_idle(
            max(0.0, deadline - time.monotonic()), lambda: self._expedited.is_set() or broken()
        )
        if not ended:
            left = len(self._held.ids())
            what = (
                "1 job did not finish in time; it"
                if left == 1
                else f"{left} jobs did not finish in time; they"
            )
            log.warning("%s will be run again", what)
            self._tasks.kill()
        self._close(end)

    def when_over(self) -> None:
        """End all threads, as no job is left.

        Jobs that this node still holds were finished by others while it was away; none of their pages is
        loaded any more.
        """
        if not self._held.is_idle():
            left = len(self._held.ids())
            what = "1 job was" if left == 1 else f"{left} jobs were"
            log.warning("%s finished by others; this node drops what it holds of them", what)
            self.immediate()
            return
        self._close()

    def expedite(self) -> None:
        """Have `graceful` stop waiting for running tasks; callable from any thread."""
        self._expedited.set()
        self._held.wake()

    def immediate(self, end: float | None = None) -> None:
        """End workers and threads now; jobs whose results were not committed are run again.

        Args:
            end: on the monotonic clock: by when all must have ended; None: each thread gets THREAD_END_S.
        """
        self._tasks.kill()
        self._appender.abandon()
        self._close(math.inf if end is None else end)

    def _close(self, end: float = math.inf) -> None:
        """End the parts in order; a thread that has not ended by `end` is left running."""
        self._tasks.stop()
        if not self._tasks.join(_left(end)):
            self._tasks.kill()
            self._tasks.join(_left(end))
        self._appender.end_of_stream()
        if not self._appender.join(_left(end)):
            self._appender.abandon()
        self._jobs.stop(_left(end))
        self._state.terminate()


def _left(end: float) -> float:
    return max(0.0, min(THREAD_END_S, end - time.monotonic()))
