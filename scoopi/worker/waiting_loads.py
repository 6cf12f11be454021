"""WaitingLoads: the loads of a worker that wait for a grant, a session or a file."""

from __future__ import annotations

import threading

from scoopi.model.site_session import Session
from scoopi.worker.fetching import PageLoad


class WaitingLoads:
    """The loads of a worker that wait for a grant, a session or a file, by job. Thread-safe.

    Args:
        draining: once it is set, no more loads are added.
    """

    def __init__(self, draining: threading.Event) -> None:
        self._draining = draining
        self._loads: dict[str, PageLoad] = {}
        self._lock = threading.Lock()

    def add(self, load: PageLoad) -> bool:
        """Add a load.

        Returns:
            False if the worker is draining, so that the load must not wait.
        """
        with self._lock:  # nothing may be added once `take_all` has drained it
            waits = not self._draining.is_set()
            if waits:
                self._loads[load.item.job] = load
            return waits

    def take(self, job: str) -> PageLoad | None:
        """Remove and return the load of a job; None if it does not wait."""
        with self._lock:
            return self._loads.pop(job, None)

    def take_for(self, session: Session) -> list[PageLoad]:
        """Remove and return the loads that wait for a session that is ready, or cannot be had."""
        with self._lock:
            ready = [job for job, load in self._loads.items() if load.may_use(session)]
            return [self._loads.pop(job) for job in ready]

    def take_all(self) -> list[PageLoad]:
        """Remove and return all loads."""
        with self._lock:
            loads, self._loads = [*self._loads.values()], {}
            return loads
