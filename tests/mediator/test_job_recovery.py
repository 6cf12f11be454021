"""JobRecovery: what a node does about jobs that others hold, and about a run that ended without it."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import RunError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_recovery import JobRecovery, RecoveryCalls
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob, Postponed
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, marks_of
from scoopi.store.ports import JOBS, RUN, Store
from scoopi.store.runs.run_record import RunPhase, RunRecord

HOST, JOB = "one.example:80", "0" * 32


class Harness:
    """A node that recovers, and another one that dies; `heard` is what the first one reports."""

    def __init__(self, store: Store) -> None:
        self.heard: list[str] = []
        self.waiting: list[str] = []
        self.committed: JobState | None = None
        self.store, self.held = store, HeldJobs()
        self.mine, self.other = JobStore(store, "mine"), JobStore(store, "other")
        self.record = RunRecord(store, "mine")
        self.record.create("run")
        self.mine.put([NewJob(JOB, HOST, JobPayload(Locator("page", "group", HOST), JOB))])
        calls = RecoveryCalls(
            lambda job, fence: self.committed,
            lambda jobs: self.waiting.extend(each.id for each in jobs),
            *(self._hears(name) for name in ("taken back", "recall", "ended", "keep")),
        )
        membership = Membership(store, "mine", "one", 20, 150)
        Membership(store, "other", "two", 20, 150).beat(NodeLoad(1, False))
        self.recovery = JobRecovery(membership, self.mine, self.record, self.held, "run", calls)

    def _hears(self, name: str) -> Any:
        return lambda: self.heard.append(name)


@pytest.fixture
def harness(store: Store) -> Harness:
    return Harness(store)


def test_that_the_run_has_ended_is_reported_once(harness: Harness) -> None:
    assert harness.recovery.phase() is RunPhase.RUNNING
    assert harness.recovery.may_return()
    assert harness.heard == ["recall"]
    harness.record.to_ending()
    assert [harness.recovery.phase() for _ in range(2)] == [RunPhase.ENDING] * 2
    assert harness.heard == ["recall", "recall", "ended"]
    assert harness.recovery.may_return()
    harness.record.to_over()
    assert not harness.recovery.may_return()


def test_a_run_that_the_store_does_not_know_is_lost(harness: Harness) -> None:
    harness.store.delete_all(RUN, [key for key, _ in harness.store.scan(RUN, None, 100)])
    with pytest.raises(RunError, match="its data is lost"):
        harness.recovery.phase()
    with pytest.raises(RunError, match="the run's data is lost"):
        harness.recovery.reconcile()


@pytest.mark.parametrize(("dead", "lost"), [(True, 1), (False, 0)])
def test_jobs_of_a_node_that_is_gone_are_ready_again_and_counted_if_it_is_dead(
    harness: Harness, dead: bool, lost: int, caplog: pytest.LogCaptureFixture
) -> None:
    harness.other.take(HOST, 1)
    harness.recovery.take_back(*([["other"], []] if dead else [[], ["other"]]))
    assert harness.heard == ["taken back"]
    how = "is lost" if dead else "has left"
    assert f"jobs of node two, which {how}, are ready again: 1" in caplog.text
    (job,) = harness.mine.take(HOST, 1)
    assert job.lost == lost


def test_a_dead_node_is_taken_from_once_unless_it_comes_back(harness: Harness) -> None:
    harness.other.take(HOST, 1)
    harness.recovery.take_back(["other"], [])
    harness.other.take(HOST, 1)
    harness.recovery.take_back(["other"], [])
    assert harness.mine.ready(HOST) == 0
    harness.recovery.take_back([], [])
    harness.recovery.take_back(["other"], [])
    assert harness.mine.ready(HOST) == 1


def test_what_a_dead_node_had_sent_before_its_end_is_found_by_the_next_round(harness: Harness) -> None:
    harness.recovery.take_back(["other"], [])
    harness.other.take(HOST, 1)
    harness.recovery.reconcile()
    assert harness.heard == ["keep"]
    harness.recovery.take_back(["other"], [])
    assert harness.mine.ready(HOST) == 1


def test_jobs_that_waited_at_a_dead_node_wait_here(harness: Harness) -> None:
    (job,) = harness.other.take(HOST, 1)
    harness.other.waiting.postpone([Postponed(job.id, job.fence, 1000, "timeout")])
    harness.recovery.take_back(["other"], [])
    assert harness.waiting == [JOB]
    harness.recovery.reconcile()
    assert harness.waiting == [JOB, JOB], "those that wait here by the store are named in each round"


def test_a_job_that_others_have_taken_back_is_dropped_and_one_that_was_committed_is_ended(
    harness: Harness,
) -> None:
    (job,) = harness.mine.take(HOST, 1)
    harness.held.add([job.id])
    harness.other.take_back("mine")
    for _ in range(2):
        harness.recovery.reconcile()
    assert harness.heard.count("recall") == 1
    harness.held.remove([job.id])
    harness.mine.take(HOST, 1)
    harness.committed = JobState.DONE
    for _ in range(2):
        harness.recovery.reconcile()
    assert harness.mine.finished.ended([JOB])[JOB].state is JobState.DONE


def test_a_half_ended_job_of_a_dead_node_is_finished_by_the_next_round(harness: Harness) -> None:
    """Else it would count as left until the end of the run."""
    record = b'{"fence":1,"host":"h","incarnation":"old","lost":0,"state_key":"E","state":"DONE"}'
    job = "1" * 32
    harness.store.put_if_absent_all(JOBS, [(job, record)])
    harness.recovery.reconcile()
    assert harness.mine.finished.ended([job])[job].state is JobState.DONE
    assert harness.store.get_all(JOBS, [job]) == {}


def test_only_jobs_that_a_dead_nodes_workers_had_count_as_lost_with_it(store: Store) -> None:
    harness = Harness(store)
    second = "2" * 32
    harness.mine.put([NewJob(second, HOST, JobPayload(Locator("page", "group", "/2"), second))])
    harness.other.take(HOST, 2)
    Membership(store, "other", "two", 20, 150).beat(NodeLoad(2, False, given=marks_of([JOB])))
    harness.recovery.take_back(["other"], [])
    assert {job.id: job.lost for job in harness.mine.take(HOST, 2)} == {JOB: 1, second: 0}


def test_what_an_earlier_process_of_this_node_left_is_not_called_another_nodes(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    harness = Harness(store)
    second = "2" * 32
    harness.mine.put([NewJob(second, HOST, JobPayload(Locator("page", "group", "/2"), second))])
    before = JobStore(store, "before")
    Membership(store, "before", "one", 20, 150).beat(NodeLoad(1, False))
    first, *_ = before.take(HOST, 2)
    before.waiting.postpone([Postponed(first.id, first.fence, 1000, "timeout")])
    harness.recovery.take_back(["before", "unknown"], [])
    assert caplog.messages == [
        "jobs of an earlier process wait here for another attempt: 1",
        "jobs of an earlier process are ready again: 1",
    ]
