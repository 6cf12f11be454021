"""Snapshot: the questions that a pass asks of its records."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scoopi.model.schedule.schedule_records import (
    LIVE,
    UNSETTLED,
    AttemptRecord,
    Backfill,
    JobRecord,
    WorkerRecord,
)
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.snapshot import Snapshot
from tests.scheduler.scenarios.records import attempt_of
from tests.scheduler.scenarios.world import START

OLDEST = Backfill("b", "allow")
NEWEST = Backfill("n", "allow", newest_first=True)


def job(slot: str, process: str = "p", **fields: Any) -> JobRecord:
    given: dict[str, Any] = {
        "state": "embryo",
        "phase": "active",
        "created": START,
        "changed": START,
    } | fields
    return JobRecord(process=process, slot=slot, **given)


def attempt(slot: str, status: str = "running", phase: str = LIVE) -> AttemptRecord:
    return attempt_of(slot=slot, status=status, phase=phase, created=START)


def snapshot(*jobs: JobRecord, **fields: Any) -> Snapshot:
    return Snapshot(START, Schedule({}), "b", jobs={each.job: each for each in jobs}, **fields)


def test_active_jobs_come_by_age_then_by_slot_and_those_of_backfills_last() -> None:
    later = START + timedelta(hours=1)
    jobs = [
        job("@4", backfill=NEWEST, due=START),
        job("@5", backfill=NEWEST, due=later),
        job("@3", created=later),
        job("@2"),
        job("@1"),
        job("@0", phase="past"),
        job("@6", created=START - timedelta(days=1), backfill=OLDEST),
    ]
    found = snapshot(*jobs)
    assert [each.slot for each in found.active] == ["@1", "@2", "@3", "@6", "@5", "@4"]
    assert found.turns["p/@3"] == 2


def test_only_attempts_that_have_not_ended_are_live() -> None:
    found = snapshot(attempts=[attempt("@1"), attempt("@2", "succeeded"), attempt("@3", "error", UNSETTLED)])
    assert [each.slot for each in found.live_of["p"]] == ["@1"]
    assert [*found.attempt_of] == ["p/@1", "p/@2", "p/@3"], "an unsettled one is its job's still"


def test_live_jobs_of_a_backfill_are_counted_by_its_name() -> None:
    jobs = [job("@1", backfill=OLDEST), job("@2", backfill=OLDEST), job("@3", backfill=NEWEST), job("@4")]
    found = snapshot(*jobs, attempts=[attempt(f"@{number}") for number in (1, 2, 3, 4, 5)])
    assert found.running_of_backfill == {("p", "b"): 2, ("p", "n"): 1}
    assert [found.is_backfill(each) for each in found.attempts] == [True, True, True, False, False]


@pytest.mark.parametrize(("beat", "is_lost"), [(None, False), (0, True), (6, True), (7, False), (10, False)])
def test_a_worker_is_lost_when_it_missed_more_heartbeats_than_the_gap(
    beat: int | None, is_lost: bool
) -> None:
    found = snapshot(beat=10)
    assert found.schedule.settings.liveness.gap == 3
    assert found.is_lost(WorkerRecord(worker="w", incarnation="1", beat=beat)) is is_lost


def test_a_worker_without_heartbeats_is_lost_when_its_record_says_so() -> None:
    assert snapshot().is_lost(WorkerRecord(worker="w", incarnation="1", state="lost"))


def test_the_state_of_a_job_that_never_was_is_not_known() -> None:
    found = snapshot(job("@1", state="processed"))
    assert found.state_of("p", "@1") == "processed"
    assert found.state_of("p", "@2") is None
    assert found.state_of("q", "@1") is None
