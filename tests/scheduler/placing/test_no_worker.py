"""`no_worker`: an attempt for which no worker lives waits, waits as paused, or fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.scheduler.decisions import canceled
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
PYTHON = 'processes: {p: {executes: "python:a:b", groups: [gpu, big], %s}}'
EXTERNAL = "processes: {p: {executes: external:x, no_worker: %s}}"
MISSING = "no live worker in group gpu or big; live workers have default"


def launched(world: World) -> World:
    world.launch("p", "!1")
    world.tick()
    return world


def test_by_default_it_waits(world_of: Make) -> None:
    world = world_of(PYTHON % "retry: {}")
    world.worker("w1")
    (attempt,) = launched(world).attempts("pending")
    row = world.why("p/!1")
    assert (row["gate"], row["answer"], attempt.explanation) == ("worker", "wait", "")
    assert row["reason"] == f"{MISSING}; attempt 1 has waited since 2026-01-01T00:00:00Z"
    assert row["hint"] == "start scoopi serve --groups gpu"


def test_a_paused_attempt_is_placed_when_a_worker_of_its_groups_joins(world_of: Make) -> None:
    world = world_of(PYTHON % "no_worker: pause")
    world.worker("w1")
    (attempt,) = launched(world).attempts("paused")
    assert attempt.explanation == MISSING
    row = world.why("p/!1")
    assert (row["gate"], row["answer"]) == ("worker", "wait")
    assert row["reason"] == f"attempt 1 has been paused since 2026-01-01T00:00:00Z: {MISSING}"
    assert row["hint"] == "it continues when one joins: start scoopi serve --groups gpu"
    assert world.tick(START + timedelta(hours=2)) == []
    world.worker("w2", groups=("big",))
    (row,) = world.tick()
    assert (row["decision"], row["from"], row["to"]) == ("attempt_placed", "paused", "waiting")
    (claimed,) = world.claim("w2")
    assert (claimed.number, claimed.explanation) == (1, "")


def test_it_fails_and_is_retried_as_other_failures(world_of: Make) -> None:
    world = world_of(PYTHON % "no_worker: fail, retry: {max: 1, delay: 10m}")
    launched(world)
    (failed,) = world.attempts("failed")
    assert failed.explanation == "no live worker in group gpu or big"
    assert world.job("p/!1").reason == "attempt 1 of 2 failed: no live worker in group gpu or big"
    world.worker("w1", groups=("gpu",))
    world.tick(START + timedelta(minutes=10))
    assert [each.number for each in world.claim()] == [2]


def test_what_a_lost_worker_leaves_is_paused_if_it_was_the_last(world_of: Make) -> None:
    world = world_of(PYTHON % "no_worker: pause")
    world.worker("w1", groups=("gpu",), beat=0)
    launched(world).claim()
    world.beat = 9
    world.tick()
    (paused,) = world.attempts("paused")
    assert (paused.number, paused.fence) == (1, 1)
    world.worker("w1", groups=("gpu",), beat=9)
    world.tick()
    assert [each.fence for each in world.claim()] == [2]


def test_an_external_attempt_needs_a_registered_worker(world_of: Make) -> None:
    world = world_of(EXTERNAL % "pause")
    world.worker("w1")  # of a serve
    launched(world)
    missing = "no live worker is registered in group default"
    row = world.why("p/!1")
    assert row["reason"] == f"attempt 1 has been paused since 2026-01-01T00:00:00Z: {missing}"
    assert row["hint"] == "it continues when one joins: scoopi worker put NAME"
    world.worker("e1", is_external=True)
    world.tick()
    assert [each.worker for each in world.attempts("waiting")] == [""]
    assert launched(world_of(EXTERNAL % "fail")).job("p/!1").state == "failed"


def test_a_paused_attempt_can_be_cancelled(world_of: Make) -> None:
    world = launched(world_of(PYTHON % "no_worker: pause"))
    (paused,) = world.attempts("paused")
    world.put(canceled(paused, world.now, "drain", "by hand"))
    world.tick()
    assert world.job("p/!1").state == "skipped"


def test_that_it_is_paused_is_reported_once(world_of: Make) -> None:
    world = world_of(PYTHON % "no_worker: pause, notify: [{when: [paused], via: [bin/mail]}]")
    world.launch("p", "!1")
    assert [row["to"] for row in world.tick() if row["decision"] == "noticed"] == ["paused"]
    assert world.tick(START + timedelta(hours=1)) == []


def test_the_time_in_which_it_is_paused_does_not_count_for_its_queue_timeout(world_of: Make) -> None:
    world = launched(world_of(PYTHON % "no_worker: pause, timeout: {queue: 1h}"))
    world.tick(START + timedelta(hours=3))
    assert len(world.attempts("paused")) == 1
    world.worker("w2", groups=("big",))
    world.tick(START + timedelta(hours=4))
    world.tick(START + timedelta(hours=5))
    assert len(world.attempts("waiting")) == 1
    world.tick(START + timedelta(hours=5, seconds=1))
    assert [each.explanation for each in world.attempts("error")] == ["timeout.queue: waited longer than 1h"]


def test_a_start_deadline_holds_for_paused_attempts(world_of: Make) -> None:
    world = launched(world_of(PYTHON % "no_worker: pause, start_deadline: 10m"))
    world.tick(START + timedelta(minutes=10, seconds=1))
    assert world.job("p/!1").state == "skipped"
