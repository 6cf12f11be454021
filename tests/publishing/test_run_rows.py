"""OwnRows and RunPhases: a node publishes before it leaves, and the run is OVER once no rows are missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import StoreError
from scoopi.publishing.row_tally import Published
from scoopi.publishing.run_rows import OwnRows, RunPhases
from scoopi.store.nodes.node_record import NodeStatus
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock
from tests.publishing.leaving import LeavingNode

Enter = Callable[[str], LeavingNode]


@pytest.fixture
def enter(store: SettlingStore, tmp_path: Path, clock: Clock) -> Enter:
    """Lets a node with this name enter the run."""
    return lambda name: LeavingNode(store, tmp_path / name, name, clock)


def own_rows(node: LeavingNode, was_over: bool = False, in_parts: bool = True) -> OwnRows:
    return OwnRows(node.publisher(), node.departure, was_over, in_parts)


def test_the_last_node_to_leave_completes_the_run(enter: Enter) -> None:
    ann, bob = enter("a"), enter("b")
    ann.work("rye")
    bob.work("oat", "bran")
    first = own_rows(ann).at_end()
    assert (ann.rows(), ann.heard, first.complete, first.awaiting) == (["rye"], ["stopped"], False, ())
    last = own_rows(bob).at_end()
    assert (bob.rows(), last.complete, last.awaiting) == (["bran", "oat"], True, ())
    assert last.published is not None
    assert last.published.rows == {"b.txt": 2}


def test_the_rows_of_a_dead_node_are_awaited(enter: Enter, clock: Clock) -> None:
    ann, bob = enter("a"), enter("b")
    ann.work("rye")
    bob.work("oat")
    for _ in range(20):
        clock.pass_s(1)
        ann.membership.watch()
    ended = own_rows(ann).at_end()
    assert (ended.complete, ended.awaiting) == (False, ("b",))


def test_a_node_that_lacks_rows_of_its_own_says_so_when_it_leaves(enter: Enter) -> None:
    ann = enter("a")
    ann.work("rye")
    ann.segment.unlink()
    ended = own_rows(ann).at_end()
    assert ended.published is not None
    assert len(ended.published.missing) == 1
    assert not ended.complete
    (record,) = ann.membership.read().values()
    assert (record.state, record.owes_rows) == (NodeStatus.LEFT, True)


def test_a_node_without_rows_writes_no_file_of_a_run_that_was_over(enter: Enter) -> None:
    ann, bob = enter("a"), enter("b")
    bob.work("oat")
    published = own_rows(ann, was_over=True).when_over()
    assert ann.rows() is None
    assert not published.rows
    assert published.others == {bob.incarnation}
    assert own_rows(ann).when_over().rows == {"a.txt": 0}
    assert ann.rows() == []


def test_a_node_with_rows_writes_them_though_the_run_was_over(enter: Enter) -> None:
    ann = enter("a")
    ann.work("rye")
    assert own_rows(ann, was_over=True).when_over().rows == {"a.txt": 1}


def test_a_node_that_stops_publishes_what_it_has_unless_files_are_written_at_the_end_only(
    enter: Enter,
) -> None:
    ann = enter("a")
    ann.work("rye")
    assert own_rows(ann, in_parts=False).when_stopped() is None
    assert ann.rows() is None
    published = own_rows(ann).when_stopped()
    assert published is not None
    assert (published.rows, ann.rows()) == ({"a.txt": 1}, ["rye"])


@pytest.fixture
def record(store: SettlingStore) -> RunRecord:
    """The record of a run that has begun to end."""
    record = RunRecord(store, "a" * 16)
    record.create("run")
    record.to_ending()
    return record


def phase_of(record: RunRecord) -> RunPhase | None:
    state = record.read()
    return None if state is None else state.phase


def test_the_run_is_over_once_a_node_has_said_so(enter: Enter, store: SettlingStore) -> None:
    record, over = RunRecord(store, "a" * 16), []
    phases = RunPhases(record, enter("a").departure, lambda: over.append(phase_of(record)))
    assert not phases.is_over(), "there is no record of it"
    record.create("run")
    phases.to_ending()
    assert (phase_of(record), phases.is_over(), over) == (RunPhase.ENDING, False, [])
    phases.to_over()
    assert (phases.is_over(), over) == (True, [RunPhase.OVER])


def test_a_store_that_fails_after_the_end_leaves_the_run_over(enter: Enter, record: RunRecord) -> None:
    def away() -> None:
        raise StoreError("the store does not answer")

    phases = RunPhases(record, enter("a").departure, away)
    phases.to_over()
    assert phases.is_over()


@pytest.mark.parametrize(
    ("published", "is_over"),
    [
        (Published({}), True),
        (Published({}, missing=("job",)), False),
        (Published({}, others=frozenset({"gone"})), False),
    ],
)
def test_a_stopped_node_ends_the_run_if_no_rows_are_missing(
    enter: Enter, record: RunRecord, published: Published, is_over: bool
) -> None:
    RunPhases(record, enter("a").departure).to_over_by_the_last(published)
    assert (phase_of(record) is RunPhase.OVER) is is_over


def test_a_stopped_node_does_not_end_a_run_that_has_jobs(enter: Enter, store: SettlingStore) -> None:
    record = RunRecord(store, "a" * 16)
    phases = RunPhases(record, enter("a").departure)
    phases.to_over_by_the_last(Published({}))
    assert phase_of(record) is None
    record.create("run")
    phases.to_over_by_the_last(Published({}))
    assert phase_of(record) is RunPhase.RUNNING


def test_a_store_that_does_not_answer_is_no_fault_of_a_node_that_stops(
    enter: Enter, record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise StoreError("the store does not answer")

    phases = RunPhases(record, enter("a").departure)
    with monkeypatch.context() as patched:
        patched.setattr(record, "read", away)
        phases.to_over_by_the_last(Published({}))
    assert phase_of(record) is RunPhase.ENDING
