"""Whose rows are awaited: of nodes that neither live nor have published."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scoopi.errors import StoppedError, StoreError
from scoopi.store.nodes.departure import Departure, awaited_nodes
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import GAP_MS, Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeStatus
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

LIVE, LEFT, DEAD = NodeStatus.LIVE, NodeStatus.LEFT, NodeStatus.DEAD


def record_of(node: str, state: NodeStatus, owes_rows: bool = False) -> NodeRecord:
    return NodeRecord(node, 1, state, 0, True, owes_rows)


def test_a_node_that_lives_or_has_left_with_its_rows_published_is_not_awaited() -> None:
    records = {
        "a1": record_of("ann", LIVE),
        "b1": record_of("bob", LEFT),
        "c1": record_of("cid", LEFT, owes_rows=True),
        "d1": record_of("dan", DEAD),
        "e1": record_of("eve", LIVE),
    }
    assert awaited_nodes(records, {"a1"}, records) == ("cid", "dan", "eve")


def test_a_node_that_came_back_brings_what_its_earlier_incarnations_left() -> None:
    records = {"a1": record_of("ann", DEAD), "a2": record_of("ann", LIVE)}
    assert awaited_nodes(records, {"a2"}, ["a1"]) == ()


def test_of_nodes_without_ended_jobs_nothing_is_awaited_and_unknown_ones_are_reported_as_they_are() -> None:
    assert awaited_nodes({"a1": record_of("ann", DEAD)}, (), ["gone"]) == ("gone",)


def test_a_node_awaits_itself_when_it_lacks_segments_of_its_own() -> None:
    records = {"a1": record_of("ann", DEAD), "a2": record_of("ann", LIVE)}
    assert awaited_nodes(records, {"a2"}, ["a1"], asking="ann") == ("ann",)


@pytest.mark.parametrize("is_away", [False, True])
def test_only_a_node_whose_last_heartbeat_was_acknowledged_may_be_the_last(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch, is_away: bool
) -> None:
    def away(*_: object) -> bool:
        raise StoreError("the store does not answer")

    membership = Membership(store, "a1", "ann")
    if is_away:
        monkeypatch.setattr(membership, "beat", away)
    stopped: list[bool] = []
    departure = Departure(membership, lambda: NodeLoad(1, True), lambda: stopped.append(True))
    assert departure.leave() is not is_away
    assert stopped == [True]
    records = [(each.state, each.owes_rows) for each in membership.read().values()]
    assert records == ([] if is_away else [(LEFT, False)])


@pytest.mark.parametrize("published", [True, False])
def test_a_node_that_leaves_says_whether_its_rows_are_missing(store: SettlingStore, published: bool) -> None:
    membership = Membership(store, "a1", "ann")
    Departure(membership, lambda: NodeLoad(1, True), lambda: None).leave(published)
    (record,) = membership.read().values()
    assert (record.state, record.owes_rows) == (LEFT, not published)


def test_a_node_that_has_left_waits_until_all_others_have_left_too(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = Membership(store, "a1", "ann"), Membership(store, "b1", "bob")
    bob.beat(NodeLoad(1, False))
    departure = Departure(ann, lambda: NodeLoad(1, True), lambda: None, poll_s=0.25)
    assert not departure.leave()
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            bob.beat(NodeLoad(1, True), LEFT)

    monkeypatch.setattr("scoopi.store.nodes.departure.time", SimpleNamespace(sleep=sleep))
    departure.await_others()
    assert waits == [0.25] * 3
    departure.await_others(lambda: True)  # nothing is left to wait for, so a stop ends nothing


def test_a_node_that_dies_is_waited_for_no_longer(
    store: SettlingStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = Membership(store, "a1", "ann", clocks=NodeClocks(clock, clock))
    Membership(store, "b1", "bob").beat(NodeLoad(1, False))
    departure = Departure(ann, lambda: NodeLoad(1, True), lambda: None)
    assert not departure.leave()
    sleep = SimpleNamespace(sleep=clock.pass_s)
    monkeypatch.setattr("scoopi.store.nodes.departure.time", sleep)
    began = clock.now
    departure.await_others(lambda: clock.now > began + 60)
    assert clock.now - began >= GAP_MS / 1000


def test_a_stop_ends_the_wait_for_others(store: SettlingStore) -> None:
    Membership(store, "b1", "bob").beat(NodeLoad(1, False))
    departure = Departure(Membership(store, "a1", "ann"), lambda: NodeLoad(1, True), lambda: None)
    with pytest.raises(StoppedError):
        departure.await_others(lambda: True)


def test_a_node_awaits_those_that_ended_jobs_and_neither_live_nor_have_published(
    store: SettlingStore,
) -> None:
    ann, bob, cid = (Membership(store, f"{name[0]}1", name) for name in ("ann", "bob", "cid"))
    for node, state, owes in ((ann, LIVE, False), (bob, LEFT, True), (cid, LEFT, False)):
        node.beat(NodeLoad(1, True, owes_rows=owes), state)
    departure = Departure(ann, lambda: NodeLoad(1, True), lambda: None)
    assert departure.node == "ann"
    assert departure.awaited(["a1", "b1", "c1"]) == ("ann", "bob")
    assert departure.awaited([]) == ()
