"""HostShares: which hosts this node may send requests to, and how many at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import NamedTuple

import msgspec

from scoopi.model.limits.host_limits import LimitsByHost
from scoopi.politeness.host_share_choice import HostShareChoice, HostShareDivisions
from scoopi.politeness.host_share_memory import (
    HostRecord,
    HostRecords,
    HostShare,
    HostShareMemory,
    KnownHost,
    Share,
)
from scoopi.store.nodes.lease import SYSTEM_CLOCKS, NodeClocks
from scoopi.store.nodes.node_record import NodeScan
from scoopi.store.ports import HOSTS, Change, Store

MOST_AT_ONCE = 256
"""The most hosts that a node tries to get in one round, as each costs a search for ready jobs."""
ROUNDS = 4
"""How often a change that conflicted with another node's is retried within a round."""


class OwnNode(msgspec.Struct, frozen=True):
    """The state of this node and of the others, as callables that any thread may call and that never wait.

    Attributes:
        own_beat_is_old: returns whether this node's heartbeat is so old that it must send nothing.
        last_scan: returns what the last read of all heartbeats showed.
        in_flight: returns how many requests this node has in flight to a host; a permit counts as used
            before `share_of` is asked for it (see there).
    """

    own_beat_is_old: Callable[[], bool]
    last_scan: Callable[[], NodeScan]
    in_flight: Callable[[str], int]


class _Work(msgspec.Struct, frozen=True):
    """The hosts for which this node has work; see `HostShares.settle`."""

    needed: frozenset[str]
    wanted: frozenset[str]


class _Move(NamedTuple):
    """A record to write, and how many permits to use once it is written."""

    record: HostRecord
    permits: int


class ShareTimes(msgspec.Struct, frozen=True):
    """How long a node may keep a host.

    Attributes:
        turn_ms: how long it may continue to send while others wait for the host.
        gap_ms: the liveness gap, after which a node without a heartbeat counts as dead.
    """

    turn_ms: int
    gap_ms: int


