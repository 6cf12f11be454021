"""Nodes that share hosts take every job once, and each its part; the store is a real one."""

from __future__ import annotations

from scoopi.configs.groups import FetchLimits
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.politeness.host_shares import HostShares, OwnNode, ShareTimes
from scoopi.politeness.host_sharing import InFlight
from scoopi.politeness.shared_hosts import SharedHosts
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import Store
from tests.clock import Clock

HOST, OTHER, FILES = "a.example:80", "b.example:80", "file"
TIMES = ShareTimes(turn_ms=2000, gap_ms=15_000)


class Tasks:
    """What a node has at hand, as the test says."""

    def __init__(self) -> None:
        self.needed: set[str] = set()
        self.room = 32

    def wanted(self, host: str) -> int:
        return self.room

    def needed_hosts(self) -> set[str]:
        return self.needed


class Node:
    """One node's part of sharing, without its threads."""

    def __init__(self, store: Store, name: str, limits: FetchLimits, clock: Clock) -> None:
        self.membership = Membership(store, name, name, clocks=NodeClocks(clock, clock))
        self.jobs = JobStore(store, name)
        self.tasks = Tasks()
        self.flying = InFlight()
        look = self.membership
        view = OwnNode(look.own_beat_is_old, lambda: look.last_scan, self.flying.count)
        self.shares = HostShares(
            store, name, limits, ShareTimes(2000, 15_000), view, NodeClocks(clock, clock)
        )
        self.hosts = SharedHosts(self.shares, self.jobs, self.tasks.needed_hosts, self.tasks.wanted, clock)

    def live(self) -> None:
        self.membership.beat(NodeLoad(0, False))
        self.membership.watch()


def two_nodes(store: Store, clock: Clock, parallelism: int, delay_ms: int) -> tuple[Node, Node]:
    limits = FetchLimits(parallelism, delay_ms)
    ann, bob = (Node(store, name, limits, clock) for name in ("ann", "bob"))
    for node in (ann, bob, ann):
        node.live()
    return ann, bob


def put(node: Node, host: str, number: int) -> None:
    jobs = [f"{host}-{each}" for each in range(number)]
    node.jobs.put([NewJob(job, host, JobPayload(Locator(job, "g", job), seed=job)) for job in jobs])


def rounds(clock: Clock, *nodes: Node, hosts: tuple[str, ...] = (HOST,), number: int = 8) -> None:
    for _ in range(number):
        clock.now += 0.25
        for node in nodes:
            node.live()
            node.hosts.round(hosts)


def test_one_node_takes_the_jobs_of_a_delayed_host(store: Store, clock: Clock) -> None:
    ann, bob = two_nodes(store, clock, 1, 1000)
    put(ann, HOST, 5)
    rounds(clock, ann, bob)
    assert [node.hosts.may_take(HOST) for node in (ann, bob)] == [True, False]


def test_a_redirect_to_a_host_of_another_node_is_waited_for_by_asking(store: Store, clock: Clock) -> None:
    ann, bob = two_nodes(store, clock, 1, 1000)
    put(ann, HOST, 5)
    rounds(clock, ann)
    bob.tasks.needed = {HOST}
    rounds(clock, bob, ann, number=2)
    assert not ann.hosts.may_take(HOST), "the holder of the host takes no new jobs of it while another waits"
    rounds(clock, bob, ann, number=10)
    assert bob.shares.share_of(HOST) is not None
    assert ann.shares.share_of(HOST) is None


def test_a_host_that_no_job_was_ever_put_for_can_be_needed(store: Store, clock: Clock) -> None:
    ann, _ = two_nodes(store, clock, 1, 1000)
    ann.tasks.needed = {"redirected.example:80"}
    rounds(clock, ann, number=1)
    assert ann.shares.share_of("redirected.example:80") is not None


def test_hosts_without_ready_jobs_are_named_and_not_taken(store: Store, clock: Clock) -> None:
    ann, _ = two_nodes(store, clock, 1, 1000)
    put(ann, HOST, 1)
    ann.jobs.take(HOST, 1)
    clock.now += 1
    assert ann.hosts.round([HOST]) == {HOST}
    assert not ann.hosts.may_take(HOST)


def test_a_node_without_room_takes_no_host(store: Store, clock: Clock) -> None:
    ann, _ = two_nodes(store, clock, 1, 1000)
    put(ann, HOST, 3)
    ann.tasks.room = 0
    rounds(clock, ann)
    assert not ann.hosts.may_take(HOST)


def test_when_few_jobs_are_left_each_node_takes_its_part(store: Store, clock: Clock) -> None:
    ann, bob = two_nodes(store, clock, 8, 0)
    put(ann, HOST, 10)
    rounds(clock, ann, bob)
    assert [node.hosts.may_take(HOST) for node in (ann, bob)] == [True, True]
    assert ann.hosts.part(HOST, 32) == 5
    assert ann.hosts.part(HOST, 2) == 2


def test_every_node_takes_of_the_local_files_without_a_share(store: Store, clock: Clock) -> None:
    ann, bob = two_nodes(store, clock, 1, 1000)
    put(ann, FILES, 9)
    rounds(clock, ann, bob, hosts=(FILES,))
    assert ann.hosts.may_take(FILES)
    assert bob.hosts.may_take(FILES)
    assert ann.hosts.part(FILES, 32) == 4


def test_a_node_whose_heartbeat_is_old_takes_nothing_not_even_files(store: Store, clock: Clock) -> None:
    ann, _ = two_nodes(store, clock, 1, 1000)
    put(ann, FILES, 1)
    put(ann, HOST, 1)
    rounds(clock, ann, hosts=(FILES, HOST))
    assert ann.hosts.may_take(FILES)
    clock.now += 8
    ann.hosts.round([FILES, HOST])
    assert not ann.hosts.may_take(FILES)
    assert not ann.hosts.may_take(HOST)


def test_rounds_and_sweeps_have_their_periods(store: Store, clock: Clock) -> None:
    ann, _ = two_nodes(store, clock, 1, 1000)
    assert ann.hosts.is_due()
    assert ann.hosts.is_sweep_due()
    ann.hosts.round([])
    assert not ann.hosts.is_due()
    clock.now += 0.25
    assert ann.hosts.is_due()
    assert not ann.hosts.is_sweep_due()
    clock.now += 0.75
    assert ann.hosts.is_sweep_due()
