"""RecordSignals: notifications between the processes that share the scheduler's records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class RecordListener(Protocol):
    """Calls back for notifications."""

    def close(self) -> None:
        """Stop calling back."""


class RecordSignals(Protocol):
    """Notifies the processes that share a store of changed records; a notification may be lost."""

    def send(self) -> None:
        """Notify the listeners of other processes."""

    def listen(self, heard: Callable[[], object]) -> RecordListener:
        """Call `heard` for each notification, from a thread of its own."""
