"""Iterations that follow each other: when the next one begins, what holds it, and crashes on the way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.iteration_window import window_of
from scoopi.scheduler.triggers import upcoming
from tests.scheduler.scenarios.world import START, CrashError, World

Make = Callable[[str], World]
LOOP = """
    processes:
      p:
        executes: "python:a:b"
        trigger: {slots: iterations, source: after_completion, every: 60s}
        retry: {max: 0}
"""


def test_the_next_iteration_begins_when_the_last_is_over_and_its_interval_has_passed(world_of: Make) -> None:
    world = world_of(LOOP)
    world.worker()
    world.tick()
    assert world.states("p") == {"#0": "in_progress"}
    world.work()
    assert world.states("p") == {"#0": "processed"}, "not before 60 s"
    world.tick(START + timedelta(seconds=60))
    assert world.states("p") == {"#0": "processed", "#1": "in_progress"}
    world.tick(START + timedelta(seconds=600))
    assert len(world.states("p")) == 2, "an iteration waits for the one before"
    world.work("noop")
    assert world.states("p") == {"#0": "processed", "#1": "noop", "#2": "noop"}, "#2 was late"


def test_a_failed_iteration_holds_the_next_until_it_is_skipped(world_of: Make) -> None:
    world = world_of(LOOP)
    world.worker()
    world.work("failed")
    world.pass_time(minutes=5)
    assert world.states("p") == {"#0": "in_progress"}, "on hold"
    world.put(changed(world.job("p/#0"), state="skipped", phase="ended"))
    world.tick()
    assert [*world.states("p")] == ["#0", "#1"]


def test_an_iteration_that_has_failed_for_good_holds_the_next_one(world_of: Make) -> None:
    world = world_of(LOOP.replace("{max: 0}", "{max: 0, on_exhausted: fail}"))
    world.worker()
    world.work("failed")
    world.pass_time(minutes=5)
    assert world.states("p") == {"#0": "failed"}


def test_looking_back_ends_at_the_first_iteration(world_of: Make) -> None:
    world = world_of(LOOP.replace("retry:", "lookback: 2\n        retry:"))
    world.worker()
    windows = []
    for minute in range(4):
        world.tick(START + timedelta(minutes=minute))
        windows.append(sorted(window_of(world.schedule.processes["p"], world.snapshot())))
        world.work()
    assert windows == [["#0"], ["#0", "#1"], ["#0", "#1", "#2"], ["#1", "#2", "#3"]]


def test_a_paused_process_gets_one_job_and_runs_none(world_of: Make) -> None:
    world = world_of(LOOP)
    world.worker()
    world.put(ProcessRecord(name="p", since=START, paused=""))
    world.pass_time(minutes=5)
    assert world.states("p") == {"#0": "embryo"}


def test_iterations_begin_after_since_and_end_with_until(world_of: Make) -> None:
    world = world_of(
        LOOP.replace("every: 60s}", 'since: "2026-01-01T01:00:00Z", until: "2026-01-01T01:10:00Z"}')
    )
    world.worker()
    world.tick(START + timedelta(minutes=59))
    assert world.states("p") == {}
    world.tick(START + timedelta(minutes=61))
    assert world.work() == 1
    world.tick(START + timedelta(minutes=80))
    assert world.states("p") == {"#0": "processed"}
    assert upcoming(*pair(world), world.now, 3) == []


def test_an_earlier_iteration_that_is_reprocessed_is_closed_if_the_window_does_not_reach_it(
    world_of: Make,
) -> None:
    for lookback, state in ((0, "skipped"), (1, "processed")):
        world = world_of(LOOP.replace("retry:", f"lookback: {lookback}\n        retry:"))
        world.worker()
        world.work()
        world.tick(START + timedelta(minutes=1))
        world.put(changed(world.job("p/#0"), state="embryo", phase="active"))
        world.work()
        assert world.states("p")["#0"] == state


def test_the_next_slot_is_the_one_after_the_current_at_its_earliest_time(world_of: Make) -> None:
    world = world_of(LOOP)
    assert [(str(slot), at) for slot, at in upcoming(*pair(world), START, 3)] == [("#0", START)]
    world.tick()
    minute, hour = START + timedelta(minutes=1), START + timedelta(hours=1)
    assert [(str(slot), at) for slot, at in upcoming(*pair(world), START, 3)] == [("#1", minute)]
    assert [(str(slot), at) for slot, at in upcoming(*pair(world), hour, 3)] == [("#1", hour)]


def test_a_crash_after_any_write_gives_the_same_iterations(world_of: Make) -> None:
    for crash_after in range(16):
        world = world_of(LOOP.replace("retry:", "on_window_exit: cancel\n        retry:"))
        world.worker()
        world.crash_after = crash_after
        try:
            world.work()
            world.tick(START + timedelta(minutes=1))
        except CrashError:
            world.crash_after = None
            world.work()
        world.crash_after = None
        world.tick(START + timedelta(seconds=90))
        world.work()
        assert world.states("p") == {"#0": "processed", "#1": "processed"}, f"crash after {crash_after}"


def pair(world: World) -> tuple[Process, ProcessRecord]:
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    return world.schedule.processes["p"], record


@pytest.mark.parametrize(
    ("rule", "status", "wish", "ended"),
    [
        ("finish", "succeeded", None, ("processed", "")),
        ("finish", "failed", None, ("skipped", "out of window")),
        ("cancel", "canceled", "cancel", ("skipped", "out of window")),
    ],
)
def test_an_iteration_that_leaves_the_window_finishes_or_is_cancelled_and_gets_no_further_attempt(
    world_of: Make, rule: str, status: str, wish: str | None, ended: tuple[str, str]
) -> None:
    world = world_of(f"""
        processes:
          p:
            executes: "python:a:b"
            trigger: {{slots: iterations, cron: "@hourly"}}
            on_window_exit: {rule}
            retry: {{max: 3, delay: 0s}}
    """)
    world.worker(capacity=9)
    world.tick(START + timedelta(hours=1))
    (attempt,) = world.claim()
    world.tick(START + timedelta(hours=2))
    (running,) = world.attempts("running")
    assert (running.attempt, running.wish) == (attempt.attempt, wish)
    assert world.states("p")["#2601010003"] == "in_progress", "the current one does not wait for it"
    world.end(attempt, status)
    world.tick()
    job = world.job("p/#2601010002")
    assert (job.state, job.reason, job.attempts) == (*ended, 1)
