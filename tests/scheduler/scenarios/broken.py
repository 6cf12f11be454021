"""Processes, jobs and attempts about which a pass can decide nothing: their times exceed the calendar."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from scoopi.model.schedule.schedule_records import JobRecord
from tests.scheduler.scenarios.records import attempt_of
from tests.scheduler.scenarios.world import World

LAST = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
BROKEN = """
  slots: {executes: "python:a:b", trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
  gated: {executes: "python:a:b", trigger: {every: 24h, jitter: 4h}}
  early: {executes: "python:a:b", qualifier: daily, trigger: {}, depends_on: [daily]}
  late:
    executes: "python:a:b"
    deadline: {after: created, within: 1h}
    notify: [{when: [deadline], via: "python:a:b"}]
  swept: {executes: "python:a:b", deadline: {after: created, within: 1h, then: fail}}
  settled: {executes: "python:a:b", retry: {max: 3, give_up_after: 1h}}
"""
"""Each fails in another step of a pass, once `break_jobs` has created its job."""
FAULTY = {
    "slots": "slots",
    "gated": "gated/@9999-12-31T23:59:00Z",
    "early": "early/D:nonsense",
    "late": "late/!1",
    "swept": "swept/!1/1",
    "settled": "settled/!1/1",
}
"""What of each process cannot be planned."""


def break_jobs(world: World) -> None:
    """Create the jobs and attempts of `BROKEN`, of which two have run before their records were damaged."""
    world.launch("gated", "@9999-12-31T23:59:00Z")
    for name in ("late", "swept", "settled"):
        world.launch(name, "!1")
    daily = world.job(world.launch("early", "D:2026010100"))
    del world.records[JobRecord, daily.job]
    world.put(replace(daily, slot="D:nonsense"))
    world.put(replace(world.job("late/!1"), created=LAST))
    for name in ("swept", "settled"):
        job = replace(
            world.job(f"{name}/!1"), state="in_progress", attempts=1, created=LAST, first_attempt=LAST
        )
        world.put(job)
    attempt = attempt_of(
        process="swept", bundle="b1", created=world.now, worker="w1", fence=1, started=world.now
    )
    world.put(attempt)
    failed = replace(attempt, process="settled", status="failed", phase="unsettled", ended=world.now)
    world.put(failed)
