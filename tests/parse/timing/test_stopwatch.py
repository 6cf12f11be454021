"""Times of calls go to their entries, each second once."""

from __future__ import annotations

import pytest

from scoopi.parse.timing.stopwatch import Stopwatch, untimed

PRICE, TITLE = ("item", "price"), ("item", "title")


class Clock:
    """Stands still, but while `spend` is called."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def spend(self, seconds: float) -> float:
        self.now += seconds
        return seconds


def test_the_time_of_a_call_that_fails_counts() -> None:
    clock = Clock()
    watch = Stopwatch(clock)

    def fail() -> None:
        clock.spend(2)
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        watch.timed([PRICE], fail)()
    assert watch.take() == {PRICE: 2}


def test_the_calls_of_one_entry_add_up_and_nested_ones_count_once() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    inner = watch.timed([PRICE], clock.spend)
    outer = watch.timed([PRICE], lambda: inner(3) + clock.spend(1))
    assert outer() == 4
    outer()
    assert watch.take() == {PRICE: 8}
    assert watch.take() == {}


def test_a_call_without_entries_is_left_as_it_is() -> None:
    clock = Clock()
    assert Stopwatch(clock).timed([], clock.spend) == clock.spend
    assert untimed([TITLE], clock.spend) == clock.spend
