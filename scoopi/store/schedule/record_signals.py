"""RecordSignals: notifications between the processes that share the scheduler's records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class RecordListener(Protocol):
    """A subscription to notifications, until it is closed."""

    def close(self) -> None:
        """End the subscription."""


class RecordSignals(Protocol):
    """Notifies the processes that share a store of changed records; a notification may be lost."""

    def send(self) -> None:
        """Notify the listeners of other processes."""

    def listen(self, heard: Callable[[], object]) -> RecordListener:
        """Call `heard`, in a new thread, for each notification until the returned listener is closed."""
