"""Calls to the store are refused while no majority of the members is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoreError
from scoopi.store.cluster import member_majority
from scoopi.store.cluster.member_majority import (
    MajorityCalls,
    MemberMajority,
    MemberView,
    refused_by_members,
)
from scoopi.store.ports import RUN, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

KEYS = [f"members/{number}" for number in range(4)]
LIMIT_MS = 2000


class Members:
    """As many as the test says; each node has a view of its own."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.number = 0
        self.wait: Callable[[Callable[[float], bool]], bool] = lambda wait_s: wait_s(0.0)

    def majority(self, node: str = "ann", given: int = 0) -> MemberMajority:
        settings = ClusterSettings((), members=given, reconnect_timeout_ms=LIMIT_MS)
        calls = MajorityCalls(lambda: self.number, lambda wait_s: self.wait(wait_s))
        return MemberMajority(self._store, KEYS, node, settings, calls, self._clock)


@pytest.fixture
def members(store: Store) -> Members:
    return Members(store, Clock())


@pytest.mark.parametrize(
    ("most", "fewest"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)], ids=lambda number: str(number)
)
def test_more_than_half_of_the_members_is_a_majority_and_exactly_half_is_not(
    members: Members, most: int, fewest: int
) -> None:
    members.number = most
    majority = members.majority()
    majority.ensure()
    members.number = fewest
    majority.ensure()
    members.number = fewest - 1
    with pytest.raises(StoreError, match=rf"the cluster seems split: {fewest - 1} of {most} members"):
        majority.ensure()


def test_a_node_that_comes_later_knows_how_many_members_there_were(members: Members) -> None:
    members.number = 3
    members.majority("ann").ensure()
    members.number = 1
    with pytest.raises(StoreError, match="1 of 3 members"):
        members.majority("bob").ensure()


def test_members_that_come_one_after_another_are_all_counted(members: Members) -> None:
    majority = members.majority()
    for members.number in (1, 2, 3):
        majority.ensure()
    members.number = 1
    with pytest.raises(StoreError, match="1 of 3 members"):
        majority.ensure()


def test_a_half_that_has_lost_copies_of_the_record_still_knows_it(members: Members, store: Store) -> None:
    members.number = 3
    members.majority().ensure()
    store.delete_all(RUN, KEYS[:3])
    members.number = 1
    with pytest.raises(StoreError, match="1 of 3 members"):
        members.majority("bob").ensure()


def test_a_split_that_lasts_ends_the_node_and_a_majority_that_returns_begins_the_waiting_again(
    store: Store,
) -> None:
    clock = Clock()
    members = Members(store, clock)
    members.number = 2
    majority = members.majority()
    majority.ensure()
    for _ in range(3):
        members.number = 1
        with pytest.raises(StoreError):
            majority.ensure()
        clock.pass_s(1.5)
        members.number = 2
        majority.ensure()
    members.number = 1
    with pytest.raises(StoreError):
        majority.ensure()
    clock.pass_s(2)
    with pytest.raises(
        ClusterError, match="split: 1 of 2 members, for 2 s; start this node again when the"
    ) as reported:
        majority.ensure()
    assert "start a new run" not in str(reported.value)


def test_a_call_is_refused_also_if_another_thread_has_seen_a_majority_meanwhile(members: Members) -> None:
    members.number = 3
    majority = members.majority()
    majority.ensure()

    def comes_and_goes(_: Callable[[float], bool]) -> bool:
        members.number = 3
        majority.ensure()
        members.number = 1
        return True

    members.number, members.wait = 1, comes_and_goes
    with pytest.raises(StoreError, match="the cluster seems split: 1 of 3 members"):
        majority.ensure()


def test_a_smaller_number_by_the_settings_is_accepted_for_all_nodes(members: Members) -> None:
    members.number = 3
    waiting = members.majority("ann")
    waiting.ensure()
    members.number = 1
    with pytest.raises(StoreError, match=r"if the others never come back, .* -D scoopi\.cluster\.members=1"):
        waiting.ensure()
    members.majority("bob", given=1).ensure()
    waiting.ensure()
    members.majority("cid").ensure()


def test_more_members_than_the_settings_accept_count_again(members: Members) -> None:
    members.number = 1
    majority = members.majority(given=1)
    majority.ensure()
    members.number = 3
    majority.ensure()
    members.number = 1
    with pytest.raises(StoreError, match="1 of 3 members"):
        majority.ensure()


def test_a_larger_number_by_the_settings_is_waited_for(members: Members) -> None:
    members.number = 1
    majority = members.majority(given=3)
    with pytest.raises(StoreError, match="1 of 3 members"):
        majority.ensure()
    members.number = 2
    majority.ensure()


def test_a_call_during_which_the_majority_returns_is_not_refused(members: Members) -> None:
    members.number = 6
    majority = members.majority()
    majority.ensure()
    members.number = 3
    heard: list[bool] = []

    def wait(wait_s: Callable[[float], bool]) -> bool:
        heard.append(wait_s(0.0))
        members.number = 4
        heard.append(wait_s(0.0))
        return heard[-1]

    members.wait = wait
    majority.ensure()
    assert heard == [False, True], "the wait ends as soon as there is a majority"


