"""NodeCounts and CachedFigure: counters of this process, and numbers that are slow to read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping

from scoopi.errors import ScoopiError


class NodeCounts:
    """Adds up events under dotted names such as `jobs.done`; callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}

    def add(self, name: str, value: float = 1) -> None:
        """Add to a counter."""
        with self._lock:
            self._values[name] = self._values.get(name, 0) + value

    def add_all(self, values: Mapping[str, float], prefix: str = "") -> None:
        """Add each value to the counter whose name is the prefix and the key."""
        with self._lock:
            for name, value in values.items():
                key = prefix + name
                self._values[key] = self._values.get(key, 0) + value

    def observe(self, name: str, value: float, bounds: Iterable[float]) -> None:
        """Add a value to the counters `name.count`, `name.sum` and, by upper bound, `name.most.<bound>`."""
        counted = {f"{name}.most.{bound}": 1.0 for bound in bounds if value <= bound}
        self.add_all({**counted, f"{name}.count": 1, f"{name}.sum": value})

    def value(self, name: str) -> float:
        """The value of a counter; 0 if nothing was added."""
        with self._lock:
            return self._values.get(name, 0)

    def with_prefix(self, prefix: str) -> dict[str, float]:
        """The counters whose names begin with the prefix, by the rest of the name."""
        with self._lock:
            return {
                name.removeprefix(prefix): value
                for name, value in self._values.items()
                if name.startswith(prefix)
            }


class CachedFigure:
    """Caches a number that is slow to read; callers never wait for another caller's read.

    Args:
        read: reads the number.
        kept_s: how long a value, or a failure, is cached, in seconds.
    """

    def __init__(
        self, read: Callable[[], int], kept_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._kept_s = kept_s
        self._clock = clock
        self._lock = threading.Lock()
        self._value: int | None = None
        self._until = clock()

    def value(self) -> int | None:
        """The number, read at most `kept_s` seconds ago, else the last one; None if none was read yet."""
        if self._clock() >= self._until and self._lock.acquire(blocking=False):
            try:
                self._value = self._read()
            except ScoopiError:
                pass  # keep the last value; the parts that need the source report its failure
            finally:
                self._until = self._clock() + self._kept_s
                self._lock.release()
        return self._value
