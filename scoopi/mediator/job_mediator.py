"""JobMediator: starts and ends the job runner and the monitor of a node."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from injector import inject

from scoopi.errors import RunError, ScoopiError
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.job_runner import JobRunner
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.node_events import NodeEvents

log = logging.getLogger(__name__)


class JobMediator:
    """Starts and ends the threads that take jobs and watch the run.

    The heartbeat begins before them, and ends last, after publishing (`Departure.leave`).
    """

    @inject
    def __init__(self, runner: JobRunner, inbox: JobInbox, monitor: Monitor, events: NodeEvents) -> None:
        self._inbox = inbox
        self._on_fault = events.on_fault
        self._monitor = monitor
        self._runner_thread = threading.Thread(
            target=self._guarded, args=(runner.run,), name="job-runner", daemon=True
        )
        self._monitor_thread = threading.Thread(
            target=self._guarded, args=(monitor.run,), name="monitor", daemon=True
        )

    def start(self) -> None:
        """Start taking jobs; to be called when the run is seeded."""
        self._runner_thread.start()
        self._monitor_thread.start()
        self._inbox.wake()

    @property
    def started(self) -> bool:
        """Whether `start` was called, that is, whether the run is seeded."""
        return self._monitor_thread.ident is not None

    def ended(self) -> str:
        """The name of a thread that was started and has ended; empty if there is none."""
        threads = (self._runner_thread, self._monitor_thread)
        return next((each.name for each in threads if each.ident is not None and not each.is_alive()), "")

    def cancel(self) -> None:
        """Have the job runner take no more jobs."""
        self._inbox.cancel()

    def stop(self, timeout_s: float) -> None:
        """End both threads, the job runner's after it has handed its jobs back to the store.

        Args:
            timeout_s: for how many seconds to wait; a thread that takes longer is left running.
        """
        self._monitor.stop()
        self._inbox.stop()
        end = time.monotonic() + timeout_s
        for thread in (self._runner_thread, self._monitor_thread):
            if thread.ident is not None:
                thread.join(max(0.0, end - time.monotonic()))

    def _guarded(self, run: Callable[[], None]) -> None:
        """A thread that fails ends the run with its error, instead of leaving it to wait forever."""
        try:
            run()
        except ScoopiError as error:
            self._on_fault(error)
        except Exception as error:
            log.exception("%s: unexpected error", threading.current_thread().name)
            self._on_fault(RunError(f"{threading.current_thread().name} failed: {error!r}"))
