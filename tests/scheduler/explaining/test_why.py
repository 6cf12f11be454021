"""why: one sentence for each stage of a job's life."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scoopi.scheduler.decisions import changed
from tests.scheduler.scenarios.world import World

SINCE = "since 2026-01-01T00:00:00Z"
Make = Callable[[str], World]
TWO = """
processes:
  p: { executes: "python:a:b" }
  e: { executes: "external:x" }
  g: { executes: "python:a:b", groups: [ gpu ] }
"""


@pytest.fixture
def world(world_of: Make) -> World:
    """With one worker, of the group default."""
    made = world_of(TWO)
    made.worker("w1", capacity=1)
    return made


def why(world: World, job: str) -> tuple[Any, ...]:
    row = world.why(job)
    assert row["job"] == job
    return row["gate"], row["answer"], row["reason"]


def test_a_job_with_open_gates_gets_its_attempt_by_the_next_pass(world: World) -> None:
    job = world.launch("p", "!1")
    assert why(world, job) == (None, "runs", "its gates are open; the next pass creates its attempt")


def test_where_no_worker_may_run_it_the_command_that_starts_one_is_shown(world_of: Make) -> None:
    world = world_of(TWO)
    jobs = [world.launch(process, "!1") for process in ("p", "g", "e")]
    assert [why(world, job)[2].partition("attempt")[2] for job in jobs] == [
        ", and no worker is live to run it",
        ", and no worker is live to run it",
        "",
    ]
    hints = ["start scoopi serve", "start scoopi serve --groups gpu", None]
    assert [world.why(job)["hint"] for job in jobs] == hints
    world.worker("w1")
    assert [world.why(job)["hint"] for job in jobs] == [None, "start scoopi serve --groups gpu", None]


def test_an_attempt_is_followed_from_its_place_to_its_end(world: World) -> None:
    job = world.launch("p", "!1")
    world.tick()
    assert why(world, job) == ("live", "runs", f"attempt 1 has waited {SINCE} for worker w1 to claim it")
    (attempt,) = world.claim()
    assert why(world, job)[2] == f"attempt 1 has been running {SINCE} on worker w1"
    world.put(changed(attempt, wish="cancel", explanation="by ann"))
    assert why(world, job)[2] == (
        "attempt 1 is being cancelled (step) on worker w1, which has not seen it yet: by ann"
    )
    world.put(changed(attempt, wish="cancel", status="canceling", explanation="by ann"))
    assert why(world, job)[2] == "attempt 1 is being cancelled (step) on worker w1: by ann"
    world.put(attempt)
    world.end(attempt)
    world.tick()
    assert why(world, job) == ("done", "wait", "processed at 2026-01-01T00:00:00Z")


def test_an_attempt_without_a_worker_waits_for_capacity(world: World) -> None:
    jobs = [world.launch("p", f"!{number}") for number in (1, 2)]
    world.tick()
    reasons = {why(world, job)[2] for job in jobs}
    (full,) = (
        reason
        for reason in reasons
        if reason.startswith("no free capacity in group default (1 of 1 in use): ")
    )
    assert full.endswith(f" has been waiting {SINCE} on worker w1; attempt 1 has waited {SINCE}")


def test_an_external_attempt_waits_for_a_registered_worker(world: World) -> None:
    job = world.launch("e", "!1")
    world.tick()
    assert why(world, job)[2] == f"attempt 1 has waited {SINCE} for a registered worker to claim it"
