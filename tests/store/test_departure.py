"""Whose rows are awaited: of nodes that neither live nor have published."""

from __future__ import annotations

import pytest

from scoopi.errors import StoreError
from scoopi.store.nodes.departure import Departure, awaited_nodes
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import Load, NodeRecord, NodeStatus
from scoopi.store.settling_store import SettlingStore

LIVE, LEFT, DEAD = NodeStatus.LIVE, NodeStatus.LEFT, NodeStatus.DEAD


def member(node: str, state: NodeStatus, owes_rows: bool = False) -> NodeRecord:
    return NodeRecord(node, 1, state, 0, True, owes_rows)


def test_a_node_that_lives_or_has_left_with_its_rows_published_is_not_awaited() -> None:
    members = {
        "a1": member("ann", LIVE),
        "b1": member("bob", LEFT),
        "c1": member("cid", LEFT, owes_rows=True),
        "d1": member("dan", DEAD),
        "e1": member("eve", LIVE),
    }
    assert awaited_nodes(members, {"a1"}, members) == ("cid", "dan", "eve")


def test_a_node_that_came_back_brings_what_its_earlier_incarnations_left() -> None:
    members = {"a1": member("ann", DEAD), "a2": member("ann", LIVE)}
    assert awaited_nodes(members, {"a2"}, ["a1"]) == ()


def test_of_nodes_without_ended_jobs_nothing_is_awaited_and_unknown_ones_are_reported_as_they_are() -> None:
    assert awaited_nodes({"a1": member("ann", DEAD)}, (), ["gone"]) == ("gone",)


def test_a_node_awaits_itself_when_it_lacks_segments_of_its_own() -> None:
    members = {"a1": member("ann", DEAD), "a2": member("ann", LIVE)}
    assert awaited_nodes(members, {"a2"}, ["a1"], asking="ann") == ("ann",)


@pytest.mark.parametrize("is_away", [False, True])
def test_only_a_node_whose_last_heartbeat_was_acknowledged_may_be_the_last(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch, is_away: bool
) -> None:
    def away(*_: object) -> bool:
        raise StoreError("the store does not answer")

    members = Membership(store, "a1", "ann")
    if is_away:
        monkeypatch.setattr(members, "beat", away)
    stopped: list[bool] = []
    departure = Departure(members, lambda: Load(1, True), lambda: stopped.append(True))
    assert departure.leave() is not is_away
    assert stopped == [True]
    assert [each.state for each in members.read().values()] == ([] if is_away else [LEFT])


@pytest.mark.parametrize("published", [True, False])
def test_a_node_that_leaves_says_whether_its_rows_are_missing(store: SettlingStore, published: bool) -> None:
    members = Membership(store, "a1", "ann")
    Departure(members, lambda: Load(1, True), lambda: None).leave(published)
    (record,) = members.read().values()
    assert (record.state, record.owes_rows) == (LEFT, not published)
