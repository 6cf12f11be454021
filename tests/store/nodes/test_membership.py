"""Which nodes are live, have left or are dead; decided by the watcher's own clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scoopi.errors import RunError, StoreError
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeScan, NodeStatus
from scoopi.store.ports import NODES, Change, Outcome, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.store.faulty_store import Faults, FaultyStore

IDLE, BUSY = NodeLoad(3, True, pages=10), NodeLoad(4, False)
Join = Callable[..., Membership]


@pytest.fixture
def join(store: Store, clock: Clock) -> Join:
    def joined(incarnation: str, node: str | None = None, store: Store = store) -> Membership:
        return Membership(
            store, incarnation, node or f"node-of-{incarnation}", 1000, 15_000, NodeClocks(clock, clock)
        )

    return joined


def watched(watcher: Membership, clock: Clock, seconds: int) -> set[str]:
    """What the watcher says after a look each second."""
    lost = watcher.watch()
    for _ in range(seconds):
        clock.pass_s(1)
        lost = watcher.watch()
    return lost


def test_a_heartbeat_says_what_the_node_does(join: Join) -> None:
    ann = join("ann")
    ann.beat(BUSY)
    ann.beat(IDLE)
    assert ann.read() == {"ann": NodeRecord("node-of-ann", 1, NodeStatus.LIVE, 3, True, pages=10)}


def test_a_node_that_has_left_is_not_live(join: Join) -> None:
    ann, bob = join("ann"), join("bob")
    ann.beat(IDLE)
    bob.beat(BUSY)
    assert set(ann.live()) == {"ann", "bob"}
    bob.beat(BUSY, NodeStatus.LEFT)
    assert ann.read()["bob"].state is NodeStatus.LEFT
    assert set(ann.live()) == {"ann"}


def test_a_node_is_lost_after_the_liveness_gap_without_a_change(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    ann.beat(IDLE)
    bob.beat(BUSY)
    assert watched(ann, clock, 14) == set()
    assert watched(ann, clock, 1) == {"bob"}
    assert set(ann.live()) == {"ann"}


def test_a_node_that_beats_is_never_lost(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    for _ in range(40):
        bob.beat(BUSY)
        assert watched(ann, clock, 1) == set()


def test_a_dead_node_with_a_new_heartbeat_is_live(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    assert watched(ann, clock, 20) == {"bob"}
    bob.beat(BUSY)
    assert watched(ann, clock, 1) == set()


def test_of_two_processes_with_one_id_the_earlier_one_stops(join: Join) -> None:
    first, second = join("a1", node="same"), join("a2", node="same")
    first.beat(BUSY)
    second.beat(BUSY)
    first.watch()
    second.beat(BUSY)
    second.watch()
    with pytest.raises(RunError, match="a process that started later has the same node id same"):
        first.beat(BUSY)
    second.beat(BUSY)
    assert set(second.live()) == {"a2"}


def test_an_earlier_process_of_a_node_goes_on_when_the_later_one_has_left(join: Join) -> None:
    first, second = join("a1", node="same"), join("a2", node="same")
    first.beat(BUSY)
    second.beat(BUSY)
    second.watch()
    second.beat(IDLE, NodeStatus.LEFT)
    first.beat(BUSY)
    assert set(first.live()) == {"a1"}


def test_five_looks_in_a_row_are_needed_however_long_it_was(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    ann.watch()
    clock.pass_s(100)
    assert watched(ann, clock, 3) == set()
    assert watched(ann, clock, 1) == {"bob"}


def test_looks_at_one_moment_are_one_look(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    ann.watch()
    clock.pass_s(100)
    assert [ann.watch() for _ in range(10)] == [set()] * 10


@pytest.mark.parametrize(("spacing_s", "is_dead"), [(0.89, False), (0.91, True)])
def test_each_look_of_a_punctual_node_counts_and_one_that_is_early_does_not(
    join: Join, clock: Clock, spacing_s: float, is_dead: bool
) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    ann.watch()
    clock.pass_s(100)
    for _ in range(5):
        found = ann.watch()
        clock.pass_s(spacing_s)
    assert found == ({"bob"} if is_dead else set())


def test_before_its_first_look_a_node_knows_of_itself_only_and_not_that_it_is_idle(
    join: Join, clock: Clock
) -> None:
    assert join("ann").last_scan == NodeScan(clock.now, frozenset(), frozenset(), 1, idle=False)


def test_a_look_that_failed_breaks_the_row(join: Join, clock: Clock, store: Store) -> None:
    class Failing:
        broken = False

        def __getattr__(self, name: str) -> object:
            if self.broken:
                raise StoreError("unreachable")
            return getattr(store, name)

    failing = Failing()
    ann, bob = join("ann", store=failing), join("bob")
    bob.beat(BUSY)
    watched(ann, clock, 14)
    failing.broken = True
    clock.pass_s(1)
    with pytest.raises(StoreError):
        ann.watch()
    failing.broken = False
    assert watched(ann, clock, 3) == set()
    assert watched(ann, clock, 1) == {"bob"}


def test_a_node_that_left_is_neither_waited_for_nor_taken_for_lost(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY, NodeStatus.LEFT)
    assert watched(ann, clock, 60) == set()


def test_an_older_incarnation_of_this_node_is_lost_at_once(join: Join) -> None:
    join("old", "node1").beat(BUSY)
    join("other", "node2").beat(IDLE)
    new = join("new", "node1")
    new.beat(IDLE)
    assert new.watch() == {"old"}
    assert set(new.live()) == {"new", "other"}


def test_a_dead_node_is_dead_for_nodes_too_that_join_later(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    join("old", "node1").beat(BUSY)
    watched(ann, clock, 15)
    late = join("late")
    assert late.watch() == {"bob", "old"}
    assert late.last_scan == NodeScan(clock.now, frozenset({"bob", "old"}), frozenset(), 1, idle=True)
    bob.beat(BUSY)
    assert late.watch() == ann.watch() == {"old"}


def test_the_end_of_an_older_incarnation_is_reported_by_the_one_that_follows(join: Join) -> None:
    join("old", "node1").beat(BUSY)
    join("new", "node1").watch()
    assert join("other", "node2").watch() == {"old"}


@pytest.mark.parametrize("state", [NodeStatus.LIVE, NodeStatus.LEFT])
def test_a_node_that_was_taken_for_dead_shows_with_one_heartbeat_what_it_is(
    join: Join, clock: Clock, state: NodeStatus
) -> None:
    ann, bob = join("ann"), join("bob")
    bob.beat(BUSY)
    watched(ann, clock, 15)
    assert ann.read()["bob"].state is NodeStatus.DEAD
    bob.beat(IDLE, state)
    assert ann.read()["bob"].state is state
    assert not bob.own_beat_is_old()


def test_a_node_whose_heartbeat_comes_while_it_is_reported_dead_is_live(
    join: Join, clock: Clock, store: Store
) -> None:
    bob = join("bob")

    class Overtaken:
        beats = False

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
            if changes:
                bob.beat(BUSY)
            return store.cas_all(store_map, changes)

    bob.beat(BUSY)
    assert watched(join("ann", store=Overtaken()), clock, 15) == set()
    assert join("any").read()["bob"].state is NodeStatus.LIVE


def test_a_node_knows_when_its_own_heartbeat_is_old(join: Join, clock: Clock) -> None:
    ann = join("ann")
    assert ann.own_beat_is_old()
    ann.beat(IDLE)
    clock.pass_s(7.5)
    assert not ann.own_beat_is_old()
    clock.pass_s(0.0001)
    assert ann.own_beat_is_old()
    ann.beat(IDLE)
    assert not ann.own_beat_is_old()


def test_a_heartbeat_ages_while_the_machine_is_suspended(store: Store, clock: Clock) -> None:
    still = Clock()
    ann = Membership(store, "ann", "ann", 1000, 15_000, NodeClocks(still, clock))
    ann.beat(IDLE)
    clock.pass_s(8)
    assert ann.own_beat_is_old()


def test_a_node_that_was_declared_lost_is_asked_whether_it_may_return(join: Join, clock: Clock) -> None:
    ann, bob = join("ann"), join("bob")
    asked: list[bool] = []

    def may_return() -> bool:
        asked.append(True)
        return len(asked) > 2

    assert bob.beat(BUSY, may_return=may_return)
    watched(ann, clock, 15)
    assert [bob.beat(BUSY, may_return=may_return) for _ in range(2)] == [False, False]
    assert ann.read()["bob"].state is NodeStatus.DEAD
    assert bob.own_beat_is_old()
    assert bob.beat(BUSY, may_return=may_return)
    assert ann.read()["bob"].state is NodeStatus.LIVE
    assert bob.beat(BUSY, may_return=may_return)
    assert len(asked) == 3, "a node that is not dead is not asked about"


def test_a_heartbeat_without_answer_does_not_count(tmp_path: Path, join: Join, clock: Clock) -> None:
    inner = SqliteStore(tmp_path / "other.db")
    faulty = FaultyStore(inner, Faults(unreadable=1.0, lost_answers=1.0))
    ann = join("ann", store=SettlingStore(faulty))
    with pytest.raises(StoreError):
        ann.beat(IDLE)
    assert ann.own_beat_is_old()
    inner.close()


def test_a_heartbeat_that_came_late_is_followed_by_the_next(tmp_path: Path, join: Join) -> None:
    inner = SqliteStore(tmp_path / "other.db")
    ann = join(
        "ann", store=SettlingStore(FaultyStore(inner, Faults(lost_answers=0.6, unreadable=0.5), seed=5))
    )
    beaten = failed = 0
    while beaten < 20:
        try:
            ann.beat(NodeLoad(beaten + failed, True))
            beaten += 1
        except StoreError:
            failed += 1
            assert failed < 1000
    assert failed > 0
    assert join("any", store=inner).read()["ann"].takes == 19 + failed
    inner.close()


class Forgetful:
    """A store whose heartbeats are written, and whose answers are lost while it is broken."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.broken = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        outcomes = self._store.cas_all(store_map, changes)
        if self.broken:
            raise StoreError("the answer was lost")
        return outcomes


