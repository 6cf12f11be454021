"""HeldJobs: the jobs that this node has taken and not yet finished or handed back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from scoopi.store.nodes.node_record import Load


class HeldJobs:
    """Knows at any moment whether the node is idle: a job counts from before its take to its end."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._ids: set[str] = set()
        self._taking = 0
        self._takes = 0

    @contextmanager
    def taking(self) -> Iterator[Callable[[], None]]:
        """While a take is under way the node is not idle.

        Yields:
            A callable that counts the take, to be called before jobs that were found are taken. A look
            that finds nothing counts nothing, or nodes that look now and then would never be idle.
        """
        with self._lock:
            self._taking += 1
        try:
            yield self._count_take
        finally:
            with self._lock:
                self._taking -= 1
                self._lock.notify_all()

    def add(self, ids: Iterable[str]) -> None:
        """The jobs are taken; to be called within `taking`."""
        with self._lock:
            self._ids.update(ids)

    def remove(self, ids: Iterable[str]) -> None:
        """The jobs have ended, or are given back."""
        with self._lock:
            self._ids.difference_update(ids)
            self._lock.notify_all()

    def is_idle(self) -> bool:
        """Whether the node holds no job and is about to hold none."""
        with self._lock:
            return self._idle()

    def load(self) -> Load:
        """For the heartbeat: how often the node began to take, and whether it is idle."""
        with self._lock:
            return Load(self._takes, self._idle())

    def wait_idle(self, timeout_s: float, given_up: Callable[[], bool]) -> bool:
        """Wait until the node is idle, the time is over, or `given_up` is true after a `wake`.

        Returns:
            Whether the node is idle.
        """
        with self._lock:
            self._lock.wait_for(lambda: self._idle() or given_up(), timeout=timeout_s)
            return self._idle()

    def wake(self) -> None:
        """Have `wait_idle` check its conditions again."""
        with self._lock:
            self._lock.notify_all()

    def ids(self) -> set[str]:
        """A copy of the ids."""
        with self._lock:
            return set(self._ids)

    def _count_take(self) -> None:
        with self._lock:
            self._takes += 1

    def _idle(self) -> bool:
        return not self._ids and not self._taking
