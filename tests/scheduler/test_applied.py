"""applied: a snapshot after decisions is the one that would be read once they are written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.scheduler.applied import applied
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.reconcile import reconcile
from scoopi.scheduler.snapshot import Snapshot
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
PROCESSES = """
processes:
  a: {executes: "python:a:b", trigger: {every: 1h}, overlap: skip, retry: {max: 1, delay: 1m}}
  b: {executes: "python:a:b", trigger: {after: a}}
  c: {executes: "python:a:b", qualifier: daily, trigger: {}, depends_on: [d]}
  d: {executes: "python:a:b", qualifier: daily, trigger: {}}
"""


def known(snapshot: Snapshot) -> object:
    """What decides: without jobs that are over, which a reading may leave out."""
    attempts = sorted(snapshot.attempts, key=lambda each: each.attempt)
    return snapshot.active, attempts, snapshot.processes, snapshot.workers


def test_a_snapshot_after_decisions_is_the_one_that_is_read(world_of: Make) -> None:
    world = world_of(PROCESSES)
    world.worker("w1", beat=0)
    rounds = 0
    for hour in range(1, 30):
        world.now = START + timedelta(hours=hour)
        world.beat += hour % 7 == 0 and 5
        for status in ("succeeded", "failed"):
            while decisions := reconcile(snapshot := world.snapshot()):
                for decision in decisions:
                    assert world.apply(decision)
                assert known(applied(snapshot, decisions)) == known(world.snapshot())
                rounds += 1
            for attempt in world.claim():
                world.end(attempt, status)
    assert rounds > 50


def test_what_the_sweep_ends_is_not_live_for_what_the_same_pass_plans(world_of: Make) -> None:
    world = world_of('processes: {p: {executes: "python:a:b", trigger: {every: 1h}, overlap: remind}}')
    world.worker("w1", beat=0)
    world.tick(START + timedelta(hours=1))
    world.claim()
    world.beat = 9
    (running,) = world.attempts("running")
    world.put(changed(running, wish="cancel"))
    world.now = START + timedelta(hours=2)
    names = [each.decision for each in reconcile(world.snapshot())]
    assert "attempt_ended" in names
    assert "job_made" in names, "a pass that crashed after the end of the attempt would create it"
    assert "reminded" not in names
