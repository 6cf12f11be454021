"""A `serve` is ready while it works, and unhealthy only when its loop is stuck."""

from __future__ import annotations

import time

import pytest

from scoopi.serve import serve_health
from scoopi.serve.serve_health import STUCK_S, ServeHealth
from tests.clock import Clock


def test_a_serve_is_healthy_from_its_start_and_ready_from_its_first_turn() -> None:
    health = ServeHealth()
    assert (health.fault(), health.unready()) == ("", "starting")
    health.turned()
    assert (health.fault(), health.unready()) == ("", "")


def test_a_store_that_is_away_makes_it_unready_not_unhealthy() -> None:
    health = ServeHealth()
    health.turned("the store does not answer: gone")
    assert (health.fault(), health.unready()) == ("", "the store does not answer: gone")


def test_a_loop_that_does_not_turn_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    health = ServeHealth()
    health.turned()
    monkeypatch.setattr(serve_health, "STUCK_S", -1.0)
    assert health.fault().startswith("the loop has not turned for ")
    assert health.unready() == health.fault()


def test_ends_are_counted_by_process_and_status() -> None:
    health = ServeHealth()
    for status in ("failed", "succeeded", "failed"):
        health.attempt_ended("p", status)
    assert health.ended == {("p", "failed"): 2, ("p", "succeeded"): 1}


def test_a_loop_is_stuck_after_two_minutes_without_a_turn(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(time, "monotonic", clock)
    health = ServeHealth()
    clock.now += STUCK_S
    assert (health.fault(), health.unready()) == ("", "starting")
    health.turned("the store does not answer: gone")
    clock.now += 120.0
    assert health.unready() == "the store does not answer: gone"
    clock.now += 1.0
    assert health.fault() == health.unready() == "the loop has not turned for 121 s"
    health.turned()
    assert (health.fault(), health.unready()) == ("", "")
    assert health.seconds == STUCK_S + 121.0


def test_a_reader_of_the_ends_sees_none_of_those_that_follow() -> None:
    health = ServeHealth()
    health.attempt_ended("p", "failed")
    read = health.ended
    health.attempt_ended("p", "failed")
    health.attempt_ended("q", "failed")
    assert (read, len(health.ended), health.worker) == ({("p", "failed"): 1}, 2, "")
