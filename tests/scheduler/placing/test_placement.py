"""Which worker runs an attempt, and what is answered when none can."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.scheduler.reconcile import reconcile
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
ONE = 'settings: {start_limit: 3}\nprocesses: {p: {executes: "python:a:b"}, e: {executes: external:x}}'


def launched(world: World, count: int) -> None:
    for number in range(1, count + 1):
        world.now = START + timedelta(seconds=number)
        world.launch("p", f"!{number}")
    world.tick()


def test_attempts_go_to_the_worker_with_the_most_capacity_and_no_worker_is_overfilled(world_of: Make) -> None:
    world = world_of(ONE)
    world.worker("a", capacity=1)
    world.worker("b", capacity=2)
    launched(world, 4)
    assert [attempt.worker for attempt in world.attempts("waiting")] == ["b", "a", "b"]
    row = world.why("p/!4")
    assert row["reason"].startswith(
        "no free capacity in group default (3 of 3 in use): p/!1/1 has been waiting since "
    )
    assert row["holders"] == ["p/!1/1", "p/!2/1", "p/!3/1"]


def test_a_round_places_as_many_as_the_limit_and_the_same_pass_the_rest(world_of: Make) -> None:
    world = world_of(ONE)
    launched(world, 5)
    world.worker("a", capacity=9)
    placed = [each for each in reconcile(world.snapshot()) if each.decision == "attempt_placed"]
    assert len(placed) == 3
    world.tick()
    assert len(world.attempts("waiting")) == 5


def test_the_oldest_attempt_is_placed_first_when_room_appears(world_of: Make) -> None:
    world = world_of(ONE)
    launched(world, 3)
    world.worker("a", capacity=1)
    world.tick()
    (placed,) = world.attempts("waiting")
    assert placed.slot == "!1"


def test_draining_and_lost_workers_get_nothing(world_of: Make) -> None:
    world = world_of(ONE)
    world.worker("a", capacity=9, state="draining")
    world.worker("b", capacity=9, beat=0)
    world.beat = 9
    launched(world, 1)
    row = world.why("p/!1")
    assert row["reason"].startswith("no live worker in group default (a has been draining")
    assert row["hint"] == "start scoopi serve"


def test_an_external_attempt_waits_for_a_registered_worker_to_claim_it(world_of: Make) -> None:
    world = world_of(ONE)
    world.worker("a")
    world.launch("e", "!1")
    world.tick()
    assert world.attempts("waiting")[0].worker == ""
    assert world.why("e/!1")["reason"].endswith(" for a registered worker to claim it")


def test_without_a_live_worker_why_says_what_to_start(world_of: Make) -> None:
    world = world_of(ONE)
    world.launch("p", "!1")
    world.launch("e", "!1")
    passes = "its gates are open; the next pass creates its attempt"
    row = world.why("p/!1")
    assert row["reason"] == f"{passes}, and no worker is live to run it"
    assert row["hint"] == "start scoopi serve"
    assert world.why("e/!1")["reason"] == passes
    world.worker("a")
    assert world.why("p/!1")["reason"] == passes


GROUPS = """
    processes:
      big: {executes: "python:a:b", groups: [big]}
      either: {executes: "python:a:b", groups: [big, default]}
      p: {executes: "python:a:b"}
      e: {executes: external:x, groups: [big]}
"""


def test_an_attempt_goes_to_a_worker_of_its_groups_and_to_no_other(world_of: Make) -> None:
    world = world_of(GROUPS)
    world.worker("a", capacity=9)
    world.worker("b", capacity=1, groups=("big",))
    for process in ("big", "p"):
        world.launch(process, "!1")
    world.tick()
    assert {attempt.process: attempt.worker for attempt in world.attempts("waiting")} == {
        "big": "b",
        "p": "a",
    }


def test_the_first_group_with_room_is_preferred_to_a_worker_with_more_room(world_of: Make) -> None:
    world = world_of(GROUPS)
    world.worker("a", capacity=9)
    world.worker("b", capacity=1, groups=("big",))
    for slot in ("!1", "!2"):
        world.launch("either", slot)
    world.tick()
    assert [attempt.worker for attempt in world.attempts("waiting")] == ["b", "a"]


def test_why_says_that_no_live_worker_is_in_the_groups(world_of: Make) -> None:
    world = world_of(GROUPS)
    world.launch("big", "!1")
    passes = "its gates are open; the next pass creates its attempt"
    start = "start scoopi serve --groups big"
    row = world.why("big/!1")
    assert (row["reason"], row["hint"]) == (f"{passes}, and no worker is live to run it", start)
    world.worker("a")
    missing = "no live worker in group big; live workers have default"
    row = world.why("big/!1")
    assert (row["reason"], row["hint"]) == (f"{passes}, but there is {missing}", start)
    world.tick()
    row = world.why("big/!1")
    assert (row["gate"], row["hint"]) == ("worker", start)
    assert row["reason"].startswith(f"{missing}; attempt 1 has waited since ")


def test_why_counts_the_capacity_of_each_group_that_has_workers(world_of: Make) -> None:
    world = world_of(GROUPS)
    world.worker("a", capacity=2)
    world.worker("b", capacity=1, groups=("big",))
    for number in range(1, 5):
        world.now = START + timedelta(seconds=number)
        world.launch("either", f"!{number}")
    world.tick()
    reason = "no free capacity in group big (1 of 1 in use) and group default (2 of 2 in use)"
    assert world.why("either/!4")["reason"].startswith(f"{reason}: ")


def test_a_registered_worker_is_named_with_the_group_that_it_needs(world_of: Make) -> None:
    world = world_of(GROUPS)
    world.launch("e", "!1")
    world.tick()
    assert world.why("e/!1")["reason"].endswith(" for a registered worker of group big to claim it")
