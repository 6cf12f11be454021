"""A clock for the tests of the protocol."""

from __future__ import annotations

import pytest


class Clock:
    """A monotonic clock that the test moves; in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()