def given_up(join: Join, store: Store) -> Membership:
    """Of a node whose last heartbeat stands, but its answer was lost."""
    forgetful = Forgetful(store)
    ann = join("ann", store=forgetful)
    ann.beat(IDLE)
    forgetful.broken = True
    with pytest.raises(StoreError):
        ann.beat(IDLE)
    forgetful.broken = False
    return ann


def test_a_heartbeat_that_was_given_up_never_counts_as_the_next_one(join: Join, store: Store) -> None:
    """Others have seen it long ago: it is no sign of life now."""
    ann = given_up(join, store)
    seen = store.get_all(NODES, ["ann"])
    with pytest.raises(StoreError, match="was written late"):
        ann.beat(IDLE)
    ann.beat(IDLE)
    assert store.get_all(NODES, ["ann"]) != seen


def test_a_node_that_leaves_says_so_also_when_a_heartbeat_that_was_given_up_came_late(
    join: Join, store: Store
) -> None:
    """Else nobody would: the run would never be over."""
    given_up(join, store).beat(IDLE, NodeStatus.LEFT)
    assert join("bob").read()["ann"].state is NodeStatus.LEFT


def test_a_look_says_since_when_it_is_so(join: Join, clock: Clock) -> None:
    ann, bob, cid = join("ann"), join("bob"), join("cid")
    ann.beat(IDLE)
    bob.beat(BUSY)
    cid.beat(BUSY, NodeStatus.LEFT)
    watched(ann, clock, 15)
    assert ann.last_scan == NodeScan(clock.now, frozenset({"bob"}), frozenset({"cid"}), 1, idle=True)


def test_a_look_says_whether_all_live_nodes_are_idle(join: Join) -> None:
    ann, bob = join("ann"), join("bob")
    for load in (IDLE, BUSY, IDLE):
        ann.beat(IDLE)
        bob.beat(load)
        ann.watch()
        assert ann.last_scan.idle is load.idle


def test_a_heartbeat_that_is_gone_means_that_data_is_lost(join: Join, store: Store) -> None:
    ann = join("ann")
    ann.beat(IDLE)
    store.delete_all(NODES, ["ann"])
    with pytest.raises(RunError, match="data is lost"):
        ann.beat(IDLE)


def test_a_node_counts_its_earlier_incarnations(join: Join) -> None:
    for number in range(3):
        joined = join(f"i{number}", "ann")
        for load in (IDLE, BUSY):
            joined.beat(load)
            assert joined.read()[f"i{number}"].start == number
    other = join("j", "bob")
    other.beat(IDLE)
    assert other.read()["j"].start == 0
