"""WorkerSessions: a worker uses what it has learned, with the changes of its own pages."""

from __future__ import annotations

from scoopi.model.site_session import Session
from scoopi.steps.worker_sessions import WorkerSessions

LINE = "a.example\tFALSE\t/\tFALSE\t0\tsid\t1"


def test_own_changes_are_used_at_once_and_reported_once() -> None:
    sessions = WorkerSessions()
    sessions.note("s", "job", [], [LINE])
    assert list(sessions.get("s").cookies.values()) == [LINE]
    assert [change.job for change in sessions.take()] == ["job"]
    assert sessions.take() == []


def test_what_the_parent_knows_is_taken_over() -> None:
    sessions = WorkerSessions()
    sessions.learn(Session("s", version=2))
    assert sessions.get("s").version == 2
