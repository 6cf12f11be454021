"""Decision: its row says what changes, and a change is a new version."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scoopi.model.schedule.schedule_records import ACTIVE, UNSETTLED, JobRecord
from scoopi.scheduler.decisions import Decision, canceled, changed
from tests.scheduler.scenarios.records import attempt_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobRecord(process="books", slot="!1", state="embryo", phase=ACTIVE, created=NOW, changed=NOW)
PENDING = attempt_of(process="books", status="pending")


def test_a_row_has_the_record_and_both_states() -> None:
    moved = changed(JOB, state="in_progress")
    assert Decision("job_moved", JOB, moved, "3 live", "why").row() == {
        "decision": "job_moved",
        "job": "books/!1",
        "to": "in_progress",
        "from": "embryo",
        "gate": "3 live",
        "reason": "why",
    }
    made = Decision("attempt_made", None, PENDING).row()
    assert (made["attempt"], made["to"], made["from"], made["gate"]) == ("books/!1/1", "pending", None, None)


def test_a_change_is_the_next_version() -> None:
    assert changed(changed(JOB, attempts=1), attempts=2).version == JOB.version + 2


def test_an_attempt_that_nobody_runs_is_cancelled_at_once_and_another_gets_a_wish() -> None:
    over = canceled(PENDING, NOW, "kill", "no longer needed")
    assert (over.status, over.phase, over.ended, over.explanation) == (
        "canceled",
        UNSETTLED,
        NOW,
        "no longer needed",
    )
    asked = canceled(changed(PENDING, status="running"), NOW, "drain", "no longer needed")
    assert (asked.status, asked.wish, asked.wish_mode, asked.wished) == ("running", "cancel", "drain", NOW)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("drain", "step", "step"),
        ("step", "kill", "kill"),
        ("step", "drain", "step"),
        ("kill", "step", "kill"),
        ("step", "step", "step"),
    ],
)
def test_a_cancel_is_repeated_in_a_harder_mode_and_never_softened(first: str, then: str, kept: str) -> None:
    asked = canceled(changed(PENDING, status="running"), NOW, first, "by ann")
    later = NOW + timedelta(seconds=5)

    again = canceled(asked, later, then, "by bob")

    assert (again.wish, again.wish_mode, again.explanation) == ("cancel", kept, "by bob")
    assert again.wished == (later if kept != first else NOW), (
        "the signal counts from the request that sent it"
    )
