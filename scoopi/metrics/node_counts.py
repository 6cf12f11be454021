"""NodeCounts: the counters of this process, by name."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping


class NodeCounts:
    """Adds up events under dotted names such as `jobs.done`; callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}

    def add(self, name: str, value: float = 1) -> None:
        """Add to the counter of that name."""
        with self._lock:
            self._values[name] = self._values.get(name, 0) + value

    def add_all(self, values: Mapping[str, float], prefix: str = "") -> None:
        """Add each value to the counter of the prefix and its name."""
        with self._lock:
            for name, value in values.items():
                key = prefix + name
                self._values[key] = self._values.get(key, 0) + value

    def observe(self, name: str, value: float, bounds: Iterable[float]) -> None:
        """Add a value to a histogram: `name.count`, `name.sum` and the `name.most.<bound>` it is within."""
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
