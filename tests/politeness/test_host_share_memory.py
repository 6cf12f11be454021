"""HostRecord: who has and who wants a host; HostShareMemory: what stands open may be sent."""

from __future__ import annotations

from scoopi.politeness.host_share_memory import HostRecord, HostRecords, HostShare, HostShareMemory, Share
from scoopi.store.ports import HOSTS, Store
from tests.clock import Clock

HOST = "one.example:80"


def test_a_node_waits_once_and_no_longer_than_until_its_share() -> None:
    record = HostRecord().asked_by("ann").asked_by("bob").asked_by("ann")
    assert (record.asks, record.parties) == (("ann", "bob"), ["ann", "bob"])
    shared = record.with_share("ann", HostShare(0, 1))
    assert (shared.asks, list(shared.shares)) == (("bob",), ["ann"])
    gone = shared.without({"ann", "bob"})
    assert gone.parties == []
    assert gone.without({"ann"}) is gone
    assert shared.same_shares(HostRecord(shares=shared.shares, asks=shared.asks, by="x", number=9))
    assert not shared.same_shares(shared.paused(5))


def test_no_two_writings_are_alike() -> None:
    records = HostRecords("ann")
    first, second = records.written(HostRecord()), records.written(HostRecord())
    assert first != second
    assert (records.read(HOST, second).by, records.read(HOST, second).number) == ("ann", 2)


def memory_of(store: Store, node: str, clock: Clock) -> HostShareMemory:
    return HostShareMemory(node, store, HostRecords(node), clock)


def test_a_share_opens_after_one_delay_unless_nobody_ever_had_the_host(store: Store, clock: Clock) -> None:
    for is_first, wait_s in ((True, 0.0), (False, 0.5)):
        memory = memory_of(store, "ann", clock)
        memory.learn(HOST, HostRecords("ann").written(HostRecord().with_share("ann", HostShare(500, 2))))
        assert memory.open == {}, "only this node's own write opens it"
        memory.open_share(HOST, 2, is_first)
        assert memory.open[HOST] == Share(2, 500, clock.now + wait_s)
        memory.lower(HOST, 5)
        memory.lower(HOST, 1)
        assert memory.open[HOST].permits == 1


def test_a_share_may_be_used_once_its_host_is_no_longer_paused_and_its_crawl_delay_is_over(
    store: Store, clock: Clock
) -> None:
    memory, records = memory_of(store, "ann", clock), HostRecords("ann")
    assert memory.usable(HOST) is None
    shared = HostRecord().with_share("ann", HostShare(500, 2))
    memory.learn(HOST, records.written(shared))
    memory.open_share(HOST, 2, is_first=False)
    assert memory.usable(HOST) == Share(2, 500, clock.now + 0.5)
    memory.slow_down(HOST, 0.3)
    assert memory.usable(HOST) == Share(2, 500, clock.now + 0.5), "it is shorter than the delay"
    memory.slow_down(HOST, 4.0)
    assert memory.usable(HOST) == Share(2, 500, clock.now + 4.0)
    memory.learn(HOST, records.written(shared.paused(9000)))
    assert memory.usable(HOST) == Share(2, 500, clock.now + 9.0)


def test_a_share_without_a_gap_is_of_no_use_once_a_crawl_delay_is_known(store: Store, clock: Clock) -> None:
    memory, records = memory_of(store, "ann", clock), HostRecords("ann")
    memory.learn(HOST, records.written(HostRecord().with_share("ann", HostShare(0, 2))))
    memory.open_share(HOST, 2, is_first=True)
    assert memory.usable(HOST) == Share(2, 0, clock.now)
    memory.slow_down(HOST, 4.0)
    assert memory.usable(HOST) is None, "another node may have one, too"
    memory.learn(HOST, records.written(HostRecord().with_share("ann", HostShare(4000, 2))))
    memory.open_share(HOST, 2, is_first=False)
    assert memory.usable(HOST) == Share(2, 4000, clock.now + 4.0)


def test_a_node_has_a_share_before_it_may_use_it(store: Store, clock: Clock) -> None:
    memory = memory_of(store, "ann", clock)
    assert not memory.has_share(HOST)
    memory.learn(HOST, HostRecords("bob").written(HostRecord().with_share("ann", HostShare(500, 2))))
    assert (memory.has_share(HOST), memory.usable(HOST)) == (True, None)


def test_a_share_that_is_gone_is_closed(store: Store, clock: Clock) -> None:
    memory, records = memory_of(store, "ann", clock), HostRecords("ann")
    memory.learn(HOST, records.written(HostRecord().with_share("ann", HostShare(0, 2))))
    memory.open_share(HOST, 2, is_first=True)
    memory.learn(HOST, records.written(HostRecord(asks=("ann",))))
    assert (memory.open, memory.involved) == ({}, {HOST})
    memory.learn(HOST, records.written(HostRecord()))
    assert memory.involved == set()
    memory.learn(HOST, None)
    assert memory.known == {}


def test_a_pause_counts_from_when_it_is_read(store: Store, clock: Clock) -> None:
    memory, records = memory_of(store, "ann", clock), HostRecords("bob")
    memory.learn(HOST, records.written(HostRecord().paused(3000)))
    assert memory.paused_until == {HOST: clock.now + 3}
    clock.pass_s(1)
    memory.learn(HOST, records.written(HostRecord(pause=3000, pauses=1, asks=("bob",))))
    assert memory.paused_until == {HOST: clock.now + 2}, "it is the same pause"


def test_records_are_read_from_the_store(store: Store, clock: Clock) -> None:
    memory = memory_of(store, "ann", clock)
    memory.make([HOST, "two.example:80"])
    assert set(memory.known) == {HOST, "two.example:80"}
    store.delete_all(HOSTS, [HOST])
    memory.read([HOST])
    assert set(memory.known) == {"two.example:80"}
    store.delete_all(HOSTS, ["two.example:80"])
    memory.read_all()
    assert memory.known == {}
    orders = {node: memory_of(store, node, clock).in_order([f"{n}:80" for n in range(20)]) for node in "ab"}
    assert orders["a"] != orders["b"]