class HostShares:
    """Which hosts this node may send requests to, and how many at a time.

    Shares are kept in the hosts' records and changed by conditional writes only.

    One thread makes rounds: `poll`, then `settle`; both raise StoreError, and the next round continues.
    Any other thread may call `share_of`, which reads plain values.

    Args:
        store: one that settles its writes.
        limits: the limits of each host, for all nodes together.
    Source: ARCHITECTURE, protocol rules 1 and 8.
    """

    def __init__(
        self,
        store: Store,
        incarnation: str,
        limits: LimitsByHost,
        times: ShareTimes,
        node: OwnNode,
        clocks: NodeClocks = SYSTEM_CLOCKS,
    ) -> None:
        self._store, self._incarnation = store, incarnation
        self._turn_s = times.turn_ms / 1000
        self._vouched_s = times.gap_ms / 2000
        self._node = node
        self._clock, self._own_clock = clocks.monotonic, clocks.boottime
        self._records = HostRecords(incarnation)
        self._memory = HostShareMemory(incarnation, store, self._records, clocks.monotonic)
        self._divisions = HostShareDivisions(limits, self._memory.crawl_delay_s)
        self._polled_at = -math.inf
        self._pauses: dict[str, int] = {}
        self._may_keep = True  # this node has no more than its fair part of the hosts, as of `candidates`

    def share_of(self, host: str) -> Share | None:
        """This node's current share of the host; None if it must send nothing.

        The caller must count the request as in flight before, and take it back if the share does not
        allow it; otherwise a share could be given away between the call and the counting.
        """
        share = self._memory.usable(host)
        return None if share is None or self._node.own_beat_is_old() or not self._is_vouched() else share

    def slow_down(self, host: str, delay_s: float) -> None:
        """Keep a Crawl-delay of `delay_s` seconds, also after a host was another node's; for any thread."""
        self._memory.slow_down(host, delay_s)

    def pause(self, host: str, pause_s: float) -> None:
        """Make all nodes pause the host for `pause_s` seconds, from the next round on; for any thread."""
        self._pauses[host] = math.ceil(pause_s * 1000)

    def may_take(self, host: str) -> bool:
        """Whether new jobs of the host may be taken: this node has it, and no node waits for all of it.

        A node that has got the host and had no job of it yet takes some although another node waits.
        """
        known = self._memory.known.get(host)
        if known is None or self.share_of(host) is None:
            return False
        return known.is_new or not self._is_waited_for(host, known.record)

    def parties(self, host: str) -> int:
        """How many nodes have a share of the host, wait for one, or may yet ask for one."""
        known, live = self._memory.known.get(host), self._node.last_scan().live
        here = len(known.record.parties) if known else 0
        return max(here, min(self._divisions.of(host).places, live)) if here else live

    def hosts(self) -> Collection[str]:
        """All hosts that had a record at the last poll."""
        return self._memory.known.keys()

    def candidates(self, hosts: Iterable[str]) -> list[str]:
        """The hosts among these that this node should get now, at most MOST_AT_ONCE, in an order of its own.

        Call it between `poll` and `settle`. A node takes no more than its fair part of the hosts with a
        delay, except those that no node took within a turn; it asks a node that has too many for some.
        """
        memory = self._memory
        wanted = memory.in_order([host for host in hosts if host not in memory.open])
        live, turn_s = self._node.last_scan().live, self._turn_s
        choice = HostShareChoice(memory, self._divisions, self._record, live, turn_s, wanted)
        found = list(islice(filter(choice.takes, wanted), MOST_AT_ONCE))
        self._may_keep = choice.may_keep()
        return found

    def poll(self, hosts: Collection[str] = (), everything: bool = False) -> bool:
        """Read the records of the hosts that this node has or waits for.

        Args:
            hosts: further hosts to read: those that jobs of this node wait for, and new ones.
            everything: read all hosts' records.
        Returns:
            False if this node's own heartbeat is old: it has no share until it is renewed.
        """
        began_at = self._own_clock()
        if self._node.own_beat_is_old() or not self._is_vouched():
            # Others may have declared this node dead: each share is written again before it is used.
            self._memory.open.clear()
        if self._node.own_beat_is_old():
            return False
        if everything:
            self._memory.read_all()
        else:
            self._memory.read(self._memory.involved.union(hosts))
        self._polled_at = began_at
        return True

    def settle(self, needed: Collection[str], wanted: Collection[str]) -> None:
        """Take, request, divide and give up shares, based on the last poll.

        Args:
            needed: hosts that jobs of this node wait for, in a queue or for a grant.
            wanted: hosts with jobs in the store that this node would take.
        """
        if not self._is_vouched():
            return
        work = _Work(frozenset(needed), frozenset(wanted))
        concerned = work.needed.union(work.wanted, self._memory.involved, list(self._pauses))
        self._memory.make([host for host in concerned if host not in self._memory.known])
        pending: Collection[str] = concerned
        for _ in range(ROUNDS):
            # A host that another node took first is left to it, unless jobs of this node wait for it.
            lost = self._settled(pending, work)
            pending = work.needed.union(self._memory.involved).intersection(lost)
            if not pending:
                return

    def _settled(self, hosts: Collection[str], work: _Work) -> list[str]:
        """Write the changes; returns the hosts whose record another node has changed."""
        moves = {host: move for host in hosts if (move := self._move(host, work)) is not None}
        known = self._memory.known
        changes = [
            Change(host, known[host].raw, self._records.written(move.record)) for host, move in moves.items()
        ]
        lost = []
        for change, outcome in zip(changes, self._store.cas_all(HOSTS, changes), strict=True):
            is_first = not known[change.key].record.by
            self._memory.learn(change.key, outcome.current)
            if not outcome.won:
                lost.append(change.key)
                continue
            if self._pauses.get(change.key) == moves[change.key].record.pause:
                del self._pauses[change.key]
            if permits := moves[change.key].permits:
                self._memory.open_share(change.key, permits, is_first)
        return lost

    def _move(self, host: str, work: _Work) -> _Move | None:
        known = self._memory.known.get(host)
        if known is None:
            return None
        record, pause_ms = self._record(known), self._pauses.get(host)
        if pause_ms is not None:
            record = record.paused(pause_ms)
        share = record.shares.get(self._incarnation)
        if share is not None:
            return self._move_with_share(host, known, record, share, work)
        self._memory.open.pop(host, None)
        is_wanted = host in work.needed or host in work.wanted
        record = record.asked_by(self._incarnation) if is_wanted else record.without({self._incarnation})
        record = self._divisions.of(host).settled(record)
        got = record.shares.get(self._incarnation)
        return None if record.same_shares(known.record) else _Move(record, got.permits if got else 0)

    def _move_with_share(
        self, host: str, known: KnownHost, record: HostRecord, share: HostShare, work: _Work
    ) -> _Move | None:
        division = self._divisions.of(host)
        has_place = division.has_place(record, self._incarnation)
        if not has_place or self._gives_away(host, known, record, share, work):
            self._memory.open.pop(host, None)
            if self._node.in_flight(host):
                return None
            record = record.without({self._incarnation})
            is_own = division.places == 1 and self._may_keep
            if host in work.needed or (is_own and host in work.wanted):
                record = record.asked_by(self._incarnation)
            return _Move(division.settled(record), 0)
        due = division.part(record, self._incarnation)
        if share.permits > due or share.gap < division.gap_ms:
            self._memory.lower(host, due)
            kept = min(share.permits, max(due, self._node.in_flight(host)))
            record = record.with_share(self._incarnation, division.share(kept))
        record = division.settled(record)
        permits = min(due, record.shares[self._incarnation].permits)
        opened = self._memory.open.get(host)
        if opened is not None and opened.permits == permits and record.same_shares(known.record):
            return None
        return _Move(record, permits)

    def _gives_away(
        self, host: str, known: KnownHost, record: HostRecord, share: HostShare, work: _Work
    ) -> bool:
        """Whether this node's turn is over, or it has nothing to do for the host."""
        now = self._clock()
        is_busy = host in work.needed or self._node.in_flight(host) > 0
        known.is_new = not is_busy and (known.is_new or math.isinf(known.first_at))
        if self._is_waited_for(host, record):
            if known.waiting_since is None:
                known.waiting_since = now
            usable_from = self._memory.usable_from(host, known.first_at, share.gap)
            is_over = now >= max(usable_from, known.waiting_since) + self._turn_s
            return is_over or not (is_busy or (known.is_new and host in work.wanted))
        known.waiting_since = None
        if is_busy or host in work.wanted:
            known.idle_since = None
        elif known.idle_since is None:
            known.idle_since = now
        return known.idle_since is not None and now >= known.idle_since + self._turn_s

    def _is_waited_for(self, host: str, record: HostRecord) -> bool:
        """Whether other nodes wait that get nothing unless this node gives up all that it has."""
        waits = any(node != self._incarnation for node in record.asks)
        return waits and self._divisions.of(host).is_crowded(record)

    def _record(self, known: KnownHost) -> HostRecord:
        """The record without the nodes that have left or died.

        A node that is dead was still so after the record was read: had it returned before, it would have
        written its share again, and the record would differ.
        """
        scan = self._node.last_scan()
        return known.record.without(scan.left | scan.dead if scan.at > known.read_at else scan.left)

    def _is_vouched(self) -> bool:
        """Whether the last poll is recent enough that no node can have declared this one dead since."""
        return self._own_clock() - self._polled_at < self._vouched_s
