"""Jobs that depend on earlier jobs of their own process begin with its first slot."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from scoopi.scheduler.decisions import changed
from tests.scheduler.scenarios.world import START, World

DAILY = "executes: 'python:m:f', qualifier: daily, lag: 0s"
ITSELF = f"""
    processes:
      p: {{{DAILY}, trigger: {{}}, depends_on: [{{process: p, slot: previous}}]}}
"""
TWO = f"""
    processes:
      p: {{{DAILY}, trigger: {{}}, depends_on: [{{process: q, slot: previous}}]}}
      q: {{{DAILY}, trigger: {{}}, depends_on: [p]}}
"""
TRIGGERED = f"""
    processes:
      p: {{{DAILY}, trigger: {{}}, depends_on: [{{process: q, slot: previous}}]}}
      q: {{{DAILY}, trigger: {{after: p}}}}
"""
DAYS = ["D:2026010100", "D:2026010200", "D:2026010300"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "jobs"


def served(folder: Path, text: str) -> World:
    """Three days of a project are over; nothing has run."""
    world = World(folder, text)
    world.worker(capacity=9)
    world.tick(START + timedelta(days=3))
    return world


@pytest.mark.parametrize("text", [ITSELF, TWO, TRIGGERED])
def test_a_chain_begins_with_the_first_slot_and_runs_in_order(folder: Path, text: str) -> None:
    world = served(folder, text)
    assert sorted(world.states("p")) == [*DAYS, "D:2026010400"]
    ran = []
    while world.tick() or world.attempts("waiting"):
        for attempt in world.claim():
            world.end(attempt)
            ran.append(attempt.job)
    assert [job for job in ran if job.startswith("p/")] == [f"p/{day}" for day in DAYS]
    assert [job for job in ran if job.startswith("q/")] == (
        [] if text is ITSELF else [f"q/{d}" for d in DAYS]
    )


def test_a_job_waits_for_the_one_before_it(folder: Path) -> None:
    world = served(folder, ITSELF)
    assert world.why(f"p/{DAYS[1]}")["holders"] == [f"p/{DAYS[0]}"]
    world.launch("p", "D:2026010600")
    world.tick()
    created = sorted(world.states("p"))
    assert created[-2:] == ["D:2026010500", "D:2026010600"], "it waits for one that was not planned yet"


def test_a_job_that_was_removed_after_its_retention_is_not_run_again(folder: Path) -> None:
    world = served(folder, ITSELF)
    world.work()
    for kind, name in [*world.records]:
        if name.startswith(f"p/{DAYS[0]}"):
            del world.records[kind, name]
    job = world.job(f"p/{DAYS[1]}")
    world.put(changed(job, state="embryo", phase="active", settled=1))
    assert world.work() == 1
    assert world.job(f"p/{DAYS[1]}").attempts == 2
    assert DAYS[0] not in world.states("p")
