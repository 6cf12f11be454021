"""StopTime: whether this node is asked to stop, and by when; Shutdown: ends its parts in order."""

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

STORE_SHARE = 0.8
"""The part of the shutdown timeout after which each call to the store gets less time than the one before."""
UP_SHARE = 0.85
"""The part of it after which nothing is retried; leaving and reporting take the rest."""
log = logging.getLogger(__name__)
THREAD_END_S = 5.0
"""How many seconds a thread that has nothing left to do may take to end."""


class StopTime:
    """Whether this node is asked to stop, and by when.

    It begins once, with the first signal or cancellation; callable from any thread.

    Args:
        limit_s: the shutdown timeout: how many seconds a graceful shutdown may take, publishing included.
        clock: monotonic seconds.
        on_stop: called with the monotonic time by which the store must have answered, and the seconds that
            the shutdown may take after it.
    """

    def __init__(
        self,
        limit_s: float,
        clock: Callable[[], float] = time.monotonic,
        on_stop: Callable[[float, float], None] = lambda end, left_s: None,
    ) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._on_stop = on_stop
        self._lock = threading.Lock()
        self._began_at: float | None = None
        self._hard = threading.Event()

    def begin(self, hard: bool = False) -> None:
        """Ask for the shutdown; may be repeated. With `hard`, no time is left."""
        with self._lock:
            if self._began_at is None:
                self._began_at = self._clock()
        if hard:
            self._hard.set()
        end = self._clock() if self.is_hard else self._began_at + self._limit_s * STORE_SHARE
        self._on_stop(end, self._limit_s * (1 - STORE_SHARE))

    @property
    def is_asked(self) -> bool:
        """Whether a shutdown was asked for."""
        return self._began_at is not None

    @property
    def is_hard(self) -> bool:
        """Whether an immediate shutdown was asked for."""
        return self._hard.is_set()

    def is_up(self) -> bool:
        """Whether only the time to leave is left; False while no shutdown was asked for."""
        end = self.end_of(UP_SHARE)
        return self.is_hard or (end is not None and self._clock() > end)

    def end_of(self, share: float) -> float | None:
        """The monotonic time at which this share of the timeout is over; None without a shutdown."""
        return None if self._began_at is None else self._began_at + self._limit_s * share


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
            log.warning("%d jobs were finished by others; this node drops them", len(self._held.ids()))
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
