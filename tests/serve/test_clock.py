"""Throttle: something is allowed at once, and then at most once in each period."""

from __future__ import annotations

from datetime import UTC

from scoopi.serve.clock import Throttle, now_utc


def test_the_first_look_is_due_and_the_next_when_a_period_is_over() -> None:
    now_s = [100.0]
    throttle = Throttle(2.0, lambda: now_s[0])
    assert [throttle.is_due(), throttle.is_due()] == [True, False]
    now_s[0] = 101.9
    assert not throttle.is_due()
    now_s[0] = 102.0
    assert [throttle.is_due(), throttle.is_due()] == [True, False]


def test_a_late_look_begins_a_whole_period() -> None:
    now_s = [0.0]
    throttle = Throttle(2.0, lambda: now_s[0])
    assert throttle.is_due()
    now_s[0] = 3.5
    assert throttle.is_due()
    now_s[0] = 5.0
    assert not throttle.is_due()


def test_the_time_is_in_utc() -> None:
    assert now_utc().tzinfo is UTC
