"""A backfill runs in its own order, at its own pace, beside the schedule."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import PeriodError
from scoopi.model.schedule.schedule_records import Backfill, ProcessRecord
from scoopi.scheduler.decisions import Decision, made
from scoopi.scheduler.planning.past_slots import past_slots
from tests.scheduler.scenarios.world import START, World

HOURLY = "processes:\n  p: {executes: 'python:m:f', trigger: {cron: '0 * * * *'}, overlap: %s}\n"
DAILY = "processes:\n  p: {executes: 'python:m:f', qualifier: daily, trigger: {every: 60s}}\n"
EVERY = "processes:\n  p: {executes: 'python:m:f', trigger: {every: 7h}}\n"
NUMBERED = """
    processes:
      p: {executes: 'python:m:f', trigger: {slots: iterations, cron: '0 */8 * * *', timezone: Europe/Berlin}}
"""
WEEK = ("2025-12-20T00:00:00Z", "2025-12-20T03:30:00Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "jobs"


def slots(world: World, first: str, last: str) -> list[str]:
    process, record = world.schedule.processes["p"], world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    return [str(slot) for slot, _ in past_slots(process, record, first, last, world.now)]


def fill(world: World, first: str, last: str, **fields: Any) -> list[str]:
    """Creates the jobs of a backfill; their ids."""
    process, record = world.schedule.processes["p"], world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    backfill = Backfill("b1", **{"overlap": "allow", **fields})
    ids = []
    for slot, due in past_slots(process, record, first, last, world.now):
        job: dict[str, Any] = {"due": due, "launch_type": "backfill", "backfill": backfill}
        decision = made(process, slot, world.now, **job)
        assert isinstance(decision, Decision)
        world.apply(decision)
        ids.append(f"p/{slot}")
    return ids


def test_the_slots_are_fires_before_the_process_was_known_both_ends_included(folder: Path) -> None:
    world = World(folder, HOURLY % "wait")
    assert slots(world, "2025-12-20T01:00:00Z", "@2025-12-20T03:00:00Z") == [
        f"@2025-12-20T0{hour}:00:00Z" for hour in (1, 2, 3)
    ]


def test_an_interval_reaches_back_in_whole_steps(folder: Path) -> None:
    world = World(folder, EVERY, datetime.fromisoformat("2026-01-01T00:00:00Z"))
    assert slots(world, "2025-12-31T01:00:00Z", "2025-12-31T17:00:00Z") == [
        "@2025-12-31T03:00:00Z",
        "@2025-12-31T10:00:00Z",
        "@2025-12-31T17:00:00Z",
    ]


def test_periods_are_given_by_their_digits_and_those_to_come_are_left_out(folder: Path) -> None:
    world = World(folder, DAILY, datetime.fromisoformat("2026-01-03T12:00:00Z"))
    assert slots(world, "2025123100", "D:2026010900") == [
        "D:2025123100",
        "D:2026010100",
        "D:2026010200",
        "D:2026010300",
    ]


def test_iterations_have_the_numbers_of_their_fires(folder: Path) -> None:
    world = World(folder, NUMBERED, datetime.fromisoformat("2026-01-03T12:00:00Z"))
    assert slots(world, "2025-12-31T00:00:00Z", "2025-12-31T23:30:00Z") == [
        "#2512310002",
        "#2512310003",
        "#2601010001",
    ]


def test_a_process_without_slots_is_refused(folder: Path) -> None:
    world = World(folder, "processes:\n  p: {executes: 'python:m:f', mode: manual}\n")
    with pytest.raises(PeriodError, match="p has no slots of its own"):
        slots(world, *WEEK)


@pytest.mark.parametrize(("newest_first", "order"), [(False, [0, 1, 2, 3]), (True, [3, 2, 1, 0])])
def test_jobs_run_in_the_order_asked_for_one_at_a_time(
    folder: Path, newest_first: bool, order: list[int]
) -> None:
    world = World(folder, HOURLY % "skip")
    world.worker(capacity=4)
    ids = fill(world, *WEEK, newest_first=newest_first, max_parallel=1)
    ran = []
    for _ in ids:
        world.tick()
        (attempt,) = world.claim()
        ran.append(ids.index(attempt.job))
        waiting = next(each for each in ids if world.job(each).state == "embryo") if len(ran) < 4 else ""
        if waiting:
            assert "as backfill b1 runs 1 job, its max_parallel: p/@" in world.why(waiting)["reason"]
        world.end(attempt)
    world.tick()
    assert ran == order
    assert {world.job(each).state for each in ids} == {"processed"}


def test_a_limit_lets_as_many_run_and_a_job_that_waits_for_its_retry_holds_up_no_other(folder: Path) -> None:
    text = HOURLY % "allow, retry: {max: 1, delay: 1h}"
    world = World(folder, text)
    world.worker(capacity=9)
    ids = fill(world, *WEEK, max_parallel=2)
    world.tick()
    first = world.claim()
    assert [each.job for each in first] == ids[:2]
    world.end(first[0], "failed")
    world.tick()
    assert [each.job for each in world.claim()] == [ids[2]]


@pytest.mark.parametrize("overlap", ["skip", "remind", "buffer_one", "cancel_running", "wait"])
def test_the_schedule_goes_on_beside_a_backfill(folder: Path, overlap: str) -> None:
    """A fire meanwhile is neither skipped for the backfill nor does it cancel it."""
    world = World(folder, HOURLY % overlap)
    world.worker(capacity=1)
    ids = fill(world, *WEEK, overlap="wait")
    world.tick()
    (running,) = world.claim()
    fire = f"p/@{(START + timedelta(hours=1)).strftime('%Y-%m-%dT%H:00:00Z')}"
    world.tick(START + timedelta(hours=1))
    assert world.job(fire).phase == "active"
    assert world.end(running)
    assert world.job(ids[1]).state in ("embryo", "in_progress")
    world.tick()
    assert [each.job for each in world.claim()] == [fire], "the schedule comes first"
    world.end(next(each for each in world.attempts("running")))
    world.work()
    assert {world.job(each).state for each in ids} == {"processed"}


def test_a_regular_fire_is_as_it_would_be_without_the_backfill(folder: Path) -> None:
    world = World(folder, HOURLY % "allow")
    world.tick(START + timedelta(minutes=1))
    fill(world, *WEEK)
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    assert (record.last_fire or record.since) >= START
