"""Of each gate before an attempt: what is awaited, since when, who holds it, and what the user may do."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.process_change import ProcessChange
from scoopi.model.schedule.schedule_records import Backfill, ProcessRecord
from scoopi.scheduler.decisions import changed, moved
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
ONE = 'processes: {p: {executes: "python:a:b"%s}}'
DAILY = 'processes: {p: {executes: "python:a:b", qualifier: daily%s, trigger: {}}}'
TWO = """
processes:
  first: { executes: "python:a:b", qualifier: daily, lag: 0s, trigger: {} }
  other: { executes: "python:a:b", qualifier: daily, lag: 0s, trigger: {} }
  next: { executes: "python:a:b", qualifier: daily, lag: 0s, trigger: {}, depends_on: [ first, other ] }
"""
SINCE = "2026-01-01T00:00:00Z"
HOUR = timedelta(hours=1)


def note(world: World, *changes: ProcessChange, **fields: object) -> None:
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    world.put(changed(record, changes=changes, **fields))


def test_a_pause_names_who_paused_since_when_and_why(world_of: Make) -> None:
    world = world_of(ONE % "")
    job = world.launch("p", "!1")
    note(world, ProcessChange("paused", START, "ann", "box", "audit"), paused="audit")
    row = world.why(job)
    assert (row["gate"], row["since"]) == ("enabled", SINCE)
    assert row["reason"] == f"process p was paused at {SINCE} by ann: audit"
    assert row["hint"] == "scoopi process resume p starts it again"
    note(world, paused="audit")
    assert (world.why(job)["reason"], world.why(job)["since"]) == ("process p is paused: audit", None)


def test_a_disabled_process_names_the_deployment_that_disabled_it(world_of: Make) -> None:
    world = world_of(ONE % ", enabled: false")
    job = world.launch("p", "!1")
    note(world, ProcessChange("changed", START, "ann", "box", "bundle 1"))
    row = world.why(job)
    assert row["reason"] == f"process p is disabled by the definitions that ann deployed at {SINCE}"
    assert row["hint"] == "deploy it with enabled: true, or scoopi job skip 'p/!1'"


def test_a_removed_process_names_who_removed_it(world_of: Make) -> None:
    world = world_of(ONE % "")
    job = world.launch("p", "!1")
    note(world, ProcessChange("removed", START, "ann", "box", "bundle 2"))
    world.deploy("processes: {q: {executes: external:x}}")
    row = world.why(job)
    assert row["reason"].endswith(f"current definitions, from which ann removed it at {SINCE}")
    assert row["hint"] == "deploy it again, or scoopi job skip 'p/!1'"
    assert row["since"] == SINCE


def test_a_slot_says_when_it_is_due_and_why_not_before(world_of: Make) -> None:
    world = world_of(DAILY % "")
    world.tick()
    row = world.why("p/D:2026010100")
    due = "2026-01-02T00:05:00Z"
    assert (row["gate"], row["until"], row["since"]) == ("slot", due, SINCE)
    assert row["reason"] == f"waits until {due}, 5m (lag) after the end of D:2026010100"
    assert row["hint"] == "scoopi job skip p/D:2026010100 gives it up"
    world = world_of(ONE % "")
    world.launch("p", "!1", not_before=START + HOUR)
    assert world.why("p/!1")["reason"] == "waits until 2026-01-01T01:00:00Z, as its launch asks for (--after)"


def test_an_overlap_names_the_attempt_that_runs_its_worker_and_since_when(world_of: Make) -> None:
    world = world_of(ONE % ", overlap: wait")
    world.worker("w1")
    jobs = [world.launch("p", f"!{number}") for number in (1, 2)]
    world.tick()
    world.claim()
    row = world.why(jobs[1])
    assert (row["gate"], row["holders"], row["since"]) == ("live", ["p/!1/1"], SINCE)
    assert row["reason"] == (
        f"waits for other jobs of p, as overlap is wait: p/!1/1 has been running since {SINCE} on worker w1"
    )
    assert row["hint"] == "scoopi job cancel 'p/!1' ends that one"


def test_a_full_backfill_names_its_attempts(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.worker("w1")
    backfill = Backfill("b1", "allow", max_parallel=1)
    jobs = [world.launch("p", f"!{number}", backfill=backfill) for number in (1, 2)]
    world.tick()
    row = world.why(jobs[1])
    assert (row["gate"], row["holders"]) == ("live", ["p/!1/1"])
    assert "as backfill b1 runs 1 job, its max_parallel: p/!1/1 has been waiting since" in row["reason"]


def test_a_backfill_that_is_not_full_names_its_overlap_whatever_the_process_is_called(world_of: Make) -> None:
    world = world_of('processes: {backfill: {executes: "python:a:b"}}')
    world.worker("w1")
    backfill = Backfill("b1", "wait")
    jobs = [world.launch("backfill", f"!{number}", backfill=backfill) for number in (1, 2)]
    world.tick()
    assert "as overlap is wait: backfill/!1/1 has been" in world.why(jobs[1])["reason"]


def test_a_scheduled_job_behind_a_backfill_says_so(world_of: Make) -> None:
    world = world_of(ONE % ", overlap: skip")
    world.worker("w1")
    world.launch("p", "!1", backfill=Backfill("b1", "allow"))
    world.tick()
    world.launch("p", "!2")
    row = world.why("p/!2")
    assert row["reason"].startswith(
        "waits for other jobs of p, as a backfill of the process runs: p/!1/1 has"
    )


def test_a_retry_and_a_hold_have_their_time_and_the_command_that_clears_them(world_of: Make) -> None:
    for rule, gate in (
        ("max: 1", "waits for its retry at "),
        ("on_exhausted: hold", f"on hold since {SINCE}: "),
    ):
        world = world_of(ONE % f", retry: {{{rule}}}")
        world.worker("w1")
        world.launch("p", "!1")
        world.work("failed", explanation="no paper")
        row = world.why("p/!1")
        assert (row["gate"], row["since"]) == ("error", SINCE)
        assert row["reason"].startswith(gate)
        assert row["hint"].startswith("scoopi job clear 'p/!1' ")


def test_dependencies_are_all_named_with_their_state_and_since_when(world_of: Make) -> None:
    world = world_of(TWO)
    world.tick(START + timedelta(days=1))
    row = world.why("next/D:2026010100")
    jobs = ["first/D:2026010100", "other/D:2026010100"]
    assert (row["gate"], row["holders"]) == ("depends", jobs)
    since = "which has been in_progress since 2026-01-02T00:00:00Z"
    assert row["reason"] == f"waits for {jobs[0]}, {since} and {jobs[1]}, {since}"
    assert row["hint"] == f"scoopi job why {jobs[0]} explains that one"


def test_a_dependency_that_failed_has_its_time_and_reason_and_both_ways_out(world_of: Make) -> None:
    world = world_of(TWO)
    world.tick(START + timedelta(days=1))
    for name in ("first", "other"):
        job = world.job(f"{name}/D:2026010100")
        state = "failed" if name == "other" else "processed"
        world.put(moved(job, world.now, state=state, phase="ended", reason="no paper"))
    row = world.why("next/D:2026010100")
    assert row["holders"] == ["other/D:2026010100"]
    assert row["reason"] == "waits for other/D:2026010100, which failed at 2026-01-02T00:00:00Z: no paper"
    assert row["hint"] == (
        "scoopi job reprocess other/D:2026010100 runs that one once more; "
        "scoopi job skip next/D:2026010100 gives it up"
    )


def test_a_job_that_is_over_says_since_when_and_how_it_runs_once_more(world_of: Make) -> None:
    world = world_of(ONE % "")
    job = world.job(world.launch("p", "!1"))
    world.put(moved(job, START + HOUR, "ann", state="skipped", reason="skipped by ann"))
    row = world.why("p/!1")
    assert (row["gate"], row["since"]) == ("done", "2026-01-01T01:00:00Z")
    assert row["reason"] == "skipped at 2026-01-01T01:00:00Z: skipped by ann"
    assert row["hint"] == "scoopi job reprocess 'p/!1' runs it once more"


@pytest.mark.parametrize(
    ("keys", "ticks", "expected"),
    [
        (
            "retry: {max: 1, delay: 1h}",
            1,
            "waits for its retry at 2026-01-01T01:00:00Z; attempt 1 of 2 failed",
        ),
        ("start_deadline: 10s, groups: [nowhere]", 2, "missed: not started by 2026-01-01T00:00:10Z"),
        ("deadline: {after: created, within: 10s, then: fail}, groups: [nowhere]", 2, "not finished by 2026"),
    ],
)
def test_a_time_in_an_answer_has_no_fraction_of_a_second(
    world_of: Make, keys: str, ticks: int, expected: str
) -> None:
    world = world_of(f'processes: {{p: {{executes: "python:a:b", {keys}}}}}')
    world.worker("w1")
    world.now += timedelta(microseconds=789)
    job = world.launch("p", "!1")
    world.tick()
    for attempt in world.claim():
        world.end(attempt, "failed")
    for _ in range(ticks):
        world.tick(world.now + timedelta(seconds=10))
    answer = world.why(job)
    assert expected in answer["reason"]
    assert not re.search(r"\d\.\d+Z", answer["reason"])
