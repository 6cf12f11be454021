"""WaitingLoads: the pages of a worker that wait for a grant or a session; any thread may call its methods."""

from __future__ import annotations

import threading

from scoopi.model.site_session import Session
from scoopi.worker.fetching import PageLoad


class WaitingLoads:
    """The pages of a worker that wait for a grant or a session, by job. Any thread may call.

    Args:
        draining: once it is set, no further load waits.
    """

    def __init__(self, draining: threading.Event) -> None:
        self._draining = draining
        self._loads: dict[str, PageLoad] = {}
        self._lock = threading.Lock()

    def add(self, load: PageLoad) -> bool:
        """Let the load wait.

        Returns:
            False if it must not, and its job is handed back.
        """
        with self._lock:  # what is not in by the drain must not come later
            waits = not self._draining.is_set()
            if waits:
                self._loads[load.item.job] = load
            return waits

    def take(self, job: str) -> PageLoad | None:
        """The load of the job, which waits no longer; None if it does not wait."""
        with self._lock:
            return self._loads.pop(job, None)

    def take_for(self, session: Session) -> list[PageLoad]:
        """The loads that wait for the session, if it has a newer login or can have none."""
        with self._lock:
            ready = [job for job, load in self._loads.items() if load.may_use(session)]
            return [self._loads.pop(job) for job in ready]

    def take_all(self) -> list[PageLoad]:
        """All loads, which wait no longer."""
        with self._lock:
            loads, self._loads = [*self._loads.values()], {}
            return loads
