"""StopTime: when it begins, when it is up, and by when the store must have answered."""

from __future__ import annotations

from scoopi.engine.stop_time import STORE_SHARE, StopTime
from tests.clock import Clock

LIMIT_S = 10.0


def test_nobody_has_asked_for_a_stop_and_its_time_is_never_up() -> None:
    stop = StopTime(0.0)
    assert (stop.is_asked, stop.is_hard, stop.is_up(), stop.end_of(0.5)) == (False, False, False, None)


def test_its_time_counts_from_the_first_that_asks() -> None:
    clock = Clock()
    stop = StopTime(LIMIT_S, clock)
    stop.begin()
    began = clock.now
    clock.pass_s(6)
    stop.begin()
    assert (stop.is_asked, stop.is_up(), stop.end_of(0.7)) == (True, False, began + 7)
    clock.pass_s(3)
    assert stop.is_up(), "a retry under way has time left to give it up"


def test_a_hard_stop_has_no_time() -> None:
    stop = StopTime(LIMIT_S)
    stop.begin()
    assert not stop.is_up()
    stop.begin(hard=True)
    assert (stop.is_hard, stop.is_up()) == (True, True)


def test_it_says_by_when_the_store_must_have_answered() -> None:
    clock = Clock()
    reported: list[tuple[float, float]] = []
    stop = StopTime(LIMIT_S, clock, lambda *by: reported.append(by))
    began = clock.now
    stop.begin()
    clock.pass_s(1)
    stop.begin(hard=True)
    left_s = LIMIT_S * (1 - STORE_SHARE)
    assert reported == [(began + LIMIT_S * STORE_SHARE, left_s), (began + 1, left_s)]
