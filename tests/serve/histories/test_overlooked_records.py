"""Scans of a cluster may miss records for a while: no job runs twice for that, and none is forgotten."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

from scoopi.model.schedule.schedule_records import AttemptRecord
from tests.serve.histories.crashing_world import START, CrashingWorld
from tests.store.faulty_store import Faults

PROCESSES = """
processes:
  p: {executes: "python:a:b", trigger: {every: 1h}, overlap: allow, catchup: all, retry: {max: 1, delay: 1m}}
  q: {executes: "python:a:b", trigger: {after: p}}
  r: {executes: "python:a:b", lookback: 9, trigger: {slots: iterations, cron: "0 * * * *"}}
"""


def test_each_job_has_one_attempt_that_succeeds_although_scans_miss_records(tmp_path: Path) -> None:
    whole = CrashingWorld(tmp_path, PROCESSES)
    for name in ("w1", "w2"):
        whole.worker(name)
    world = whole.copy(Faults(overlooked=0.3))
    claims: Counter[str] = Counter()
    for _ in range(40):
        world.tick(minutes=20)
        for attempt in world.claim("w1") + world.claim("w2"):
            claims[attempt.attempt] += 1
            world.tick()
            world.end(attempt, "failed" if attempt.slot.endswith("T03:00:00Z") else "succeeded")
    assert set(claims.values()) == {1}, "an attempt was taken from a worker that had it"
    world = world.copy(Faults())
    world.work("succeeded", "w1", "w2")
    statuses: dict[str, list[str]] = {}
    for attempt in world.all(AttemptRecord):
        statuses.setdefault(attempt.job, []).append(attempt.status)
    assert statuses.pop("p/@2026-01-01T03:00:00Z") == ["failed", "failed"]
    assert all(found == ["succeeded"] for found in statuses.values())
    hours = (world.now - START) // timedelta(hours=1)
    assert Counter(job[0] for job in statuses) == {"p": hours - 1, "q": hours - 1, "r": hours + 9}
