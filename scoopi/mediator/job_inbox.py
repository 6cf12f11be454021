"""JobInbox: what other threads pass to the job runner: hosts with new jobs, jobs to hand back, wake-ups."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from scoopi.mediator.pending import Pending


class JobInbox:
    """Any thread may write to it; the job runner's thread reads.

    Attributes:
        back: batches of jobs to be handed back to the store, the oldest first.
        cancelled: set when no more jobs are to be taken.
        stopped: set when the job runner is to end.
    """

    def __init__(self) -> None:
        self.back: deque[list[Pending]] = deque()
        self.cancelled = threading.Event()
        self.stopped = threading.Event()
        self._new_hosts: deque[str] = deque()
        self._wakeup = threading.Event()

    def wake(self) -> None:
        """There is room for more jobs in this node, or there are jobs to be taken."""
        self._wakeup.set()

    def has_new(self, hosts: Iterable[str]) -> None:
        """Jobs of these hosts were put into the store."""
        self._new_hosts.extend(hosts)
        self._wakeup.set()

    def give_back(self, jobs: list[Pending]) -> None:
        """Hand these jobs back to the store, soon."""
        self.back.append(jobs)
        self._wakeup.set()

    def cancel(self) -> None:
        """Take no more jobs."""
        self.cancelled.set()
        self._wakeup.set()

    def stop(self) -> None:
        """End the job runner once all jobs that were given back are handed back."""
        self.stopped.set()
        self.cancel()

    def wait(self, longest_s: float) -> bool:
        """Wait for a wake-up, at most this long; whether one came."""
        woken = self._wakeup.wait(timeout=longest_s)
        self._wakeup.clear()
        return woken

    def take_new_hosts(self) -> list[str]:
        """The hosts that got new jobs since the last call."""
        return [self._new_hosts.popleft() for _ in range(len(self._new_hosts))]
