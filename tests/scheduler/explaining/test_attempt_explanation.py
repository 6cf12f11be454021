"""Of a live attempt: which worker holds it, since when, what it waits for, and what the user may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from scoopi.model.schedule.schedule_records import UNSETTLED, AttemptRecord
from scoopi.scheduler.decisions import canceled, changed
from scoopi.scheduler.explaining.attempt_explanation import explained_attempt
from scoopi.scheduler.explaining.why import why
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
ONE = 'processes: {p: {executes: "python:a:b"%s}}'
SINCE = "since 2026-01-01T00:00:00Z"
HOUR = timedelta(hours=1)


@pytest.fixture
def world(world_of: Make) -> World:
    made = world_of(ONE % "")
    made.worker("w1", capacity=1, beat=0)
    return made


def launched(world: World, number: int = 1) -> str:
    job = world.launch("p", f"!{number}")
    world.tick()
    return job


def test_a_full_group_names_its_holders_their_workers_and_since_when(world: World) -> None:
    launched(world)
    world.claim()
    world.now += HOUR
    row = world.why(launched(world, 2))
    assert (row["gate"], row["holders"], row["since"]) == ("capacity", ["p/!1/1"], "2026-01-01T01:00:00Z")
    assert row["reason"] == (
        f"no free capacity in group default (1 of 1 in use): p/!1/1 has been running {SINCE} on worker w1; "
        "attempt 1 has waited since 2026-01-01T01:00:00Z"
    )
    assert row["hint"] == "scoopi worker list shows all of them; for more capacity, start scoopi serve"


def test_a_lost_worker_is_named_with_the_time_at_which_it_was_lost(world: World) -> None:
    job = launched(world)
    world.claim()
    world.beat = 9
    world.tick(START + HOUR)
    row = world.why(job)
    lost = "w1 has been lost since 2026-01-01T01:00:00Z"
    assert (row["gate"], row["since"], row["hint"]) == (
        "worker",
        "2026-01-01T01:00:00Z",
        "start scoopi serve",
    )
    assert row["reason"].startswith(f"no live worker in group default ({lost}); attempt 1 has waited since ")


def test_an_attempt_that_is_not_claimed_says_from_when_another_worker_may(world: World) -> None:
    row = world.why(launched(world))
    assert (row["gate"], row["answer"], row["holders"]) == ("live", "runs", ["p/!1/1"])
    assert row["reason"] == f"attempt 1 has waited {SINCE} for worker w1 to claim it"
    assert row["hint"] == "another worker of its groups may claim it from 2026-01-01T00:00:30Z on"


def test_the_lease_of_a_running_attempt_is_that_of_its_worker(world: World) -> None:
    job = launched(world)
    world.claim()
    world.beat = 2
    row = world.why(job)
    assert (
        row["reason"]
        == f"attempt 1 has been running {SINCE} on worker w1, which has missed 2 heartbeats of 3"
    )
    assert row["hint"] == "scoopi attempt log 'p/!1/1' -f shows what it does"


def test_a_cancel_says_how_since_when_and_until_when(world: World) -> None:
    job = launched(world)
    (attempt,) = world.claim()
    for mode, until, hint in (
        ("step", "2026-01-01T00:01:00Z", "scoopi job cancel 'p/!1' --mode kill ends it within 5s"),
        ("drain", None, "scoopi job cancel 'p/!1' --mode kill ends it within 5s"),
        ("kill", "2026-01-01T00:00:05Z", None),
    ):
        wished = canceled(attempt, world.now, mode, "cancelled by ann")
        for seen, where in (
            (wished, "worker w1, which has not seen it yet"),
            (changed(wished, status="canceling", wish_seen=world.now), "worker w1"),
        ):
            world.put(seen)
            row = world.why(job)
            assert (row["gate"], row["until"], row["hint"]) == ("live", until, hint)
            how = f"({mode}, requested at 2026-01-01T00:00:00Z) on {where}"
            assert row["reason"] == f"attempt 1 is being cancelled {how}: cancelled by ann"


def test_no_cancel_waits_longer_in_a_harder_mode(world_of: Make) -> None:
    world = world_of(f"settings: {{cancel: {{kill_after: 2s}}}}\n{ONE % ''}")
    world.worker("w1", capacity=1, beat=0)
    job = launched(world)
    (attempt,) = world.claim()
    for mode, hint in (("step", "scoopi job cancel 'p/!1' --mode kill ends it within 2s"), ("kill", None)):
        world.put(canceled(attempt, world.now, mode, "cancelled by ann"))
        row = world.why(job)
        assert (row["until"], row["hint"]) == ("2026-01-01T00:00:02Z", hint)


def test_an_attempt_that_the_next_pass_asks_again_says_what_was_missing(world: World) -> None:
    job = launched(world)
    (attempt,) = world.claim()
    world.put(changed(attempt, status="pending", worker="", ended=world.now, explanation="no file"))
    world.now += HOUR
    row = world.why(job)
    assert (row["gate"], row["since"]) == ("prepare", "2026-01-01T00:00:00Z")
    assert row["reason"] == (
        "it was not ready at 2026-01-01T00:00:00Z: no file; attempt 1 is placed by the next pass"
    )


def test_an_attempt_that_was_not_ready_says_when_and_when_it_is_asked_again(world: World) -> None:
    job = launched(world)
    (attempt,) = world.claim()
    world.put(changed(attempt, status="pending", worker="", ended=world.now, explanation="no file"))
    row = world.why(job)
    assert (row["gate"], row["since"], row["until"]) == (
        "prepare",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:10Z",
    )
    assert row["reason"].startswith("it was not ready at 2026-01-01T00:00:00Z: no file; asked again at ")


def test_an_iteration_outside_of_the_window_says_that_no_attempt_follows(world_of: Make) -> None:
    trigger = "{slots: iterations, cron: '0 * * * *', every: 10s}"
    world = world_of(ONE % f", trigger: {trigger}")
    world.worker("w1")
    world.tick(START + HOUR)
    world.tick(START + HOUR + timedelta(minutes=1))
    world.claim()
    first = next(iter(world.states("p")))
    assert "window" not in world.why(f"p/{first}")["reason"]
    world.tick(START + 2 * HOUR + timedelta(minutes=1))
    assert world.why(f"p/{first}")["reason"].endswith(
        f"{first} has left the window, which begins with #2601010003, so no other attempt follows"
    )


def test_a_pass_that_holds_the_lease_is_named_with_its_end(world: World) -> None:
    job = world.job(world.launch("p", "!1"))
    held = replace(world.snapshot(), pass_until=START + timedelta(seconds=30))
    assert why(job, held)["reason"].endswith("; a pass holds the lease of passes until 2026-01-01T00:00:30Z")
    later = replace(held, now=START + HOUR)
    assert "lease" not in why(job, later)["reason"]


def test_an_end_that_no_pass_has_seen_says_so(world: World) -> None:
    launched(world)
    (attempt,) = world.claim()
    ended = changed(attempt, status="succeeded", phase=UNSETTLED, ended=START + HOUR)
    assert isinstance(ended, AttemptRecord)
    found = explained_attempt(ended, world.snapshot())
    assert found.reason == "attempt 1 succeeded at 2026-01-01T01:00:00Z; the next pass moves its job"


@pytest.mark.parametrize(
    ("others", "hint"),
    [
        ((), "start scoopi serve, which continues it"),
        (("w2",), "it is offered to another worker when its own is lost, within some 15s"),
    ],
)
def test_an_attempt_whose_serve_was_killed_says_who_continues_it(
    world: World, others: tuple[str, ...], hint: str
) -> None:
    name = launched(world)
    world.claim()
    job = world.snapshot().jobs[name]
    for name in others:
        world.worker(name, capacity=1, beat=0)
    row = why(job, replace(world.snapshot(), dead=frozenset({"w1"})))
    assert (row["gate"], row["answer"], row["holders"], row["hint"]) == ("worker", "wait", ["p/!1/1"], hint)
    assert row["reason"].endswith("on worker w1, whose serve has ended without handing it back")


def test_registered_workers_of_the_group_are_said_to_run_only_external_processes(world_of: Make) -> None:
    world = world_of(ONE % "")
    job = launched(world)
    assert world.why(job)["reason"] == f"no live worker in group default; attempt 1 has waited {SINCE}"
    world.worker("cart", is_external=True)
    world.worker("other", is_external=True, groups=("big",))
    is_one = "cart is a registered worker, for external processes only"
    assert f"group default ({is_one}); attempt 1" in world.why(job)["reason"]
    world.worker("barrow", is_external=True)
    are_two = "barrow and cart are registered workers, for external processes only"
    assert f"group default ({are_two}); attempt 1" in world.why(job)["reason"]
