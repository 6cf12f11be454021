"""NodeCounts: what this process has counted, by name."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping


class NodeCounts:
    """Keeps the promise of `scoopi.model.report.counts.Counts`; callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}

    def add(self, name: str, value: float = 1) -> None:
        """As `Counts` says."""
        with self._lock:
            self._values[name] = self._values.get(name, 0) + value

    def add_all(self, values: Mapping[str, float], prefix: str = "") -> None:
        """As `Counts` says."""
        with self._lock:
            for name, value in values.items():
                key = prefix + name
                self._values[key] = self._values.get(key, 0) + value

    def observe(self, name: str, value: float, bounds: Iterable[float]) -> None:
        """Add a value to a distribution: `name.count`, `name.sum`, `name.most.<bound>` where it fits."""
        counted = {f"{name}.most.{bound}": 1.0 for bound in bounds if value <= bound}
        self.add_all({**counted, f"{name}.count": 1, f"{name}.sum": value})

    def value(self, name: str) -> float:
        """The counter, 0 when nothing was added."""
        with self._lock:
            return self._values.get(name, 0)

    def with_prefix(self, prefix: str) -> dict[str, float]:
        """The counters whose names begin so, without the prefix."""
        with self._lock:
            return {
                name.removeprefix(prefix): value
                for name, value in self._values.items()
                if name.startswith(prefix)
            }
