"""Counts: the small port through which the rooms count."""

from __future__ import annotations

from typing import Protocol


class Counts(Protocol):
    """Adds up what happens; names are dotted, as `fetch.pages`."""

    def add(self, name: str, value: float = 1) -> None:
        """Add `value` to the counter `name`; callable from any thread."""
