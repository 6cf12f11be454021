"""Slots are planned process by process: one that fails stops no other one, and none of its own jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.model.schedule.schedule_records import JobRecord
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
