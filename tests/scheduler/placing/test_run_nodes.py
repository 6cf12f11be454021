"""Further nodes of a run are placed once it has begun, on as many workers as there are, and again if lost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.run_node import RUN, RunNode
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.placing.run_nodes import (
    assigned_workers,
    claiming_workers,
    freed,
    may_join,
    node_of,
    with_node,
)
from tests.scheduler.scenarios.records import attempt_of
from tests.scheduler.scenarios.world import World

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOINED = attempt_of(
    worker="a",
    progress={RUN: "p-1"},
    nodes=(RunNode(number=2, status="running", worker="b"), RunNode(number=3)),
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(
        tmp_path / "jobs",
        "processes: {p: {executes: {scrape: books, nodes: 3}}, q: {executes: {scrape: books}}}",
    )


def running_attempt(world: World, **others: float) -> AttemptRecord:
    """The attempt of `p`, whose first node runs on `a` and has reported the run; then there are others."""
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.claim("a")
    for name, capacity in others.items():
        world.worker(name, capacity, beat=0)
    world.tick()
    assert [node.status for node in world.attempts("running")[0].nodes] == ["free", "free"]
    world.put(replace(attempt, progress={RUN: "p-1"}, version=attempt.version + 1))
    world.tick()
    return world.attempts("running")[0]


def workers(attempt: AttemptRecord) -> list[str]:
    return [node.worker for node in attempt.nodes]


def test_nodes_are_spread_over_the_workers(world: World) -> None:
    world.worker("a", 5)
    assert sorted(workers(running_attempt(world, b=2, c=1))) == ["b", "c"]


def test_one_worker_runs_all_nodes_for_which_it_has_room(world: World) -> None:
    world.worker("a", 2)
    assert workers(running_attempt(world)) == ["a", ""]
    assert "node 3 has no worker yet" in world.why("p/!1")["reason"]
    world.worker("b", 1)
    world.tick()
    assert workers(world.attempts("running")[0]) == ["a", "b"]


def test_an_attempt_gets_its_place_before_further_nodes_of_others(world: World) -> None:
    world.worker("a", 1)
    running_attempt(world)
    world.launch("q", "!1")
    world.worker("b", 1)
    world.tick()
    assert [each.worker for each in world.attempts("waiting")] == ["b"]


def test_nodes_of_lost_workers_are_placed_again(world: World) -> None:
    world.worker("a", 1)
    assert workers(running_attempt(world, b=2)) == ["b", "b"]
    world.beat = 9
    world.worker("c", 2)
    world.tick()
    assert workers(world.attempts("running")[0]) == ["c", "c"]


def test_the_first_node_of_a_lost_worker_is_offered_again_while_the_others_run(world: World) -> None:
    world.worker("a", 1, beat=0)
    running_attempt(world, b=2)
    world.worker("b", 2)
    world.beat = 9
    world.tick()
    (attempt,) = world.attempts("waiting")
    assert (attempt.worker, workers(attempt)) == ("", ["b", "b"])


def test_no_node_joins_an_attempt_that_is_cancelled_or_has_not_begun() -> None:
    assert may_join(JOINED)
    assert not may_join(replace(JOINED, wish="cancel"))
    assert not may_join(replace(JOINED, progress={}))
    assert not may_join(replace(JOINED, status="waiting"))


def test_places_are_those_of_the_attempt_and_of_its_nodes() -> None:
    placed = with_node(JOINED, RunNode(number=3, status="placed", worker="c"))
    assert assigned_workers(placed) == ["a", "b", "c"]
    assert claiming_workers(placed) == ["a", "b"]
    assert assigned_workers(replace(placed, phase="past")) == []


def test_only_nodes_of_lost_workers_are_freed() -> None:
    assert freed(JOINED, ["a", "c"]) is None
    left = freed(JOINED, ["b"])
    assert left is not None
    assert [node.status for node in left.nodes] == ["free", "free"]
    assert node_of(left, 4) is None
