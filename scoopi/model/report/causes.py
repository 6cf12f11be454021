"""Causes: counts failures by cause, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scoopi.model.failure import Failure

MOST_CAUSES = 1000
"""The most causes counted; further ones are counted under OTHER, so that memory stays bounded."""
OTHER = "other causes"


class Cause(msgspec.Struct, frozen=True):
    """One kind of failure, with the number of its occurrences and the first of them."""

    cause: str
    count: int
    example: Failure


class Causes:
    """Counts failures by cause. Not thread-safe."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, Failure] = {}

    def add(self, failures: Iterable[Failure]) -> None:
        """Count each failure under its cause."""
        for failure in failures:
            known = failure.cause in self._counts or len(self._counts) < MOST_CAUSES
            cause = failure.cause if known else OTHER
            self._counts[cause] = self._counts.get(cause, 0) + 1
            self._examples.setdefault(cause, failure)

    def counted(self) -> tuple[Cause, ...]:
        """Return the causes, the most frequent first."""
        by_count: Mapping[str, int] = self._counts
        order = sorted(by_count, key=lambda cause: (-by_count[cause], cause))
        return tuple(Cause(cause, by_count[cause], self._examples[cause]) for cause in order)
