"""A run is over when nothing is left and nobody has taken anything around the scan that says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.errors import RecordError, RunError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.ports import ENDED, JOBS, RUN, Store
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_record import RunPhase, RunRecord
from tests.clock import Clock


def new_job(job: str) -> NewJob:
    return NewJob(job, "h", JobPayload(Locator(job, "g", job), seed=job))


class Node:
    """One node's part in the run; `load` is what it does just now."""

    def __init__(self, store: Store, incarnation: str, clock: Clock) -> None:
        self.load = NodeLoad(0, True)
        self.run = RunRecord(store, incarnation)
        self.run.create("r1")
        self.jobs = JobStore(store, incarnation)
        self.membership = Membership(store, incarnation, incarnation, clocks=NodeClocks(clock, clock))
        self.end = CompletionCheck(self.run, self.jobs, self.membership, incarnation, lambda: self.load)
        self.beat()

    def beat(self) -> None:
        self.membership.beat(self.load)


Born = Callable[[str], Node]


@pytest.fixture
def born(store: Store, clock: Clock) -> Born:
    return lambda incarnation: Node(store, incarnation, clock)


@pytest.fixture
def ann(born: Born) -> Node:
    ann = born("ann")
    ann.run.mark_seeded()
    return ann


def test_a_run_on_one_machine_is_over_at_the_first_asking(ann: Node) -> None:
    assert ann.end.is_over()
    state = ann.run.read()
    assert state is not None
    assert state.phase is RunPhase.RUNNING


def test_a_run_that_is_not_seeded_is_not_over(born: Born) -> None:
    ann = born("ann")
    assert not ann.end.is_over()
    ann.run.mark_seeded()
    assert ann.end.is_over()


def test_a_run_of_which_another_node_said_so_is_over(ann: Node, born: Born) -> None:
    ann.load = NodeLoad(5, False)
    born("bob").run.to_ending()
    assert ann.end.is_over()


def test_a_run_whose_record_is_gone_is_not_over_but_lost(ann: Node, store: Store) -> None:
    store.delete_all(RUN, ["run"])
    with pytest.raises(RunError, match="lost"):
        ann.end.is_over()


def test_a_run_with_a_job_ready_or_taken_is_not_over(ann: Node) -> None:
    ann.jobs.put([new_job("j1")])
    assert not ann.end.is_over()
    (job,) = ann.jobs.take("h", 1)
    assert not ann.end.is_over()
    ann.jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)])
    assert ann.end.is_over()


def test_a_half_ended_job_is_finished_before_the_run_is_over(ann: Node, store: Store) -> None:
    record = b'{"fence":1,"host":"h","incarnation":"old","lost":0,"state_key":"E","state":"DONE"}'
    store.put_if_absent_all(JOBS, [("j1", record)])
    assert ann.end.is_over()
    assert store.count(ENDED) == 1


def test_a_run_whose_node_is_busy_is_not_over(ann: Node) -> None:
    ann.load = NodeLoad(1, False)
    assert not ann.end.is_over()


def test_another_node_must_be_idle_too(ann: Node, born: Born) -> None:
    bob = born("bob")
    bob.load = NodeLoad(1, False)
    for _ in range(5):
        bob.beat()
        assert not ann.end.is_over()


def test_another_nodes_idleness_is_believed_after_two_more_heartbeats(ann: Node, born: Born) -> None:
    bob = born("bob")
    assert not ann.end.is_over()
    bob.beat()
    assert not ann.end.is_over()
    bob.beat()
    assert ann.end.is_over()


def test_a_take_around_the_scan_restarts_it(ann: Node, born: Born) -> None:
    """Bob took a job, ended it and put its child while Ann scanned: she may have met neither."""
    bob = born("bob")
    assert not ann.end.is_over()
    bob.load = NodeLoad(1, True)
    ann.jobs.put([new_job("child")])
    for _ in range(4):
        bob.beat()
        assert not ann.end.is_over()
    (job,) = bob.jobs.take("h", 1)
    bob.jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)])
    assert not ann.end.is_over()
    bob.beat()
    bob.beat()
    assert ann.end.is_over()


def test_a_take_of_this_node_around_the_scan_restarts_it(ann: Node, store: Store) -> None:
    class TakesMeanwhile(JobStore):
        def nothing_left(self) -> bool:
            ann.load = ann.load._replace(takes=ann.load.takes + 1)
            return True

    jobs = TakesMeanwhile(store, "ann")
    assert not CompletionCheck(ann.run, jobs, ann.membership, "ann", lambda: ann.load).is_over()


def test_a_job_that_this_node_still_had_before_the_scan_may_have_left_others(ann: Node, store: Store) -> None:
    class EndsMeanwhile(JobStore):
        def nothing_left(self) -> bool:
            ann.load = NodeLoad(1, True)
            return True

    ann.load = NodeLoad(1, False)
    check = CompletionCheck(ann.run, EndsMeanwhile(store, "ann"), ann.membership, "ann", lambda: ann.load)
    ann.jobs.finished.bury()
    assert not check.is_over()


def test_a_job_that_another_node_still_had_before_the_scan_may_have_left_others(
    ann: Node, born: Born, store: Store
) -> None:
    class Following(JobStore):
        """Another node ends its job, and beats, while this one scans."""

        def nothing_left(self) -> bool:
            bob.load = NodeLoad(1, True)
            bob.beat()
            return True

    bob = born("bob")
    bob.load = NodeLoad(1, False)
    bob.beat()
    check = CompletionCheck(ann.run, Following(store, "ann"), ann.membership, "ann", lambda: ann.load)
    assert not check.is_over()
    for _ in range(2):
        bob.beat()
    assert not check.is_over(), "the scan between its heartbeats proves nothing"


def test_a_record_that_is_not_a_job_is_an_error_when_nothing_else_is_left(ann: Node, store: Store) -> None:
    store.put_if_absent_all(JOBS, [("odd", b'{"state_key":"odd"}')])
    with pytest.raises(RecordError, match="odd"):
        ann.end.is_over()


def test_a_node_that_joins_is_waited_for_and_one_that_left_is_not(ann: Node, born: Born) -> None:
    bob = born("bob")
    assert not ann.end.is_over()
    cid = born("cid")
    for _ in range(3):
        bob.beat()
        assert not ann.end.is_over()
    cid.membership.beat(cid.load, NodeStatus.LEFT)
    assert not ann.end.is_over()
    for _ in range(2):
        bob.beat()
    assert ann.end.is_over()


def test_a_dead_node_is_not_waited_for(ann: Node, born: Born, clock: Clock) -> None:
    bob = born("bob")
    bob.load = NodeLoad(1, False)
    bob.beat()
    ann.membership.watch()
    for _ in range(15):
        assert not ann.end.is_over()
        clock.pass_s(1)
        ann.membership.watch()
    assert ann.end.is_over()
