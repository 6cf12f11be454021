"""When a browser is started again after one that did not start."""

from __future__ import annotations

import pytest

from scoopi.browser.pool_messages import VisitFailed
from scoopi.browser.start_pace import GIVE_UP_S, StartPace
from scoopi.errors import NO_BROWSER

FAILED = VisitFailed("no browser can be started by the grid: refused", "no browser", NO_BROWSER)


class PlayedClock:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def read(self) -> float:
        """The time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> PlayedClock:
    return PlayedClock()


@pytest.fixture
def pace(clock: PlayedClock) -> StartPace:
    return StartPace(clock.read, clock.sleep)


def test_each_start_that_fails_doubles_the_pause_until_one_works(clock: PlayedClock, pace: StartPace) -> None:
    for _ in range(7):
        assert pace.wait() is None
        pace.failed(FAILED)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    pace.worked()
    assert pace.wait() is None
    pace.failed(FAILED)
    assert pace.wait() is None
    assert clock.slept[6:] == [1.0]


def test_after_a_long_time_pages_fail_at_once_but_a_start_is_still_tried(
    clock: PlayedClock, pace: StartPace
) -> None:
    pace.failed(FAILED)
    clock.now += GIVE_UP_S
    assert pace.wait() is None, "it is time to try"
    pace.failed(FAILED)
    failure = pace.wait()
    assert failure is not None
    assert (failure.what, failure.reason) == (f"{FAILED.what} (for 300 s)", "")
    clock.now += 2.0
    assert pace.wait() is None
    assert clock.slept == []


def test_a_program_that_is_not_there_needs_no_pause(clock: PlayedClock, pace: StartPace) -> None:
    pace.failed(VisitFailed("there is no program", "no browser"))
    assert pace.wait() is None
    assert clock.slept == []
