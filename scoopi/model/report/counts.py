"""Counts: the small port through which the rooms count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Counts(Protocol):
    """Adds up what happens; names are dotted, as `jobs.done`; callable from any thread."""

    def add(self, name: str, value: float = 1) -> None:
        """Add to the counter of that name."""

    def add_all(self, values: Mapping[str, float], prefix: str = "") -> None:
        """Add each value to the counter of its name behind the prefix."""
