"""The scheduler's records: how jobs and attempts are named, and that old records can be read."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord, SchedulerRecord, WorkerRecord

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobRecord(
    process="shop.books", slot="D:2026010100", state="embryo", phase="active", created=NOW, changed=NOW
)
ATTEMPT = AttemptRecord(
    process="shop.books", slot="!7", number=12, status="pending", phase="live", bundle="b", created=NOW
)


def test_jobs_and_attempts_are_named_by_process_slot_and_number() -> None:
    assert JOB.job == "shop.books/D:2026010100"
    assert (ATTEMPT.job, ATTEMPT.attempt) == ("shop.books/!7", "shop.books/!7/12")


def test_a_record_comes_back_as_it_was_written() -> None:
    for record in (JOB, ATTEMPT, WorkerRecord(worker="w", incarnation="i"), SchedulerRecord()):
        assert msgspec.json.decode(msgspec.json.encode(record), type=type(record)) == record


def test_a_record_of_an_earlier_version_lacks_fields_and_can_be_read() -> None:
    required = {"process": "p", "slot": "!1", "state": "embryo", "phase": "active"}
    job = msgspec.convert({**required, "created": NOW, "changed": NOW}, JobRecord)
    assert (job.attempts, job.held, job.inputs, job.changes, job.version) == (0, False, {}, (), 0)
