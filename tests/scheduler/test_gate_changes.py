"""Of the first job of each process that has to wait, the gates are logged when they change; of no other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord, WorkerRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.gate_changes import MOST_GATES
from tests.scheduler.scenarios.world import START, CrashError, World

Make = Callable[[str], World]
ONE = 'processes: {p: {executes: "python:a:b"%s}}'
TWO = """
processes:
  first: { executes: "python:a:b", mode: manual }
  next: { executes: "python:a:b", mode: manual, depends_on: [ first ] }
"""
MINUTE = timedelta(minutes=1)


def gates(world: World, job: str) -> list[str]:
    """The gates of a job as they were logged; `open` if none is closed."""
    return [each.gate or "open" for each in world.job(job).gates]


def pause(world: World, reason: str | None) -> None:
    world.put(changed(world.records[ProcessRecord, "p"], paused=reason))


def waits(world: World, minutes: int = 1) -> None:
    """Let a pass find, after some time, what still waits."""
    world.tick(world.now + minutes * MINUTE)


def test_a_wait_is_logged_once_with_its_reason_and_so_is_its_end(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.worker()
    pause(world, "")
    world.launch("p", "!1")
    world.tick()
    assert gates(world, "p/!1") == [], "it may be short"
    for _ in range(3):
        waits(world)
    (entry,) = world.job("p/!1").gates
    assert (entry.gate, entry.at, entry.reason) == ("enabled", START + MINUTE, "process p is paused")
    pause(world, None)
    world.work()
    assert gates(world, "p/!1") == ["enabled", "open"]
    assert world.job("p/!1").gates[-1].reason == "attempt 1 was created"


def test_a_job_that_waits_at_one_gate_after_the_other_has_both_in_order(world_of: Make) -> None:
    world = world_of(TWO)
    world.put(changed(world.records[ProcessRecord, "next"], paused=""))
    world.launch("next", "!1")
    waits(world)
    world.put(changed(world.records[ProcessRecord, "next"], paused=None))
    waits(world)
    world.launch("first", "!1")
    world.worker()
    world.work()
    assert gates(world, "next/!1") == ["enabled", "depends", "open"]
    assert world.job("next/!1").state == "processed"


def test_a_failure_and_the_wait_for_its_retry_are_one_write(world_of: Make) -> None:
    world = world_of(ONE % ", retry: {max: 1, delay: 10m}")
    world.worker()
    world.launch("p", "!1")
    world.work("failed", explanation="no paper")
    assert gates(world, "p/!1") == ["error"]
    reason = world.job("p/!1").gates[0].reason
    assert reason == "waits for its retry at 2026-01-01T00:10:00Z; attempt 1 of 2 failed: no paper"
    writes = world.writes
    waits(world, 5)
    assert world.writes == writes
    world.now += 10 * MINUTE
    world.work()
    assert gates(world, "p/!1") == ["error", "open"]


def test_an_attempt_that_waits_for_a_worker_or_for_capacity_says_so(world_of: Make) -> None:
    world = world_of(ONE % "")
    for number in (1, 2, 3):
        world.launch("p", f"!{number}")
    world.tick()
    waits(world)
    assert (gates(world, "p/!1"), gates(world, "p/!2")) == (["worker"], [])
    assert world.job("p/!1").gates[0].reason == "no live worker in group default"
    world.worker(capacity=1)
    world.tick()
    world.claim()
    waits(world)
    assert (gates(world, "p/!2"), gates(world, "p/!3")) == (["capacity"], [])
    assert world.job("p/!2").gates[0].reason == "no free capacity in group default (1 of 1 in use)"


def test_an_attempt_whose_worker_was_lost_waits_at_the_same_gate_once_more(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.launch("p", "!1")
    world.tick()
    waits(world)
    world.worker()
    waits(world)
    world.claim()
    world.put(changed(world.records[WorkerRecord, "w1"], state="lost"))
    waits(world)
    waits(world)
    assert gates(world, "p/!1") == ["worker", "worker"]


def test_the_wait_for_its_slot_or_for_others_of_its_process_is_not_logged(world_of: Make) -> None:
    world = world_of(ONE % ", overlap: wait")
    world.worker()
    world.launch("p", "!1")
    world.launch("p", "!2")
    world.launch("p", "!3", not_before=START + timedelta(hours=5))
    world.tick()
    world.claim()
    waits(world, 60)
    assert [gates(world, f"p/!{number}") for number in (1, 2, 3)] == [[], [], []]


@pytest.mark.parametrize("jobs", [3, 300])
def test_the_number_of_writes_does_not_depend_on_the_number_of_jobs(world_of: Make, jobs: int) -> None:
    world = world_of(ONE % "")
    pause(world, "")
    for number in range(jobs):
        world.launch("p", f"!{number + 1}")
    world.tick()
    writes = world.writes
    for _ in range(3):
        waits(world)
    assert world.writes == writes + 1
    assert gates(world, "p/!1") == ["enabled"]


def test_a_crash_before_the_entry_leaves_it_to_the_next_pass(world_of: Make) -> None:
    world = world_of(ONE % "")
    pause(world, "")
    world.launch("p", "!1")
    world.tick()
    world.crash_after = world.writes
    with pytest.raises(CrashError):
        waits(world)
    world.crash_after = None
    waits(world)
    assert gates(world, "p/!1") == ["enabled"]


def test_few_entries_are_kept_and_the_oldest_go_first(world_of: Make) -> None:
    world = world_of(ONE % ", retry: {max: 30, delay: 1m}")
    world.worker()
    world.launch("p", "!1")
    for _ in range(MOST_GATES):
        world.work("failed")
        world.now += MINUTE
    assert len(world.job("p/!1").gates) == MOST_GATES
    assert world.job("p/!1").gates[0].at > START


def test_a_job_that_is_reprocessed_waits_at_the_same_gate_once_more(world_of: Make) -> None:
    world = world_of(ONE % "")
    pause(world, "")
    world.launch("p", "!1")
    waits(world)
    record = world.records[JobRecord, "p/!1"]
    world.now += MINUTE
    world.put(changed(record, changed=world.now))
    waits(world)
    assert gates(world, "p/!1") == ["enabled", "enabled"]
