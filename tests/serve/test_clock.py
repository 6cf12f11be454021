"""PollTimer: a check is due at once, and then at most once in each period."""

from __future__ import annotations

from datetime import UTC

from scoopi.serve.clock import PollTimer, now_utc


def test_the_first_look_is_due_and_the_next_when_a_period_is_over() -> None:
    now_s = [100.0]
    timer = PollTimer(2.0, lambda: now_s[0])
    assert [timer.is_due(), timer.is_due()] == [True, False]
    now_s[0] = 101.9
    assert not timer.is_due()
    now_s[0] = 102.0
    assert [timer.is_due(), timer.is_due()] == [True, False]


def test_a_late_look_begins_a_whole_period() -> None:
    now_s = [0.0]
    timer = PollTimer(2.0, lambda: now_s[0])
    assert timer.is_due()
    now_s[0] = 3.5
    assert timer.is_due()
    now_s[0] = 5.0
    assert not timer.is_due()


def test_the_time_is_in_utc() -> None:
    assert now_utc().tzinfo is UTC