def test_a_call_waits_for_the_majority_half_as_long_as_for_a_connection(store: Store) -> None:
    clock = Clock()
    members = Members(store, clock)
    members.number = 3
    majority = members.majority()
    majority.ensure()
    members.number = 1
    over: list[bool] = []

    def wait(wait_s: Callable[[float], bool]) -> bool:
        for seconds in (0.0, LIMIT_MS / 2000 - 0.0002, 0.001):
            clock.pass_s(seconds)
            over.append(wait_s(0.0))
        return over[-1]

    members.wait = wait
    with pytest.raises(StoreError, match="1 of 3 members"):
        majority.ensure()
    assert over == [False, False, True]


def test_a_call_that_waits_for_the_majority_looks_for_it_a_few_times_a_second(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = Members(store, clock)
    members.number = 3
    majority = members.majority()
    majority.ensure()
    members.number = 1
    looks: list[float] = []
    waits: list[tuple[bool, float]] = []

    def wait(wait_s: Callable[[float], bool]) -> bool:
        for seconds in (0.25, 5.0):
            began = clock.now
            waits.append((wait_s(seconds), clock.now - began))
        return True

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        clock.pass_s(seconds)

    monkeypatch.setattr(member_majority, "time", SimpleNamespace(sleep=sleep))
    members.wait = wait
    with pytest.raises(StoreError, match="1 of 3 members"):
        majority.ensure()
    assert [is_over for is_over, _ in waits] == [False, True], (
        "the second one would wait for longer than allowed"
    )
    assert waits[0][1] == pytest.approx(0.25, abs=0.1)
    assert sum(waited for _, waited in waits) == pytest.approx(LIMIT_MS / 2000, abs=0.1)
    assert 3 <= len(looks) <= 20


class Reading(SettlingStore):
    """Counts how often records are read."""

    reads = 0

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        self.reads += 1
        return super().get_all(store_map, keys)


def test_the_number_of_members_is_read_again_only_when_more_or_too_few_are_seen(store: Store) -> None:
    reading = Reading(store)
    members = Members(reading, Clock())
    majority = members.majority()
    read: list[int] = []
    for members.number in (6, 6, 4, 7, 6):
        majority.ensure()
        read.append(reading.reads)
    assert read == [1, 1, 1, 2, 2]


def test_half_of_the_members_is_a_majority_of_a_number_that_another_node_has_lowered(
    members: Members,
) -> None:
    members.number = 6
    ann = members.majority("ann")
    ann.ensure()
    members.number = 3
    members.majority("bob", given=5).ensure()
    ann.ensure()


def test_the_largest_number_of_members_is_zero_before_any_node_has_counted_them(members: Members) -> None:
    majority = members.majority()
    assert majority.most() == 0
    members.number = 3
    majority.ensure()
    assert members.majority("bob").most() == 3


def test_a_view_is_waited_for_until_a_member_has_sent_it_or_the_time_is_over(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = SimpleNamespace(version=0)
    client: Any = SimpleNamespace(_internal_cluster_service=SimpleNamespace(_member_list_snapshot=snapshot))
    looks: list[float] = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        clock.pass_s(seconds)
        snapshot.version = int(clock.now >= 1002)

    monkeypatch.setattr(member_majority, "time", SimpleNamespace(monotonic=clock, sleep=sleep))
    view = MemberView(client)
    assert not view.is_known(0.0)
    assert looks == []
    assert not view.is_known(1.0)
    assert clock.now == pytest.approx(1001, abs=0.1)
    assert view.is_known(5.0)
    assert clock.now == pytest.approx(1002, abs=0.1)


@pytest.mark.parametrize(("version", "is_known"), [(0, False), (1, True)])
def test_the_members_are_known_once_a_member_has_sent_its_view(version: int, is_known: bool) -> None:
    client: Any = SimpleNamespace(
        _internal_cluster_service=SimpleNamespace(_member_list_snapshot=SimpleNamespace(version=version))
    )
    assert MemberView(client).is_known(0.0) is is_known


class SplitBrainProtectionError(Exception):
    """As the client raises it."""


@pytest.mark.parametrize(("short_ms", "kind"), [(LIMIT_MS - 1, StoreError), (LIMIT_MS, ClusterError)])
def test_a_call_that_members_refuse_as_they_are_too_few_is_an_error_of_a_split(
    short_ms: float, kind: type[Exception]
) -> None:
    client: Any = SimpleNamespace(_internal_cluster_service=SimpleNamespace(size=lambda: 2))
    settings = ClusterSettings((), reconnect_timeout_ms=LIMIT_MS)
    view = MemberView(client)
    error = refused_by_members(SplitBrainProtectionError(), view, short_ms, settings)
    assert type(error) is kind
    assert "2 there, too few for their split-brain protection" in str(error)
    assert refused_by_members(RuntimeError(), view, short_ms, settings) is None
    assert refused_by_members(None, view, short_ms, settings) is None
