"""A world of nodes that share hosts: a scripted clock, a ledger as the hosts' own logs, and faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import cast

from scoopi.errors import StoreError
from scoopi.model.limits.host_limits import LimitsByHost
from scoopi.politeness.host_share_memory import HostRecord, HostRecords
from scoopi.politeness.host_shares import HostShares, OwnNode, ShareTimes
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.ports import HOSTS, RUN_MAPS, Change, Outcome, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from tests.store.faulty_store import Faults, FaultyStore
from tests.store.memory_store import MemoryStore

TURN_MS, GAP_MS = 2000, 15_000
TIMES = ShareTimes(TURN_MS, GAP_MS)


class LateStore:
    """Lets the world go on before a write is made, and makes some writes long after they were given up."""

    def __init__(self, inner: Store, before: Callable[[], None], random: Random) -> None:
        self._inner = inner
        self._before = before
        self._random = random
        self.late: list[Callable[[], object]] = []
        self.late_share = 0.0

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        if store_map is HOSTS:
            self._before()
            if self._random.random() < self.late_share:
                self.late.append(lambda: self._inner.cas_all(store_map, list(changes)))
                raise StoreError("nobody knows whether it will be made")
        return self._inner.cas_all(store_map, changes)


@dataclass
class Request:
    """One request as the host sees it, and as its node does."""

    host: str
    node: str
    start: float
    end: float


@dataclass
class World:
    """One store, one clock, many nodes; time goes in steps of 0.1 s."""

    limits: LimitsByHost
    random: Random
    hosts: tuple[str, ...] = ("a", "b")
    faults: Faults = field(default_factory=Faults)
    shortest_s: float = 0.05
    longest_s: float = 1.0
    ahead: int = 0  # so many jobs of a host a node takes in advance
    crawl_s: float = 0.0  # as the robots.txt of each host demands
    now: float = 100.0
    store: MemoryStore = field(default_factory=lambda: MemoryStore(RUN_MAPS))
    nodes: list[Node] = field(default_factory=list)
    everyone: list[Node] = field(default_factory=list)
    ledger: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store.put_if_absent_all(HOSTS, [(host, b"{}") for host in self.hosts])

    def clock(self) -> float:
        return self.now

    def join(self, name: str = "") -> Node:
        node = Node(self, name or f"n{len(self.everyone)}")
        self.nodes.append(node)
        self.everyone.append(node)
        return node

    def pass_s(self, seconds: float) -> None:
        """All nodes that are awake do what they do."""
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            for node in self.random.sample(self.nodes, len(self.nodes)):
                node.act()

    def record(self, host: str) -> HostRecord:
        return HostRecords("").read(host, self.store.maps[HOSTS][host])

    def check(self) -> None:
        """What the hosts' own logs show keeps the promise, and so does every record."""
        for host in self.hosts:
            starts = [request.start for request in self.ledger if request.host == host]
            gaps = [later - earlier for earlier, later in pairwise(starts)]
            limits = self.limits.for_host(host)
            least_s = max(limits.delay_ms / 1000, self.crawl_s)
            assert all(gap >= least_s - 1e-6 for gap in gaps), (host, min(gaps))
            flying = [request for request in self.ledger if request.host == host]
            for request in flying:
                over = [one for one in flying if one.start <= request.start < one.end - 1e-6]
                assert len(over) <= limits.parallelism, (host, over)

    def check_record(self, host: str) -> None:
        shares, limits = self.record(host).shares, self.limits.for_host(host)
        assert sum(share.permits for share in shares.values()) <= limits.parallelism
        assert len(shares) <= 1 or not limits.delay_ms


