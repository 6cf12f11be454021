"""Quorum: nodes wait for each other before a run begins, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeStatus
from scoopi.store.nodes.quorum import Quorum
from scoopi.store.ports import Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

LONG_S = 20.0


def never() -> bool:
    return False


class Absent(SqliteStore):
    """Refuses a number of scans before it answers one."""

    refusals = 3

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        if self.refusals:
            self.refusals -= 1
            raise StoreError("no answer")
        return super().scan(store_map, index_value, limit, after)


@pytest.fixture
def membership(store: Store) -> Membership:
    return Membership(store, "one", "ann")


def join(store: Store, node: str) -> None:
    Membership(store, f"of-{node}", node).beat(NodeLoad(0, True))


def state_of(membership: Membership, incarnation: str = "one") -> NodeStatus:
    return membership.read()[incarnation].state


def test_it_is_there_when_so_many_nodes_beat(store: Store, membership: Membership) -> None:
    reported: list[int] = []

    def notify(live: int) -> None:
        reported.append(live)
        join(store, "bob" if live == 1 else "cid")

    Quorum(membership, 3, LONG_S, notify).wait(never, never)
    assert reported == [1, 2]
    assert state_of(membership) is NodeStatus.LIVE


def test_a_node_that_waits_has_taken_no_job_and_owes_nothing(membership: Membership) -> None:
    Quorum(membership, 2, LONG_S).wait(lambda: True, never)
    waiting = NodeRecord(
        "ann",
        number=0,
        state=NodeStatus.LIVE,
        takes=0,
        idle=True,
        owes_rows=False,
        pages=0,
        given=b"",
        retry_ms=0,
        failed=0,
        start=0,
    )
    assert membership.read() == {"one": waiting}
    with pytest.raises(StoppedError):
        Quorum(membership, 2, LONG_S).wait(never, lambda: True)
    assert membership.read() == {"one": replace(waiting, number=2, state=NodeStatus.LEFT)}


def test_a_run_that_has_begun_without_this_node_is_not_waited_for(membership: Membership) -> None:
    Quorum(membership, 2, LONG_S).wait(lambda: True, never)
    assert state_of(membership) is NodeStatus.LIVE


def test_a_node_that_is_to_stop_leaves(membership: Membership) -> None:
    with pytest.raises(StoppedError):
        Quorum(membership, 2, LONG_S).wait(never, lambda: True)
    assert state_of(membership) is NodeStatus.LEFT


def test_when_they_do_not_come_in_time_it_says_how_many_there_were(membership: Membership) -> None:
    with pytest.raises(ClusterError, match="only 1 of 2 nodes have joined"):
        Quorum(membership, 2, 0.01).wait(never, never)
    assert state_of(membership) is NodeStatus.LEFT


def test_an_earlier_process_of_this_node_is_not_counted(store: Store, membership: Membership) -> None:
    Membership(store, "zero", "ann").beat(NodeLoad(0, True))
    with pytest.raises(ClusterError, match="only 1 of 2 nodes have joined"):
        Quorum(membership, 2, 0.0).wait(never, never)


def test_a_store_that_is_away_for_a_while_is_asked_again(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = SettlingStore(Absent(tmp_path / "store.db"))
    join(store, "bob")
    Quorum(Membership(away, "one", "ann"), 2, LONG_S).wait(never, never)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [text.partition(" after ")[0] for text in warned] == [
        "quorum: the store failed, retrying: no answer",
        "quorum: the store answers again",
    ]
    away.close()


def test_one_node_waits_for_nobody(membership: Membership) -> None:
    Quorum(membership, 1, LONG_S).wait(never, never)
    assert membership.read() == {}


def test_the_store_is_looked_at_a_few_times_a_second_however_long_it_takes(membership: Membership) -> None:
    looks = 0

    def has_begun() -> bool:
        nonlocal looks
        looks += 1
        return False

    with pytest.raises(ClusterError, match=r"only 1 of 2 nodes have joined within 1 s;") as refused:
        Quorum(membership, 2, 1.0, lambda live: None).wait(has_begun, never)
    assert 1 < looks <= 6
    assert (refused.value.at, refused.value.hint) == (
        "scoopi.cluster.quorum.size",
        "start the others, or lower it",
    )
