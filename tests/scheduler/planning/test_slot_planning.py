"""Slots are planned process by process: one that fails stops no other one, and none of its own jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord
from tests.scheduler.scenarios.world import START, World

HOUR = timedelta(hours=1)


def test_a_process_whose_slots_fail_stops_no_other_of_any_kind(world_of: Callable[[str], World]) -> None:
    world = world_of("""
        processes:
          broken: {executes: "python:a:b", trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
          fires: {executes: "python:a:b", trigger: {every: 1h}}
          hours: {executes: "python:a:b", qualifier: hourly, trigger: {}}
          steps: {executes: "python:a:b", trigger: {slots: iterations, cron: "0 * * * *"}}
    """)
    world.has_broken = True
    world.tick(START + HOUR)
    assert {*world.faults.found} == {"broken"}
    assert {job.process for job in world.all(JobRecord)} == {"fires", "hours", "steps"}


def test_jobs_of_a_process_whose_slots_fail_run(world_of: Callable[[str], World]) -> None:
    world = world_of("""
        processes:
          broken: {executes: "python:a:b", trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
    """)
    world.has_broken = True
    world.worker()
    world.launch("broken", "!1")
    world.work()
    assert world.states("broken") == {"!1": "processed"}


CHAIN = """
    processes:
      first: {executes: "python:a:b", qualifier: daily, trigger: {}, lag: 0s}
      second:
        executes: "python:a:b"
        qualifier: daily
        lag: 0s
        trigger: {after: first}
        inputs: {from: "${ trigger.job }"}
      last: {executes: "python:a:b", qualifier: daily, trigger: {}, lag: 0s, depends_on: [second]}
"""


def test_a_job_that_others_depend_on_waits_for_the_one_that_triggers_it(
    world_of: Callable[[str], World],
) -> None:
    world = world_of(CHAIN)
    world.worker()
    world.tick(START)
    assert world.job("second/D:2026010100").awaits == "first/D:2026010100"
    world.tick(START + 24 * HOUR)
    world.work()
    ran = sorted(world.all(AttemptRecord), key=lambda each: each.created)
    assert [each.attempt for each in ran] == [
        f"{name}/D:2026010100/1" for name in ("first", "second", "last")
    ]
    assert ran[1].inputs["from"] == "first/D:2026010100"


def test_a_noop_skips_what_it_would_have_triggered_and_what_depends_on_that(
    world_of: Callable[[str], World],
) -> None:
    world = world_of(CHAIN)
    world.worker()
    world.tick(START)
    world.tick(START + 24 * HOUR)
    world.work("noop")
    for name in ("second", "last"):
        assert world.job(f"{name}/D:2026010100").state == "skipped"


def test_a_backfill_of_a_dependent_job_creates_the_chain_before_it(world_of: Callable[[str], World]) -> None:
    world = world_of(CHAIN)
    world.worker()
    world.launch("last", "D:2025123100")
    world.work()
    for name in ("first", "second", "last"):
        assert world.job(f"{name}/D:2025123100").state == "processed"
    assert world.job("second/D:2025123100").trigger["job"] == "first/D:2025123100"


def test_a_job_that_several_processes_may_trigger_is_created_by_them_only(
    world_of: Callable[[str], World],
) -> None:
    world = world_of("""
        processes:
          one: {executes: "python:a:b", qualifier: daily, trigger: {}, lag: 0s}
          two: {executes: "python:a:b", qualifier: daily, trigger: {every: 48h}, lag: 0s}
          second: {executes: "python:a:b", qualifier: daily, lag: 0s, trigger: {after: [one, two]}}
          last: {executes: "python:a:b", qualifier: daily, trigger: {}, lag: 0s, depends_on: [second]}
    """)
    world.worker()
    world.tick(START)
    assert world.states("second") == {}
    world.tick(START + 24 * HOUR)
    world.work()
    assert world.states("second") == {"D:2026010100": "processed"}
    assert world.states("last")["D:2026010100"] == "processed"


def test_two_jobs_that_wait_for_one_period_create_it_once(world_of: Callable[[str], World]) -> None:
    world = world_of("""
        processes:
          daily: {executes: "python:a:b", qualifier: daily, trigger: {every: 48h}}
          one: {executes: "python:a:b", qualifier: hourly, trigger: {}, depends_on: [daily]}
          two: {executes: "python:a:b", qualifier: hourly, trigger: {}, depends_on: [daily]}
    """)
    rows = world.tick(START)
    made = [row["job"] for row in rows if row["decision"] == "job_made"]
    assert made.count("daily/D:2026010100") == 1
    assert world.job("daily/D:2026010100").launch_type in ("dependent", "scheduled")
