"""Keys of the scheduler's records: by them a map lists the jobs of a process in the order of their slots."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import (
    LIVE,
    AttemptRecord,
    JobRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.store.schedule.record_keys import SHARED, job_key, log_key, record_key

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def attempt(number: int) -> AttemptRecord:
    return AttemptRecord(
        process="books", slot="#7", number=number, status="running", phase=LIVE, bundle="", created=NOW
    )


def test_the_jobs_of_a_process_sort_by_the_numbers_of_their_slots() -> None:
    jobs = ["books/#2", "books/#10", "books/#9"]

    assert sorted(jobs, key=job_key) == ["books/#2", "books/#9", "books/#10"]


def test_an_attempt_has_the_key_of_its_job_and_its_number() -> None:
    job = JobRecord(process="books", slot="#7", state="embryo", phase="active", created=NOW, changed=NOW)

    assert record_key(job) == job_key("books/#7")
    assert record_key(attempt(12)) == f"{record_key(job)}/000012"
    assert record_key(attempt(9)) < record_key(attempt(12))


def test_the_log_of_a_further_node_is_kept_behind_that_of_the_first() -> None:
    first, second = log_key(attempt(1), FIRST_NODE), log_key(attempt(1), 2)

    assert (first, second) == (record_key(attempt(1)), f"{first}/0002")


def test_other_records_have_the_key_that_they_are_named_by() -> None:
    assert record_key(WorkerRecord(worker="one", incarnation="i")) == "one"
    assert record_key(SchedulerRecord()) == SHARED
