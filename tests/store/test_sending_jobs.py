"""SendingJobs: who takes a job after a crash knows that its request may have been sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.pages.job_records import NewJob, Postponed, TakenJob
from scoopi.store.pages.job_store import JobStore
from scoopi.store.solo.sqlite_store import SqliteStore

HOST = "a.example:80"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "store.db")


@pytest.fixture
def jobs(store: SqliteStore) -> JobStore:
    jobs = JobStore(store, "one")
    jobs.put([NewJob("a", HOST, JobPayload(Locator("a", "page", "http://a.example/"), "a"))])
    return jobs


def taken(jobs: JobStore) -> TakenJob:
    (job,) = jobs.take(HOST, 1)
    return job


def test_a_note_survives_a_crash(store: SqliteStore, jobs: JobStore) -> None:
    job = taken(jobs)
    assert jobs.sending.note([job]) == [job]
    assert jobs.sending.note([job]) == [job], "as after an answer that was lost"
    other = JobStore(store, "two")
    other.take_back("one")
    again = taken(other)
    assert again.sent
    other.hand_back([again])
    assert taken(other).sent, "this node has not made the note"


def test_without_a_note_nothing_was_sent(store: SqliteStore, jobs: JobStore) -> None:
    taken(jobs)
    other = JobStore(store, "two")
    other.take_back("one")
    assert not taken(other).sent


def test_a_job_that_is_handed_back_or_tried_again_loses_the_note(jobs: JobStore) -> None:
    job = taken(jobs)
    jobs.sending.note([job])
    jobs.hand_back([job])
    again = taken(jobs)
    assert not again.sent
    jobs.sending.note([again])
    jobs.waiting.postpone([Postponed("a", again.fence, 0, "connect")])
    jobs.waiting.make_ready(["a"])
    assert not taken(jobs).sent


def test_a_job_that_others_have_is_not_noted(store: SqliteStore, jobs: JobStore) -> None:
    job = taken(jobs)
    JobStore(store, "two").take_back("one")
    assert jobs.sending.note([job]) == []