class Node:
    """One incarnation: beats, makes rounds, and sends whenever its share and its work allow."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.needs: dict[str, int] = {}
        self.wants: set[str] = set()
        self.flying: list[Request] = []
        self.sent: list[Request] = []
        self.asleep_until = 0.0
        self.suspended_s = 0.0  # so long its monotonic clock stood still
        self.cut_off_until = 0.0
        self.errors = 0
        self.in_round = False
        self.interlude: Callable[[], None] | None = None
        self.next_at: dict[str, float] = {}
        self.beat_at = self.round_at = 0.0
        faulty = FaultyStore(world.store, world.faults, world.random.randrange(10**6))
        self.late = LateStore(faulty, self._before_write, world.random)
        store = SettlingStore(cast(Store, self.late), tries=3)
        self.membership = Membership(
            store, name, f"node-{name}", 1000, GAP_MS, NodeClocks(self.clock, world.clock)
        )
        view = OwnNode(self.membership.own_beat_is_old, lambda: self.membership.last_scan, self.in_flight)
        clocks = NodeClocks(self.clock, world.clock)
        self.shares = HostShares(store, name, world.limits, TIMES, view, clocks)
        for host in world.hosts if world.crawl_s else ():
            self.shares.slow_down(host, world.crawl_s)

    def clock(self) -> float:
        """The node's monotonic clock."""
        return self.world.now - self.suspended_s

    def in_flight(self, host: str) -> int:
        return sum(request.host == host for request in self.flying)

    @property
    def has_interlude(self) -> bool:
        """Whether the next write is still to be held up."""
        return self.interlude is not None

    def act(self) -> None:
        now = self.world.now
        if now < self.asleep_until:
            return
        self.flying = [request for request in self.flying if request.end > now]
        steps = [self._live, self._send, self._round]
        self.world.random.shuffle(steps)
        for step in steps:
            if now >= self.asleep_until:
                step()

    def die(self) -> None:
        """Killed: whatever was in flight breaks off."""
        self.world.nodes.remove(self)
        for request in self.flying:
            request.end = min(request.end, self.world.now)

    def leave(self) -> None:
        """In the graceful way: what is in flight has ended; the last heartbeat may be lost all the same."""
        self.die()
        with suppress(StoreError):
            self.membership.beat(NodeLoad(0, True), NodeStatus.LEFT)

    def _live(self) -> None:
        if self.world.now < max(self.beat_at, self.cut_off_until):
            return
        self.beat_at = self.world.now + 0.95
        try:
            self.membership.beat(NodeLoad(0, False))
            self.membership.watch()
        except StoreError:
            self.errors += 1

    def _round(self) -> None:
        if self.in_round or self.world.now < max(self.round_at, self.cut_off_until):
            return
        self.round_at = self.world.now + 0.25
        self.in_round = True
        needed = [host for host, count in self.needs.items() if count]
        try:
            if self.shares.poll([*needed, *self.wants], everything=self.world.random.random() < 0.25):
                self.shares.settle(needed, self.shares.candidates(self.wants) + self._kept())
        except StoreError:
            self.errors += 1
        self.in_round = False
        for host in self.world.hosts:
            self.world.check_record(host)
        self._take()

    def _take(self) -> None:
        """Take jobs in advance, as the job runner does after each round."""
        for host in self.wants if self.world.ahead else ():
            if self.needs.get(host, 0) <= self.world.ahead // 2 and self.shares.may_take(host):
                self.needs[host] = self.world.ahead

    def _kept(self) -> list[str]:
        return [host for host in self.wants if self.shares.share_of(host)]

    def _send(self) -> None:
        for host in self.world.hosts:
            takes = not self.world.ahead and host in self.wants and self.shares.may_take(host)
            works = self.needs.get(host, 0) or takes
            if works:
                self._send_one(host)

    def _send_one(self, host: str) -> None:
        now = self.world.now
        if now < self.next_at.get(host, 0):
            return
        long = self.world.random.uniform(self.world.shortest_s, self.world.longest_s)
        request = Request(host, self.name, now, now + long)
        self.flying.append(request)
        share = self.shares.share_of(host)
        if share is None or now < share.first_at or self.in_flight(host) > share.permits:
            self.flying.remove(request)
            return
        self.next_at[host] = now + max(share.gap_ms / 1000, self.world.crawl_s)
        self.world.ledger.append(request)
        self.sent.append(request)
        if self.needs.get(host, 0):
            self.needs[host] -= 1

    def _before_write(self) -> None:
        if self.interlude is not None:
            interlude, self.interlude = self.interlude, None
            interlude()
