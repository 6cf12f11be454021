"""RetryRounds: a failed job waits in the store before this node lets it go, and is ready when due."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import StoreError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.retries.retry_rounds import RetryRounds
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob, Postponed, TakenJob, WaitingJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import Store
from scoopi.store.settling_store import SettlingStore
from tests.store.faulty_store import Faults, FaultyStore

HOST = "one.example:80"


class Harness:
    def __init__(self, store: Store) -> None:
        self.jobs = JobStore(store, "ann")
        self.held, self.inbox = HeldJobs(), JobInbox()
        self.postponed = 0
        self.rounds = RetryRounds(self.jobs.waiting, self.held, self.inbox, self._note)

    def _note(self) -> None:
        assert not self.inbox.postponed
        self.postponed += 1

    def fails(self, *names: str, wait_ms: int = 0, host: str = HOST) -> list[TakenJob]:
        """Jobs are taken, and their pages fail to load."""
        self.jobs.put(
            [NewJob(name, host, JobPayload(Locator(name, "g", "http://x/"), name)) for name in names]
        )
        taken = self.jobs.take(host, len(names))
        self.held.add(job.id for job in taken)
        for job in taken:
            self.inbox.postpone(Postponed(job.id, job.fence, wait_ms, "timeout"))
        return taken


def test_a_job_that_waits_is_not_held_and_the_node_is_not_idle(store: SettlingStore) -> None:
    harness = Harness(store)
    harness.fails("a", "b", wait_ms=60_000)
    harness.rounds.postpone()
    assert harness.held.is_idle(), "a shutdown must not wait for it"
    assert not harness.held.load().idle, "the run is not over"
    assert len(harness.held.waiting) == 2
    harness.rounds.make_ready()
    assert harness.jobs.take(HOST, 2) == []


def test_a_round_that_moved_jobs_into_their_wait_is_reported_once(store: SettlingStore) -> None:
    harness = Harness(store)
    harness.rounds.postpone()
    assert harness.postponed == 0
    harness.fails("a", "b", wait_ms=60_000)
    harness.rounds.postpone()
    harness.rounds.postpone()
    assert harness.postponed == 1


def test_a_due_job_is_taken_again_and_its_host_is_named(store: SettlingStore) -> None:
    harness = Harness(store)
    harness.fails("a")
    harness.rounds.postpone()
    harness.rounds.make_ready()
    assert harness.inbox.take_new_hosts() == [HOST]
    assert [job.tried for job in harness.jobs.take(HOST, 1)] == [("timeout",)]
    assert harness.held.load().idle


def test_a_store_that_fails_a_round_loses_no_job(tmp_path: Path, store: SettlingStore) -> None:
    harness, failures = Harness(store), 0
    for number in range(20):
        harness.fails(f"job{number}", host=f"host{number}")
        faults = Faults(lost_answers=0.5, torn=0.5, unreadable=0.5)
        faulty = JobStore(SettlingStore(FaultyStore(store, faults, seed=number), tries=1), "ann")
        rounds = RetryRounds(faulty.waiting, harness.held, harness.inbox)
        while harness.inbox.postponed or harness.held.waiting:
            try:
                rounds.postpone()
                rounds.make_ready()
            except StoreError:
                failures += 1
    assert failures
    taken = [harness.jobs.take(f"host{number}", 1)[0] for number in range(20)]
    assert [(job.id, job.tried) for job in taken] == [(f"job{number}", ("timeout",)) for number in range(20)]


def test_jobs_that_a_dead_node_left_waiting_are_waited_for_here(store: SettlingStore) -> None:
    harness, bob = Harness(store), JobStore(store, "bob")
    harness.fails("a")
    harness.rounds.postpone()
    adopted = bob.waiting.adopt("ann")
    assert adopted == [WaitingJob("a", HOST, 0)]
    inbox, held = JobInbox(), HeldJobs()
    inbox.adopt(adopted)
    rounds = RetryRounds(bob.waiting, held, inbox)
    rounds.postpone()
    rounds.make_ready()
    assert [job.id for job in bob.take(HOST, 1)] == ["a"]


@pytest.mark.parametrize("made_ready", [True, False])
def test_what_the_store_says_of_a_job_that_is_known_here_changes_nothing(
    store: SettlingStore, made_ready: bool
) -> None:
    harness = Harness(store)
    harness.fails("a", wait_ms=0 if made_ready else 60_000)
    harness.rounds.postpone()
    harness.inbox.adopt(harness.jobs.waiting.here())
    if made_ready:
        harness.rounds.make_ready()
    harness.rounds.postpone()
    harness.rounds.make_ready()
    assert len(harness.jobs.take(HOST, 2)) == made_ready
