"""SendingJobs: who takes a job after a crash knows that its request may have been sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.jobs.job_records import NewJob, Postponed, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import Store
from scoopi.store.postgresql.postgres_client import PostgresClient
from scoopi.store.postgresql.postgres_store import PostgresStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.store.faulty_store import Faults, FaultyStore, NodeDied

HOST = "a.example:80"
FAULTS = {
    "sqlite, first answers lost": Faults(lose_first_answers=True),
    "sqlite, delivered twice": Faults(deliver_twice=True),
    "sqlite, torn": Faults(torn=0.3, lost_answers=0.2, deliver_twice=True),
}


@pytest.fixture(params=["sqlite", *FAULTS, "postgresql", "hazelcast"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Of every backend, and one that loses answers, delivers twice and fails halfway."""
    with ExitStack() as stack:
        if request.param == "hazelcast":
            yield stack.enter_context(new_run(request.getfixturevalue("cluster")))
            return
        if request.param == "postgresql":
            client = PostgresClient(parse_store_url(request.getfixturevalue("store_database")))
            stack.callback(client.close)
            yield PostgresStore(client, request.node.name)
            return
        plain = SqliteStore(tmp_path / "store.db")
        stack.callback(plain.close)
        faults = FAULTS.get(request.param)
        yield plain if faults is None else SettlingStore(FaultyStore(plain, faults, seed=16), tries=60)


@pytest.fixture
def jobs(store: Store) -> JobStore:
    jobs = JobStore(store, "one")
    jobs.put([NewJob("a", HOST, JobPayload(Locator("a", "page", "http://a.example/"), "a"))])
    return jobs


def taken_job(jobs: JobStore) -> TakenJob:
    (job,) = jobs.take(HOST, 1)
    return job


def test_a_note_survives_a_crash(store: Store, jobs: JobStore) -> None:
    job = taken_job(jobs)
    assert jobs.sending.note([job]) == [job]
    assert jobs.sending.note([job]) == [job], "as after an answer that was lost"
    other = JobStore(store, "two")
    other.take_back("one")
    again = taken_job(other)
    assert again.sent
    other.hand_back([again])
    assert taken_job(other).sent, "this node has not made the note"


def test_without_a_note_nothing_was_sent(store: Store, jobs: JobStore) -> None:
    taken_job(jobs)
    other = JobStore(store, "two")
    other.take_back("one")
    assert not taken_job(other).sent


def test_a_job_that_is_handed_back_or_tried_again_loses_the_note(jobs: JobStore) -> None:
    job = taken_job(jobs)
    jobs.sending.note([job])
    jobs.hand_back([job])
    again = taken_job(jobs)
    assert not again.sent
    jobs.sending.note([again])
    jobs.waiting.postpone([Postponed("a", again.fence, 0, "connect")])
    jobs.waiting.make_ready(["a"])
    assert not taken_job(jobs).sent


def test_a_job_that_others_have_is_not_noted(store: Store, jobs: JobStore) -> None:
    job = taken_job(jobs)
    JobStore(store, "two").take_back("one")
    assert jobs.sending.note([job]) == []


@pytest.mark.parametrize("writes", range(3))
def test_a_node_that_dies_while_it_notes_has_sent_nothing_and_one_that_has_noted_is_believed(
    store: Store, jobs: JobStore, writes: int
) -> None:
    job = taken_job(jobs)
    dying = JobStore(SettlingStore(FaultyStore(store, Faults(dies_after=writes))), "one")
    may_send = False
    try:
        may_send = dying.sending.note([job]) == [job]
    except NodeDied:
        assert writes == 0, "a note is one write"
    other = JobStore(store, "two")
    other.take_back("one")
    assert taken_job(other).sent == may_send
