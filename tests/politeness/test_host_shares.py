"""Shares of hosts: who may send, who asks, who gives, and what becomes of those who are gone."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.model.limits.host_limits import LimitsByHost
from scoopi.politeness.host_share_memory import HostShare, Share
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import HOSTS
from tests.store.host_share_world import Node, World

DELAYED = FetchLimits(parallelism=2, delay_ms=1000)
BUSY = 10**6


class SomeQuick:
    """Limits by which hosts that are called quick have no delay."""

    def for_host(self, host: str) -> FetchLimits:
        return FetchLimits(2, 0) if host.startswith("quick") else DELAYED


def world_of(limits: LimitsByHost = DELAYED, hosts: tuple[str, ...] = ("a",)) -> World:
    return World(limits, Random(7), hosts)


def settled(world: World, *names: str) -> list[Node]:
    """Nodes that have beaten and looked once."""
    nodes = [world.join(name) for name in names]
    world.pass_s(0.5)
    return nodes


def asleep(world: World, node: Node, seconds: float) -> None:
    """The node sleeps in the midst of what it does; the others go on."""
    node.asleep_until = world.now + seconds
    world.pass_s(seconds)
    node.asleep_until = world.now


def test_the_first_node_has_an_untouched_host_at_once_and_whole() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.shares.poll(everything=True)
    assert ann.shares.candidates(["a"]) == ["a"]
    ann.shares.settle((), ["a"])
    assert ann.shares.share_of("a") == Share(2, 1000, world.now)
    assert ann.shares.may_take("a")


@pytest.mark.parametrize(("delay_ms", "parties"), [(0, 2), (1000, 1)])
def test_a_node_that_may_yet_ask_for_a_share_is_counted_while_there_is_one_to_get(
    delay_ms: int, parties: int
) -> None:
    world = world_of(FetchLimits(parallelism=4, delay_ms=delay_ms))
    ann, _ = settled(world, "ann", "bob")
    world.pass_s(1)
    assert ann.shares.parties("a") == 2
    ann.needs["a"] = BUSY
    world.pass_s(1)
    assert world.record("a").parties == ["ann"]
    assert ann.shares.parties("a") == parties


def test_every_live_node_may_yet_ask_for_a_host_without_record() -> None:
    world = world_of()
    ann, _, _ = settled(world, "ann", "bob", "cid")
    world.pass_s(1)
    assert ann.shares.parties("new") == 3


def test_a_host_without_record_gets_one_when_it_is_needed() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.shares.poll(everything=True)
    assert list(ann.shares.hosts()) == ["a"]
    world.store.maps[HOSTS].clear()
    ann.shares.poll(everything=True)
    assert not ann.shares.hosts()
    ann.shares.poll(["a"])
    ann.shares.settle(["a"], ())
    assert ann.shares.share_of("a") is not None
    assert list(world.record("a").shares) == ["ann"]


def test_records_are_canonical_and_no_two_writings_are_alike() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    seen: list[bytes] = []
    for _ in range(80):
        ann.needs["a"] = bob.needs["a"] = 1
        world.pass_s(0.3)
        if (raw := world.store.maps[HOSTS]["a"]) not in seen[-1:]:
            assert raw not in seen
            seen.append(raw)
    assert len(seen) > 10
    assert all(b'": ' not in raw and raw.index(b'"by"') < raw.index(b'"number"') for raw in seen)


def test_a_node_leaves_the_jobs_of_a_delayed_host_to_the_one_that_has_it() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.wants = {"a"}
    world.pass_s(1)
    bob.wants = {"a"}
    world.pass_s(20)
    assert not bob.sent
    assert len(ann.sent) >= 19
    assert world.record("a").asks == ()
    world.check()


def test_a_node_that_needs_a_host_asks_and_has_it_after_the_turn_of_its_holder() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    asked_at, bob.needs["a"] = world.now, 1
    world.pass_s(10)
    (request,) = bob.sent
    assert 2 + 1 <= request.start - asked_at <= 2 + 1 + 2 * 0.4 + 1.1, (
        "a turn, a delay, two rounds, one request"
    )
    assert max(one.start for one in ann.sent) > request.start + 1, "and the holder has it again"
    world.check()


def test_a_turn_ends_at_its_last_moment_and_not_before() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(3)
    world.now = asked_at = 104.0
    for node in (bob, ann):
        node.membership.beat(NodeLoad(0, False))
        node.shares.poll(["a"])
        node.shares.settle(["a"], ())
    holders = []
    for world.now in (asked_at + 1.9, asked_at + 2):
        ann.flying = []
        ann.shares.poll(["a"])
        ann.shares.settle(["a"], ())
        holders.append(list(world.record("a").shares))
    assert holders == [["ann"], ["bob"]]


def test_a_holder_with_nothing_to_do_gives_at_once_to_a_node_that_asks() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.wants = {"a"}
    world.pass_s(3)
    ann.wants = set()
    asked_at, bob.needs["a"] = world.now, 1
    world.pass_s(4)
    assert bob.sent[0].start - asked_at <= 1 + 1.0 + 2 * 0.4


def test_a_host_is_not_given_away_before_the_requests_in_flight_have_ended() -> None:
    world = world_of()
    world.longest_s = 0.1
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = 1
    world.pass_s(1)
    (request,) = ann.sent
    request.end = world.now + 9
    ann.flying = [request]
    bob.needs["a"] = 1
    world.pass_s(8.5)
    assert list(world.record("a").shares) == ["ann"]
    assert ann.shares.share_of("a") is None
    world.pass_s(3)
    assert len(bob.sent) == 1
    world.check()


def test_a_host_that_has_no_jobs_left_is_released() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.wants = {"a"}
    world.pass_s(3)
    ann.wants = set()
    world.pass_s(5)
    assert world.record("a").parties == []
    assert ann.shares.share_of("a") is None


def test_a_node_that_takes_a_released_host_waits_one_delay_first() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = 1
    world.pass_s(5)
    bob.needs["a"] = 1
    asked_at = world.now
    world.pass_s(3)
    assert bob.sent[0].start >= asked_at + 1


def test_permits_without_delay_are_divided_among_the_nodes_that_want_the_host() -> None:
    world = world_of(FetchLimits(parallelism=8, delay_ms=0))
    ann, bob, cid = settled(world, "ann", "bob", "cid")
    ann.wants = {"a"}
    world.pass_s(1)
    assert world.record("a").shares["ann"].permits == 8
    bob.wants = cid.wants = {"a"}
    world.pass_s(4)
    assert [world.record("a").shares[node].permits for node in ("ann", "bob", "cid")] == [3, 3, 2]
    bob.wants = set()
    world.pass_s(6)
    assert {node: share.permits for node, share in world.record("a").shares.items()} == {"ann": 4, "cid": 4}
    shares = [node.shares.share_of("a") for node in (ann, cid)]
    assert [share and share.permits for share in shares] == [4, 4]
    world.check()


def test_more_nodes_than_permits_take_turns() -> None:
    world = world_of(FetchLimits(parallelism=2, delay_ms=0))
    nodes = settled(world, *"abcde")
    for node in nodes:
        node.needs["a"] = BUSY
    world.pass_s(40)
    assert min(len(node.sent) for node in nodes) > 10
    world.check()


@pytest.mark.parametrize("parallelism", [1, 3])
def test_every_node_that_asks_gets_its_turn(parallelism: int) -> None:
    world = world_of(FetchLimits(parallelism, delay_ms=500))
    nodes = settled(world, *"abcd")
    for node in nodes:
        node.needs["a"] = BUSY
    world.pass_s(90)
    longest_turn = 2 + 0.5 + 1.0 + 3 * 0.4
    for node in nodes:
        starts = [100.0, *(request.start for request in node.sent), world.now]
        pauses = [later - earlier for earlier, later in pairwise(starts)]
        assert max(pauses) <= 4 * longest_turn
    world.check()


def test_a_lost_nodes_host_is_taken_over_after_the_gap_and_a_delay() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.wants = {"a"}
    world.pass_s(5)
    bob.wants = {"a"}
    last, died_at = ann.sent[-1].start, world.now
    ann.die()
    world.pass_s(14)
    assert not bob.sent
    world.pass_s(6)
    assert died_at + 15 <= bob.sent[0].start + 1 <= died_at + 15 + 1 + 3
    assert bob.sent[0].start >= last + 1
    assert list(world.record("a").shares) == ["bob"]


def test_the_host_of_a_node_that_left_is_free_at_once_but_for_a_delay() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.wants = {"a"}
    world.pass_s(5)
    bob.wants, left_at = {"a"}, world.now
    ann.leave()
    world.pass_s(4)
    assert left_at + 1 <= bob.sent[0].start <= left_at + 1 + 1.5


def test_a_sleeper_sends_nothing_more_when_its_host_was_taken_over() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    bob.wants, ann.asleep_until = {"a"}, world.now + 30
    world.pass_s(29)
    assert bob.sent
    before = len(ann.sent)
    ann.asleep_until = world.now
    ann.membership.beat(NodeLoad(0, False))
    assert ann.shares.share_of("a") is None, "its heart beats again, but it has not looked"
    ann.shares.poll(["a"])
    assert ann.shares.share_of("a") is None
    world.pass_s(0.2)
    assert len(ann.sent) == before
    world.pass_s(20)
    assert len(ann.sent) > before, "it asks, and gets its turn"
    world.check()


def test_a_machine_that_was_suspended_sends_nothing_by_the_shares_that_it_had_before() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    bob.wants, ann.asleep_until, ann.suspended_s = {"a"}, world.now + 30, 30
    world.pass_s(29.9)
    assert ann.membership.own_beat_is_old()
    ann.membership.beat(NodeLoad(0, False))
    assert ann.shares.share_of("a") is None, "its heart beats again, but it has not looked"
    world.pass_s(20)
    world.check()


def test_a_sleeper_whose_host_nobody_took_writes_its_share_again_before_it_sends() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.wants = {"a"}
    world.pass_s(5)
    before = world.record("a")
    ann.asleep_until = world.now + 20
    world.pass_s(20)
    ann.membership.beat(NodeLoad(0, False))
    assert ann.shares.share_of("a") is None
    world.pass_s(1)
    assert world.record("a").number > before.number
    assert ann.shares.share_of("a") is not None
    world.check()


def test_a_node_that_judges_by_an_older_look_takes_nothing_from_one_that_came_back() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    ann.asleep_until = world.now + 17
    world.pass_s(17.5)
    bob.needs["a"] = 1
    bob.interlude = lambda: asleep(world, bob, 3)
    world.pass_s(0.5)
    assert not bob.has_interlude
    world.pass_s(15)
    assert bob.sent
    world.check()


def test_a_look_that_is_older_than_the_record_takes_nothing_from_its_holder() -> None:
    world = world_of()
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    ann.asleep_until = world.now + 17
    world.pass_s(16.8)
    assert bob.membership.last_scan.dead == {"ann"}
    bob.beat_at = world.now + 6
    world.pass_s(2)
    assert ann.shares.share_of("a") is not None, "it is back, and has written its share again"
    assert bob.membership.last_scan.dead == {"ann"}, "which this one has not seen yet"
    bob.needs["a"] = 1
    world.pass_s(0.5)
    assert list(world.record("a").shares) == ["ann"]
    assert world.record("a").asks == ("bob",)
    world.pass_s(8)
    assert len(bob.sent) == 1
    world.check()


def test_a_node_whose_own_heartbeat_is_old_sends_nothing() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.needs["a"] = BUSY
    world.pass_s(5)
    cut_at, ann.cut_off_until = world.now, world.now + 30
    world.pass_s(25)
    assert max(request.start for request in ann.sent) <= cut_at + 7.6
    ann.cut_off_until = 0
    world.pass_s(5)
    assert ann.sent[-1].start > world.now - 1.5
    world.check()


def test_nodes_take_different_hosts_first_and_each_about_its_part() -> None:
    hosts = tuple(f"h{number}" for number in range(12))
    world = world_of(hosts=hosts)
    nodes = settled(world, "ann", "bob", "cid")
    world.pass_s(2)
    for node in nodes:
        node.wants = set(hosts)
    world.pass_s(4)
    held = [sum(node.shares.share_of(host) is not None for host in hosts) for node in nodes]
    assert sum(held) == 12
    assert min(held) >= 3


def test_a_node_that_comes_later_gets_its_part_of_the_hosts() -> None:
    hosts = tuple(f"h{number}" for number in range(6))
    world = world_of(hosts=hosts)
    (ann,) = settled(world, "ann")
    ann.wants = set(hosts)
    world.pass_s(3)
    assert len({request.host for request in ann.sent}) == 6
    (bob,) = settled(world, "bob")
    bob.wants = set(hosts)
    world.pass_s(15)
    held = [sum(node.shares.share_of(host) is not None for host in hosts) for node in (ann, bob)]
    assert held == [3, 3]
    world.check()


def test_hosts_that_a_node_has_no_room_for_are_taken_by_others() -> None:
    hosts = tuple(f"h{number}" for number in range(6))
    world = world_of(hosts=hosts)
    ann, _ = settled(world, "ann", "bob")
    ann.wants = set(hosts)
    world.pass_s(6)
    assert len({request.host for request in ann.sent}) == 6, "bob wants none of them"


def test_a_round_in_which_nothing_changes_is_one_reading_however_many_hosts() -> None:
    hosts = tuple(f"h{number}" for number in range(200))
    world = world_of(hosts=hosts)
    (ann,) = settled(world, "ann")
    ann.shares.poll()
    ann.shares.settle((), ann.shares.candidates(hosts))
    assert all(ann.shares.share_of(host) for host in hosts)
    before = world.store.calls
    ann.shares.poll()
    ann.shares.settle((), hosts)
    assert world.store.calls - before == 1


@pytest.mark.parametrize("delay_ms", [0, 1000])
def test_a_host_that_one_node_leaves_alone_is_left_alone_by_all(delay_ms: int) -> None:
    world = world_of(FetchLimits(parallelism=4, delay_ms=delay_ms))
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = BUSY
    world.pass_s(1)
    asked_at = world.now
    ann.shares.pause("a", 60.0)
    bob.needs["a"] = BUSY
    world.pass_s(10)
    shares = [share for node in (ann, bob) if (share := node.shares.share_of("a")) is not None]
    assert shares
    assert all(share.first_at >= asked_at + 60 for share in shares)
    assert (world.record("a").pause, world.record("a").pauses) == (60_000, 1), "written once"
    world.pass_s(70)
    shares = [share for node in (ann, bob) if (share := node.shares.share_of("a")) is not None]
    assert any(share.first_at <= world.now for share in shares)


def test_a_node_that_joins_later_keeps_a_pause_that_it_reads() -> None:
    world = world_of()
    (ann,) = settled(world, "ann")
    ann.needs["a"] = BUSY
    world.pass_s(1)
    ann.shares.pause("a", 60.0)
    world.pass_s(1)
    ann.needs.clear()
    world.pass_s(20)
    bob = world.join("bob")
    joined_at = world.now
    bob.needs["a"] = BUSY
    world.pass_s(10)
    share = bob.shares.share_of("a")
    assert share is not None
    assert share.first_at >= joined_at + 60


def held(world: World, node: Node) -> list[str]:
    """The hosts of which the node has a share."""
    return [host for host in world.hosts if node.name in world.record(host).shares]


def joined_later(world: World, number: int = 1) -> list[Node]:
    """A node that has all hosts of the world, and others that join later; all want all hosts."""
    (ann,) = settled(world, "ann")
    ann.wants = set(world.hosts)
    world.pass_s(3)
    later = settled(world, *"bcd"[:number])
    for node in later:
        node.wants = set(world.hosts)
    return [ann, *later]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("delay_ms", "crawl_s", "page_s", "ahead"),
    [(1000, 0, 3.0, 2), (5000, 0, 0.1, 1), (500, 0, 0.1, 4), (1000, 8, 0.1, 2)],
    ids=["slow pages", "long delay", "quick pages", "Crawl-delay"],
)
def test_a_node_that_comes_later_gets_one_of_two_hosts_though_their_node_has_jobs_in_advance(
    delay_ms: int, crawl_s: float, page_s: float, ahead: int, seed: int
) -> None:
    world = World(FetchLimits(1, delay_ms), Random(seed), ("a", "b"), crawl_s=crawl_s, ahead=ahead)
    world.shortest_s = world.longest_s = page_s
    joined_at = world.now
    ann, bob = joined_later(world)
    step_s = max(delay_ms / 1000, crawl_s, page_s)
    world.pass_s(4 + 10 * step_s)
    assert bob.sent[0].start <= joined_at + 4 + 2 + 4 * 0.4 + 2 * step_s, "a turn, a page, a delay, rounds"
    before, numbers = [held(world, ann), held(world, bob)], [len(ann.sent), len(bob.sent)]
    assert [len(hosts) for hosts in before] == [1, 1]
    world.pass_s(10 * step_s)
    assert [held(world, ann), held(world, bob)] == before, "each keeps its own"
    sent = [len(node.sent) - number for node, number in zip((ann, bob), numbers, strict=True)]
    assert min(sent) >= 7
    world.check()


@pytest.mark.parametrize("seed", range(3))
def test_nodes_that_need_a_host_with_a_long_crawl_delay_take_turns(seed: int) -> None:
    world = World(FetchLimits(1, 1000), Random(seed), ("a",), crawl_s=10)
    ann, bob = settled(world, "ann", "bob")
    ann.needs["a"] = bob.needs["a"] = 4
    world.pass_s(130)
    assert [len(ann.sent), len(bob.sent)] == [4, 4]
    world.check()


@pytest.mark.parametrize("seed", range(3))
def test_a_node_with_much_left_to_do_shares_the_host_with_the_one_that_gets_it(seed: int) -> None:
    world = World(DELAYED, Random(seed), ("a", "b"), ahead=2)
    ann, bob = joined_later(world)
    world.pass_s(4)
    given = next(host for host in world.hosts if bob.name in world.record(host).parties)
    ann.needs[given], before = 12, len(bob.sent)
    world.pass_s(20)
    assert ann.needs[given], "so many files does a page have"
    assert len(bob.sent) - before >= 4
    world.pass_s(40)
    assert [len(held(world, node)) for node in (ann, bob)] == [1, 1]
    world.check()


def test_a_node_asks_no_more_for_a_host_that_it_has_given_to_its_new_node() -> None:
    world = World(DELAYED, Random(7), ("a", "b"), ahead=2)
    ann, bob = joined_later(world)
    for _ in range(200):
        world.pass_s(0.1)
        for host in held(world, bob):
            assert ann.name not in world.record(host).asks or ann.needs[host]
    assert len(held(world, bob)) == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_host_that_a_node_only_visits_goes_back_to_its_node(seed: int) -> None:
    world = World(DELAYED, Random(seed), ("a", "b"), ahead=2)
    nodes = joined_later(world)
    world.pass_s(30)
    before = [held(world, node) for node in nodes]
    (visited,) = before[0]
    _, bob = nodes
    bob.needs[visited] = 1
    world.pass_s(12)
    assert not bob.needs[visited]
    assert [held(world, node) for node in nodes] == before
    assert world.record(visited).asks == ()


@pytest.mark.parametrize("seed", range(6))
def test_of_more_nodes_than_hosts_none_waits_for_a_host_whose_node_has_no_other(seed: int) -> None:
    world = World(DELAYED, Random(seed), ("a", "b"), ahead=2)
    nodes = joined_later(world, 2)
    world.pass_s(30)
    before = {host: world.record(host) for host in world.hosts}
    assert all((len(record.shares), record.asks) == (1, ()) for record in before.values())
    world.pass_s(30)
    assert {host: world.record(host) for host in world.hosts} == before
    assert sorted(len(held(world, node)) for node in nodes) == [0, 1, 1]
    world.check()


@pytest.mark.parametrize("quick_first_s", [0.0, 5.0])
def test_hosts_without_delay_do_not_count_for_the_part_of_those_with_one(quick_first_s: float) -> None:
    quick = {f"quick{number}" for number in range(6)}
    world = world_of(SomeQuick(), (*sorted(quick), "a", "b"))
    (ann,) = settled(world, "ann")
    ann.wants = {*world.hosts}
    world.pass_s(3)
    (bob,) = settled(world, "bob")
    bob.wants = quick
    world.pass_s(quick_first_s)
    bob.wants = {*world.hosts}
    for _ in range(20):
        world.pass_s(1)
        assert len({*held(world, ann)} - quick) >= 1, "it never gives more than the part of the other"
    assert [len({*held(world, node)} - quick) for node in (ann, bob)] == [1, 1]
    assert all(quick.issubset(held(world, node)) for node in (ann, bob))


def test_of_hosts_with_and_without_delay_nodes_that_begin_together_take_their_parts_at_once() -> None:
    quick = {f"quick{number}" for number in range(6)}
    world = world_of(SomeQuick(), (*sorted(quick), "a", "b"))
    nodes = settled(world, "ann", "bob")
    world.pass_s(1)
    for node in nodes:
        node.wants = {*world.hosts}
    world.pass_s(1)
    first = [{*held(world, node)} - quick for node in nodes]
    assert [len(hosts) for hosts in first] == [1, 1]
    world.pass_s(10)
    assert [{*held(world, node)} - quick for node in nodes] == first


def test_a_node_that_gives_its_permit_to_a_visitor_does_not_make_the_nodes_take_turns_for_ever() -> None:
    world = World(FetchLimits(2, delay_ms=0), Random(7), ("a",), ahead=2)
    nodes = settled(world, "ann", "bob", "cid")
    for node in nodes:
        node.wants = {"a"}
    world.pass_s(3)
    (cid,) = (node for node in nodes if not held(world, node))
    cid.needs["a"] = 1
    world.pass_s(10)
    assert cid.sent
    before = world.record("a")
    assert (len(before.shares), before.asks) == (2, ())
    world.pass_s(10)
    assert world.record("a") == before


@pytest.mark.parametrize("seed", range(3))
def test_a_crawl_delay_holds_for_all_nodes_together_where_the_settings_have_no_delay(seed: int) -> None:
    world = World(FetchLimits(3, delay_ms=0), Random(seed), ("a",), crawl_s=3)
    nodes = settled(world, "ann", "bob", "cid")
    for node in nodes:
        node.needs["a"] = 4
    world.pass_s(120)
    assert [len(node.sent) for node in nodes] == [4, 4, 4]
    world.check()


@pytest.mark.parametrize("seed", range(3))
def test_nodes_that_had_permits_when_a_crawl_delay_becomes_known_leave_the_host_to_one(seed: int) -> None:
    world = World(FetchLimits(3, delay_ms=0), Random(seed), ("a",))
    nodes = settled(world, "ann", "bob")
    for node in nodes:
        node.needs["a"] = BUSY
    world.pass_s(3)
    assert len(world.record("a").shares) == 2
    world.crawl_s, known_at = 3, world.now
    for node in nodes:
        node.shares.slow_down("a", 3)
    world.pass_s(60)
    starts = [request.start for request in world.ledger if request.start > known_at]
    assert starts[0] >= known_at + 3, "any of the nodes may just have sent one"
    assert min(later - earlier for earlier, later in pairwise(starts)) >= 3 - 1e-6
    assert {request.node for request in world.ledger if request.start > known_at} == {"ann", "bob"}
    ((_, share),) = world.record("a").shares.items()
    assert share.gap == 3000


@pytest.mark.parametrize("seed", range(3))
def test_of_many_shared_hosts_that_get_a_crawl_delay_each_node_soon_has_its_part(seed: int) -> None:
    world = World(FetchLimits(3, delay_ms=0), Random(seed), tuple("abcdef"))
    nodes = settled(world, "ann", "bob")
    for node in nodes:
        node.wants = {*world.hosts}
    world.pass_s(3)
    assert [len(held(world, node)) for node in nodes] == [6, 6]
    world.crawl_s = 3
    for node in nodes:
        for host in world.hosts:
            node.shares.slow_down(host, 3)
    world.pass_s(20)
    before = [held(world, node) for node in nodes]
    assert [len(hosts) for hosts in before] == [3, 3]
    world.pass_s(20)
    assert [held(world, node) for node in nodes] == before


def test_a_node_without_others_continues_at_the_crawl_delay_once_that_is_known() -> None:
    world = world_of(FetchLimits(3, delay_ms=0))
    (ann,) = settled(world, "ann")
    ann.needs["a"] = BUSY
    world.pass_s(3)
    world.crawl_s, known_at = 3, world.now
    ann.shares.slow_down("a", 3)
    world.pass_s(31)
    assert 9 <= sum(request.start > known_at for request in ann.sent) <= 10
    assert world.record("a").shares["ann"] == HostShare(3000, 3)
