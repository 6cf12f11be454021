"""Clock: monotonic seconds that a test lets pass."""

from __future__ import annotations


class Clock:
    """Monotonic seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        """Let a number of seconds pass."""
        self.now += seconds
