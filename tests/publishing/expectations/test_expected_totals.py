"""ExpectedTotals: nodes that publish their own rows each know what all of them have found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.errors import AppenderError
from scoopi.publishing.expectations.expected_totals import ExpectedTotals, keep_earlier
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.solo.sqlite_store import SqliteStore

ANN, BOB, CID = "00000000000000aa", "00000000000000bb", "00000000000000cc"
FOUND = {"book": {"records": 3, "price": 2}}


class Late:
    """Counts the looks of a node that waits, and ends the wait."""

    def __init__(self, at: int = 1) -> None:
        self.looks, self._at = 0, at

    def __call__(self) -> None:
        self.looks += 1
        if self.looks >= self._at:
            raise AppenderError("late", hint="later")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "run.db")
    RunRecord(store, ANN).create("run")
    RunRecord(store, ANN).to_ending()
    yield store
    store.close()


def joined(store: SqliteStore, incarnation: str, node: str, state: NodeStatus = NodeStatus.LIVE) -> None:
    Membership(store, incarnation, node).beat(NodeLoad(1, True), state)


def totals(store: SqliteStore, incarnation: str, node: str) -> ExpectedTotals:
    membership = Membership(store, incarnation, node)
    return ExpectedTotals(store, membership, RunRecord(store, incarnation), node, poll_s=0.001)


def test_numbers_of_all_nodes_are_added_up(store: SqliteStore) -> None:
    joined(store, ANN, "ann")
    joined(store, BOB, "bob")
    with pytest.raises(AppenderError):
        totals(store, ANN, "ann").of_all(FOUND, {BOB}, Late(3))
    bob = totals(store, BOB, "bob").of_all({"book": {"records": 4, "price": 1}}, {ANN}, Late())
    ann = totals(store, ANN, "ann").of_all(FOUND, {BOB}, Late())
    assert ann == bob == {"book": {"records": 7, "price": 3}}


@pytest.mark.parametrize("state", [NodeStatus.LEFT, NodeStatus.DEAD])
def test_nodes_that_are_gone_are_not_waited_for(store: SqliteStore, state: NodeStatus) -> None:
    joined(store, ANN, "ann")
    joined(store, BOB, "bob", state)
    assert totals(store, ANN, "ann").of_all(FOUND, {BOB, CID}, Late()) == FOUND


def test_a_node_that_came_back_is_waited_for_though_its_jobs_are_of_an_earlier_start(
    store: SqliteStore,
) -> None:
    joined(store, BOB, "bob", NodeStatus.DEAD)
    joined(store, CID, "bob")
    with pytest.raises(AppenderError):
        totals(store, ANN, "ann").of_all(FOUND, {BOB}, Late())


def test_nothing_is_written_beside_the_records_of_a_run_that_is_over(store: SqliteStore) -> None:
    totals(store, BOB, "bob").of_all(FOUND, (), Late())
    RunRecord(store, ANN).to_over()
    assert totals(store, ANN, "ann").of_all(FOUND, {BOB}, Late()) == {"book": {"records": 6, "price": 4}}
    assert totals(store, CID, "cid").of_all({"book": {}}, {ANN}, Late()) == FOUND


def test_numbers_of_nodes_that_do_not_return_count_when_the_run_is_reopened(
    store: SqliteStore, tmp_path: Path
) -> None:
    for incarnation, node in ((ANN, "ann"), (BOB, "bob")):
        totals(store, incarnation, node).of_all(FOUND, (), Late())
    now = SqliteStore(tmp_path / "now.db")
    try:
        RunRecord(now, CID).create("run")
        keep_earlier(store, now)
        found = totals(now, CID, "ann").of_all({"book": {"records": 4, "price": 4}}, {BOB}, Late())
        assert found == {"book": {"records": 7, "price": 6}}
        again = SqliteStore(tmp_path / "again.db")
        keep_earlier(now, again)
        RunRecord(again, CID).create("run")
        assert totals(again, CID, "cid").of_all({"book": {}}, (), Late()) == found
        again.close()
    finally:
        now.close()
