"""Each limit of an attempt holds until its time, and is exceeded just after it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import get_args

import pytest

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.planning.attempt_limits import AttemptLimits, Effect
from scoopi.scheduler.sweep import swept
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
HOUR = timedelta(hours=1)
MOMENT = timedelta(microseconds=1)
WAITING = [
    ("timeout: {queue: 1h}", "error", "timeout.queue: waited longer than 1h"),
    (
        "retry: {give_up_after: 1h}",
        "error",
        "give_up_after: not finished within 1h of the first attempt",
    ),
    ("start_deadline: 1h", "missed", "missed: not started by 2026-01-01T01:00:00Z"),
    (
        "deadline: {after: created, within: 1h, then: fail}",
        "deadline",
        "deadline: not finished by 2026-01-01T01:00:00Z",
    ),
]
RUNNING = [
    ("timeout: {run: 1h}", "error", "timeout.run: ran longer than 1h"),
    ("timeout: {heartbeat: 1h}", "error", "timeout.heartbeat: no progress for 1h"),
    *(WAITING[number] for number in (1, 3)),
]


def exceeded(world: World, after: timedelta, effect: Effect | None = None) -> str:
    world.now = START + after
    (attempt,) = world.all(AttemptRecord)
    return AttemptLimits(world.schedule.process("p")).exceeded(attempt, world.snapshot(), effect)


def launched(world_of: Make, keys: str) -> World:
    world = world_of(f'processes: {{p: {{executes: "python:a:b", {keys}}}}}')
    world.launch("p", "!1")
    world.tick()
    return world


@pytest.mark.parametrize(("keys", "effect", "reason"), WAITING)
def test_an_attempt_that_waits_exceeds_its_limit_after_its_time(
    world_of: Make, keys: str, effect: Effect, reason: str
) -> None:
    world = launched(world_of, keys)
    assert (exceeded(world, HOUR), exceeded(world, HOUR + MOMENT)) == ("", reason)
    effects = {name: exceeded(world, HOUR + MOMENT, name) for name in get_args(Effect)}
    assert {name: text for name, text in effects.items() if text} == {effect: reason}
    decisions = [*swept(world.snapshot(), world.faults)]
    assert decisions[0].reason == reason


@pytest.mark.parametrize(("keys", "effect", "reason"), RUNNING)
def test_an_attempt_that_runs_exceeds_its_limit_after_its_time(
    world_of: Make, keys: str, effect: Effect, reason: str
) -> None:
    world = launched(world_of, keys)
    world.worker("w1")
    world.tick()
    world.claim()
    assert (exceeded(world, HOUR), exceeded(world, HOUR + MOMENT, effect)) == ("", reason)


@pytest.mark.parametrize("keys", ["timeout: {run: 1h, heartbeat: 1h}", "overlap: remind", "cost: 1"])
def test_limits_of_running_attempts_and_none_at_all_let_an_attempt_wait(world_of: Make, keys: str) -> None:
    world = launched(world_of, keys)
    assert exceeded(world, timedelta(days=400)) == ""
    assert [*swept(world.snapshot(), world.faults)] == []


def test_an_attempt_of_a_removed_process_has_no_limits(world_of: Make) -> None:
    world = launched(world_of, "timeout: {queue: 1h}")
    world.deploy("processes: {other: {executes: external:x}}")
    assert exceeded(world, timedelta(days=400)) == ""


def test_an_attempt_whose_limits_cannot_be_compared_is_noted_and_stops_no_other(world_of: Make) -> None:
    world = launched(world_of, "timeout: {queue: 1h}")
    (attempt,) = world.all(AttemptRecord)
    world.put(changed(attempt, queued=attempt.created.replace(tzinfo=None)))
    world.launch("p", "!2")
    world.has_broken = True
    world.tick()
    rows = world.tick(START + HOUR + MOMENT)
    assert [row["attempt"] for row in rows if row["decision"] == "attempt_ended"] == ["p/!2/1"]
    assert list(world.faults.found) == ["p/!1/1"]
