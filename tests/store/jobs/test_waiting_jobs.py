"""Jobs that wait for another attempt, on both twins: a state of the store, which survives its node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.errors import RecordError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Ended, Ending, NewJob, Postponed, TakenJob, WaitingJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import HOSTS, Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.store.faulty_store import Faults, FaultyStore

HOST = "shop.example:443"
WAIT_MS = 4000


@pytest.fixture(params=["sqlite", "sqlite-torn", "hazelcast"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "hazelcast":
        with new_run(request.getfixturevalue("cluster")) as grid:
            yield SettlingStore(grid)
        return
    inner = SqliteStore(tmp_path / "store.db")
    faults = Faults(torn=0.3, lost_answers=0.2, deliver_twice=True)
    yield SettlingStore(FaultyStore(inner, faults, seed=3), tries=60) if "torn" in request.param else inner
    inner.close()


def put(jobs: JobStore, *ids: str) -> None:
    jobs.put(
        [NewJob(job, HOST, JobPayload(Locator(job, "books", f"https://{HOST}/{job}"), job)) for job in ids]
    )


def failed(job: TakenJob, reason: str = "timeout") -> Postponed:
    return Postponed(job.id, job.fence, WAIT_MS, reason)


def waiting(job: TakenJob) -> WaitingJob:
    return WaitingJob(job.id, HOST, WAIT_MS)


def test_a_job_that_waits_is_not_taken_and_not_ended(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1", "j2")
    first, second = ann.take(HOST, 2)
    assert ann.waiting.postpone([failed(first), failed(second)]) == [waiting(first), waiting(second)]
    assert ann.take(HOST, 2) == bob.take(HOST, 2) == []
    assert ann.taken() == []
    assert (ann.left(), ann.nothing_left()) == (2, False)
    ann.refuse_strays()
    assert ann.waiting.count("ann") == 2


def test_a_job_is_ready_again_for_any_node_and_knows_its_attempts(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1")
    for fence, reason in enumerate(("connect", "status 503"), 1):
        (taken,) = ann.take(HOST, 1)
        assert taken.fence == fence
        ann.waiting.postpone([failed(taken, reason)])
        ann.waiting.make_ready(["j1"])
    (taken,) = bob.take(HOST, 1)
    assert taken.tried == ("connect", "status 503")
    assert bob.finished.end([Ending("j1", taken.fence, JobState.DONE)]) == [True]
    assert bob.finished.ended(["j1"]) == {"j1": Ended("bob", 3, JobState.DONE)}


def test_the_end_of_an_attempt_that_was_given_up_does_not_count(ann: JobStore) -> None:
    put(ann, "j1")
    (taken,) = ann.take(HOST, 1)
    ann.waiting.postpone([failed(taken)])
    assert ann.finished.end([Ending("j1", taken.fence, JobState.DONE)]) == [False]
    ann.waiting.make_ready(["j1"])
    assert [job.fence for job in ann.take(HOST, 1)] == [2]


def test_a_postponement_that_is_made_again_counts_one_attempt(ann: JobStore) -> None:
    put(ann, "j1")
    (taken,) = ann.take(HOST, 1)
    for _ in range(2):
        assert ann.waiting.postpone([failed(taken)]) == [waiting(taken)]
    ann.waiting.make_ready(["j1"])
    assert [job.tried for job in ann.take(HOST, 1)] == [("timeout",)]


def test_a_job_that_was_taken_from_its_node_does_not_wait_there(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1")
    (taken,) = ann.take(HOST, 1)
    bob.take_back("ann")
    assert ann.waiting.postpone([failed(taken)]) == []
    (again,) = bob.take(HOST, 1)
    assert ann.waiting.postpone([failed(taken)]) == []
    assert again.tried == ()


def test_a_waiting_job_of_a_dead_node_waits_the_whole_time_at_another(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1", "j2")
    first, second = ann.take(HOST, 2)
    ann.waiting.postpone([failed(first)])
    bob.take_back("ann")
    assert bob.waiting.adopt("ann") == [waiting(first)]
    assert bob.waiting.adopt("ann") == []
    assert bob.waiting.here() == [waiting(first)]
    ann.waiting.make_ready([first.id])  # it wakes up, and its job is no longer its own
    assert [job.id for job in ann.take(HOST, 2)] == [second.id]
    bob.waiting.make_ready([first.id])
    (again,) = bob.take(HOST, 2)
    assert (again.id, again.tried) == (first.id, ("timeout",))


def test_a_job_is_adopted_by_one_node_only(ann: JobStore, bob: JobStore, store: Store) -> None:
    put(ann, "j1")
    (taken,) = ann.take(HOST, 1)
    ann.waiting.postpone([failed(taken)])
    cid = JobStore(store, "cid")
    assert (bob.waiting.adopt("ann"), cid.waiting.adopt("ann")) == ([waiting(taken)], [])


def test_making_ready_leaves_a_job_that_does_not_wait_here_as_it_is(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1", "j2")
    (taken,) = ann.take(HOST, 1)
    ann.waiting.make_ready([taken.id, "gone"])
    assert [job.id for job in ann.taken()] == [taken.id]
    bob.waiting.make_ready([taken.id])
    assert [job.id for job in ann.taken()] == [taken.id]


def test_a_ready_job_whose_host_the_run_does_not_have_is_named(ann: JobStore, store: Store) -> None:
    put(ann, "j1")
    ann.refuse_strays()
    store.delete_all(HOSTS, [HOST])
    with pytest.raises(RecordError, match="the run does not know its host"):
        ann.refuse_strays()


def test_packs_that_wait_to_be_unpacked_are_known_by_their_host(ann: JobStore, store: Store) -> None:
    put(ann, "j1")
    (first,) = ann.take(HOST, 1)
    ann.put_packed(HOST, 0, [NewJob("j2", HOST, first.payload)])
    ann.finished.end([Ending("j1", first.fence, JobState.DONE)])
    assert not ann.nothing_left(), "the node that is about to unpack them may be idle for a moment"
    ann.refuse_strays()
    store.delete_all(HOSTS, [HOST])
    with pytest.raises(RecordError, match="the run does not know its host"):
        ann.refuse_strays()


def test_a_job_that_nobody_knows_any_more_does_not_wait(ann: JobStore) -> None:
    put(ann, "j1")
    (job,) = ann.take(HOST, 1)
    unknown = Postponed("j2", 1, WAIT_MS, "timeout")
    assert ann.waiting.postpone([unknown, failed(job)]) == [waiting(job)]
    assert ann.waiting.here() == [waiting(job)]
    assert ann.waiting.postpone([]) == []


def test_jobs_that_wait_are_counted_for_each_node(ann: JobStore, bob: JobStore) -> None:
    put(ann, "j1", "j2", "j3")
    ann.waiting.postpone([failed(job) for job in ann.take(HOST, 2)])
    bob.waiting.postpone([failed(job) for job in bob.take(HOST, 1)])
    assert [ann.waiting.count(name) for name in ("ann", "bob", "cid")] == [2, 1, 0]
    assert len(ann.waiting.adopt("bob")) == 1
    assert [ann.waiting.count(name) for name in ("ann", "bob")] == [3, 0]
