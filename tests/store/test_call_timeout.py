"""CallTimeout: how long answers are waited for, by a clock that the test moves."""

from __future__ import annotations

import pytest

from scoopi.store.call_timeout import AT_ONCE_S, LEAST_S, CallTimeout
from tests.clock import Clock

CALM_S = 12.0


class Grid:
    """Answers after a while, by the clock."""

    def __init__(self, clock: Clock, after_s: float) -> None:
        self._clock = clock
        self._answers_at = clock.now + after_s

    def wait(self, seconds: float) -> bool:
        left_s = self._answers_at - self._clock.now
        self._clock.pass_s(max(0.0, min(seconds, left_s)))
        return left_s <= seconds


def waited_s(clock: Clock, timeout: CallTimeout, times: int = 1) -> float:
    """How long `times` calls take to which no answer comes."""
    began = clock.now
    for _ in range(times):
        assert not timeout.wait(Grid(clock, 1000).wait)
    return clock.now - began


def test_while_nobody_stops_an_answer_has_its_whole_time(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    assert timeout.wait(Grid(clock, CALM_S - 0.1).wait)
    assert [waited_s(clock, timeout) for _ in range(2)] == pytest.approx([CALM_S, CALM_S])


def test_when_the_time_of_a_stop_nears_its_end_all_that_waits_takes_half_of_what_is_left(
    clock: Clock,
) -> None:
    timeout, left_s = CallTimeout(CALM_S, clock=clock), 2.0
    timeout.expedite(clock.now + 3, left_s)
    assert waited_s(clock, timeout) == pytest.approx(3)
    assert waited_s(clock, timeout, 5) <= left_s / 2
    assert waited_s(clock, timeout, 20) == pytest.approx(20 * LEAST_S)


@pytest.mark.parametrize("left_s", [1.0, 2.0])
def test_all_waits_at_the_end_of_a_shutdown_together_take_half_of_the_time_left(
    clock: Clock, left_s: float
) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.expedite(clock.now, left_s)
    waits_s = [waited_s(clock, timeout) for _ in range(3)]
    assert waits_s == pytest.approx([left_s / 4, left_s / 8, left_s / 16], abs=LEAST_S)
    assert sum(waits_s) < left_s / 2


def test_a_wait_under_way_when_the_shutdown_begins_ends(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)

    class Moved(Grid):
        def wait(self, seconds: float) -> bool:
            timeout.expedite(began + 4, 5.0)
            return super().wait(seconds)

    began = clock.now
    assert not timeout.wait(Moved(clock, 1000).wait)
    assert clock.now - began == pytest.approx(4)


def test_an_answer_that_comes_at_once_is_heard_also_then(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.expedite(clock.now, 5.0)
    assert all(timeout.wait(Grid(clock, AT_ONCE_S - 0.1).wait) for _ in range(10))


def test_threads_that_wait_together_have_waited_once(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.expedite(clock.now, 5.0)

    def waits_with_another(seconds: float) -> bool:
        assert not timeout.wait(Grid(clock, 1000).wait)
        return False

    assert not timeout.wait(waits_with_another)
    assert waited_s(clock, timeout) == pytest.approx(AT_ONCE_S / 2)


def test_before_a_run_has_begun_a_stop_waits_for_nothing_long(clock: Clock) -> None:
    stopped = [False]
    timeout = CallTimeout(CALM_S, lambda: stopped[0], clock)
    assert waited_s(clock, timeout) == pytest.approx(CALM_S)
    stopped[0] = True
    assert waited_s(clock, timeout) == pytest.approx(AT_ONCE_S)
    timeout.expedite(clock.now + 3, 5.0)
    assert waited_s(clock, timeout) == pytest.approx(3), "its run has begun, and there is something to save"


def test_a_wait_that_has_just_begun_when_the_node_is_stopped_takes_no_longer_than_one_that_begins_then(
    clock: Clock,
) -> None:
    stopped = [False]
    timeout = CallTimeout(CALM_S, lambda: stopped[0], clock)

    class Stopped(Grid):
        def wait(self, seconds: float) -> bool:
            is_over = super().wait(seconds)
            stopped[0] = True
            return is_over

    began = clock.now
    assert not timeout.wait(Stopped(clock, 1000).wait)
    assert clock.now - began == pytest.approx(AT_ONCE_S)


def test_what_misses_its_answer_within_half_of_the_timeout_after_another_has_waited_with_it(
    clock: Clock,
) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.expedite(clock.now, 5.0)
    left_s = []
    for passed_s in (0.0, AT_ONCE_S * 15 / 64, AT_ONCE_S / 64):
        clock.pass_s(passed_s)
        timeout.shorten()
        left_s.append(timeout.until(clock.now) - clock.now)
    assert left_s == pytest.approx([AT_ONCE_S / 2, AT_ONCE_S / 2, AT_ONCE_S / 4])


def test_a_shutdown_without_a_known_length_waits_for_twice_its_first_wait_in_all(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.limit_waits(4.0)
    assert timeout.wait(Grid(clock, 3.9).wait), "a store that is only slow is waited for"
    assert waited_s(clock, timeout) == pytest.approx(4)
    timeout.limit_waits(4.0)
    assert waited_s(clock, timeout, 7) <= 4.0, "it has begun already"
    assert waited_s(clock, timeout, 20) == pytest.approx(20 * LEAST_S)


def test_an_answer_in_a_shutdown_gives_the_next_wait_its_whole_time_again(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)
    timeout.answered()
    assert waited_s(clock, timeout) == pytest.approx(CALM_S)
    timeout.limit_waits(4.0)
    waited_s(clock, timeout, 10)
    timeout.answered()
    assert [waited_s(clock, timeout) for _ in range(2)] == pytest.approx([4, 2])


def test_a_wait_under_way_ends_as_soon_as_the_shutdown_allows(clock: Clock) -> None:
    timeout = CallTimeout(CALM_S, clock=clock)

    class Limited(Grid):
        def wait(self, seconds: float) -> bool:
            is_over = super().wait(seconds)
            timeout.limit_waits(4.0)
            return is_over

    began = clock.now
    assert not timeout.wait(Limited(clock, 1000).wait)
    assert clock.now - began == pytest.approx(4)
