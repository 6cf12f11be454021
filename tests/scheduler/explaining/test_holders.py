"""What holds a gate, in words: attempts, jobs and workers, with since when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.scheduler.decisions import changed, moved
from scoopi.scheduler.explaining.holders import (
    attempt_text,
    condition,
    gone_text,
    job_text,
    listed,
    state_since,
)
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
ONE = 'processes: {p: {executes: "python:a:b"}}'
HOUR = timedelta(hours=1)


def test_a_job_has_its_state_since_the_change_to_it_and_not_since_later_ones_by_hand(world_of: Make) -> None:
    world = world_of(ONE)
    job = world.job(world.launch("p", "!1"))
    assert state_since(job) == START
    running = moved(job, START + HOUR, state="in_progress")
    cleared = moved(running, START + 2 * HOUR, "ann", reason="cleared")
    assert state_since(cleared) == START + HOUR
    again = moved(cleared, START + 3 * HOUR, "ann", state="embryo")
    assert state_since(again) == START + 3 * HOUR


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        ("in_progress", "", "p/!1, which has been in_progress since 2026-01-01T01:00:00Z"),
        ("failed", "no paper", "p/!1, which failed at 2026-01-01T01:00:00Z: no paper"),
        ("skipped", "by ann", "p/!1, which was skipped at 2026-01-01T01:00:00Z: by ann"),
        ("noop", "", "p/!1, which was a noop at 2026-01-01T01:00:00Z"),
    ],
)
def test_a_job_is_named_with_its_state(world_of: Make, state: str, reason: str, said: str) -> None:
    world = world_of(ONE)
    job = world.job(world.launch("p", "!1"))
    world.put(moved(job, START + HOUR, state=state, reason=reason))
    assert job_text("p/!1", world.snapshot()) == said


def test_a_job_on_hold_or_before_a_retry_says_so(world_of: Make) -> None:
    world = world_of(ONE)
    job = world.job(world.launch("p", "!1"))
    failed = {"state": "in_progress", "reason": "attempt 1 failed"}
    held = moved(job, START + HOUR, held=True, **failed)
    world.put(held)
    on_hold = "p/!1, which has been on hold since 2026-01-01T01:00:00Z: attempt 1 failed"
    assert job_text("p/!1", world.snapshot()) == on_hold
    world.put(moved(held, START + HOUR, held=False, retry_at=START + 2 * HOUR, **failed))
    waits = "p/!1, which waits for its retry at 2026-01-01T02:00:00Z: attempt 1 failed"
    assert job_text("p/!1", world.snapshot()) == waits


def test_a_job_may_be_missing_or_removed(world_of: Make) -> None:
    world = world_of('processes: {p: {executes: "python:a:b", qualifier: daily, trigger: {}}}')
    assert job_text("p/D:2026010100", world.snapshot()) == "p/D:2026010100, which does not exist yet"
    record = world.snapshot().processes["p"]
    world.put(changed(record, removed={"D failed": [("D:2026010100", "D:2026010100")]}))
    assert job_text("p/D:2026010100", world.snapshot()) == "p/D:2026010100, which was failed and removed"


def test_an_attempt_is_named_with_its_worker_and_the_heartbeats_that_it_has_missed(world_of: Make) -> None:
    world = world_of(ONE)
    world.worker("w1", beat=4)
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.claim()
    since = "p/!1/1 has been running since 2026-01-01T00:00:00Z on worker w1"
    for beat, more in ((5, ""), (6, ", which has missed 2 heartbeats of 3"), (8, ", which is lost")):
        world.beat = beat
        assert attempt_text(attempt, world.snapshot()) == since + more
    worker = world.snapshot().workers["w1"]
    world.put(changed(worker, state="lost", since=START + HOUR))
    assert attempt_text(attempt, world.snapshot()).endswith(", which was lost at 2026-01-01T01:00:00Z")
    del world.records[WorkerRecord, "w1"]
    assert attempt_text(attempt, world.snapshot()).endswith("worker w1, which is not registered")


def test_of_many_holders_the_first_are_named_and_the_others_counted() -> None:
    assert [listed(list("abcde")[:count]) for count in (0, 1, 2, 3, 4)] == [
        *("", "a", "a and b", "a, b and c", "a, b, c and 1 more")
    ]


def test_workers_that_are_gone_are_named_with_since_when() -> None:
    lost = WorkerRecord(worker="w1", incarnation="1", state="lost", since=START, beat=3)
    assert gone_text([]) == ""
    assert gone_text([lost]) == " (w1 has been lost since 2026-01-01T00:00:00Z)"


@pytest.mark.parametrize(
    ("beat", "is_external", "shown"),
    [(7, False, "lost"), (None, False, "stopped"), (7, True, "lost"), (None, True, "removed")],
)
def test_a_worker_that_signed_off_is_not_shown_as_lost(
    beat: int | None, is_external: bool, shown: str
) -> None:
    worker = WorkerRecord(worker="w", incarnation="", state="lost", beat=beat, is_external=is_external)
    assert condition(worker) == shown
    assert condition(changed(worker, state="draining")) == "draining"


def test_an_attempt_runs_since_its_claim_until_its_worker_has_seen_a_cancel(world_of: Make) -> None:
    world = world_of(ONE)
    world.worker("w1", beat=0)
    world.launch("p", "!1")
    world.tick()
    (running,) = world.claim()
    wished = changed(running, wish="cancel", wish_mode="drain", wished=START + HOUR)
    seen = changed(wished, status="canceling", wish_seen=START + 2 * HOUR)
    said = [attempt_text(each, world.snapshot()) for each in (running, wished, seen)]
    assert said == [
        "p/!1/1 has been running since 2026-01-01T00:00:00Z on worker w1",
        "p/!1/1 has been running since 2026-01-01T00:00:00Z on worker w1",
        "p/!1/1 has been canceling since 2026-01-01T02:00:00Z on worker w1",
    ]
