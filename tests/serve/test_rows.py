"""Rows: jobs and attempts as verbs print them, with instants as text and nothing for what is empty."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.model.schedule.schedule_records import ACTIVE, JobRecord
from scoopi.serve.rows import attempt_row, job_row
from tests.scheduler.scenarios.records import attempt_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_job_is_shown_by_its_id() -> None:
    job = JobRecord(process="books", slot="!1", state="embryo", phase=ACTIVE, created=NOW, changed=NOW)
    row = job_row(job, None)
    assert (row["job"], row["created"], row["reason"]) == ("books/!1", "2026-01-01T00:00:00Z", None)


def test_an_attempt_that_has_not_begun_has_no_worker_and_no_times() -> None:
    attempt = attempt_of(process="books", number=2, status="pending", outputs={"at": NOW})
    row = attempt_row(attempt)
    assert (row["attempt"], row["n"], row["worker"], row["started"]) == ("books/!1/2", 2, None, None)
    assert row["outputs"] == {"at": "2026-01-01T00:00:00Z"}, "as JSON has it"
