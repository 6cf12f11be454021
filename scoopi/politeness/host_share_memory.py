"""HostShareMemory: the hosts' records as last read from the store, and what this node may send by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from scoopi.model.job import Count
from scoopi.store.jobs.job_store import NEW_HOST
from scoopi.store.ports import HOSTS, Store, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 1000


class HostShare(msgspec.Struct, frozen=True):
    """A node's part of a host.

    Attributes:
        gap: least milliseconds between the starts of two requests.
        permits: the most requests in flight.
    """

    gap: Count
    permits: Count


class HostRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One host's record; `{}` until the first node has a share.

    Attributes:
        shares: by incarnation.
        asks: incarnations that wait for a share, in order of arrival.
        by: the node that wrote this.
        number: counts the writes of `by`, so that no two writes are equal (ARCHITECTURE, protocol rule 1).
        pause: milliseconds for which each node sends nothing after it has read a larger count of `pauses`.
    """

    shares: dict[str, HostShare] = {}
    asks: tuple[str, ...] = ()
    by: str = ""
    number: Count = 0
    pause: Count = 0
    pauses: Count = 0

    @property
    def parties(self) -> list[str]:
        """The nodes that have a share or wait for one, sorted."""
        return sorted({*self.shares, *self.asks})

    def same_shares(self, other: HostRecord) -> bool:
        """Whether both have the same shares, waiting nodes and pauses, regardless of `by`."""
        return (self.shares, self.asks, self.pauses) == (other.shares, other.asks, other.pauses)

    def paused(self, pause_ms: int) -> HostRecord:
        """A copy with a further pause for all nodes."""
        return msgspec.structs.replace(self, pause=pause_ms, pauses=self.pauses + 1)

    def without(self, nodes: frozenset[str] | set[str]) -> HostRecord:
        """A copy in which these incarnations neither have a share nor wait for one."""
        if nodes.isdisjoint(self.shares) and nodes.isdisjoint(self.asks):
            return self
        shares = {node: share for node, share in self.shares.items() if node not in nodes}
        asks = tuple(node for node in self.asks if node not in nodes)
        return msgspec.structs.replace(self, shares=shares, asks=asks)

    def asked_by(self, node: str) -> HostRecord:
        """A copy in which the node waits last, unless it waits already."""
        return self if node in self.asks else msgspec.structs.replace(self, asks=(*self.asks, node))

    def with_share(self, node: str, share: HostShare) -> HostRecord:
        """A copy in which the node has this share, and no longer waits."""
        asks = tuple(each for each in self.asks if each != node)
        return msgspec.structs.replace(self, shares={**self.shares, node: share}, asks=asks)


class HostRecords:
    """Encodes and decodes the records of hosts, as canonical JSON: equal records are equal bytes.

    Args:
        incarnation: incarnation of the node that writes them.
    """

    def __init__(self, incarnation: str) -> None:
        self._incarnation = incarnation
        self._codec = RecordCodec(HOSTS, HostRecord)
        self._written = 0
        self.read = self._codec.read

    def written(self, record: HostRecord) -> bytes:
        """The record, encoded as this node's next write."""
        self._written += 1
        return self._codec.encode(msgspec.structs.replace(record, by=self._incarnation, number=self._written))


class Share(NamedTuple):
    """What a node may send to a host.

    Attributes:
        permits: the most requests in flight.
        gap_ms: least time between the starts of two requests.
        first_at: monotonic seconds before which nothing is sent.
    """

    permits: int
    gap_ms: int
    first_at: float


class KnownHost(msgspec.Struct):
    """A host's record as last read; times are monotonic seconds.

    Attributes:
        read_at: when this version was first read.
        first_at: `Share.first_at` of the share that was opened last; infinity if none was.
        waiting_since: since when other nodes wait for this node to give up the host; None if none does.
        idle_since: since when this node has had no work for the host; None while it has some.
        left_since: since when this node has left the free host to others; None if it does not.
        is_new: whether this node has the host without having had work for it yet.
    """

    raw: bytes
    record: HostRecord
    read_at: float
    first_at: float = math.inf
    waiting_since: float | None = None
    idle_since: float | None = None
    left_since: float | None = None
    is_new: bool = False


class HostShareMemory:
    """The hosts' records as last read from the store, and what this node may send by them.

    Written by one thread; any thread may read `open`.

    A share opens or grows only when a write of this node has won, never by reading a record. So a write that
    was given up and arrives late finds a changed record, and is lost; and a node that declares this one dead,
    by an older read, cannot take away a share that was opened since.

    Attributes:
        known: host -> its record as last read.
        open: host -> this node's share, which it may use.
        involved: hosts in whose records this node has a share, or waits for one.
        paused_until: host -> monotonic seconds before which nothing is sent; each node counts from when it
            read of the pause, as clocks of two nodes are never compared.
        clock: returns monotonic seconds.
    """

    def __init__(
        self, incarnation: str, store: Store, records: HostRecords, clock: Callable[[], float]
    ) -> None:
        self._incarnation = incarnation
        self._store = store
        self._records = records
        self.clock = clock
        self._orders: dict[str, bytes] = {}
        self.known: dict[str, KnownHost] = {}
        self.open: dict[str, Share] = {}
        self.involved: set[str] = set()
        self.paused_until: dict[str, float] = {}
        self._delays: dict[str, float] = {}

    def slow_down(self, host: str, delay_s: float) -> None:
        """Note the Crawl-delay of a host, in seconds; for any thread."""
        self._delays[host] = delay_s

    def crawl_delay_s(self, host: str) -> float:
        """The Crawl-delay of a host, in seconds; 0 if none is known; for any thread."""
        return self._delays.get(host, 0.0)

    def usable(self, host: str) -> Share | None:
        """This node's open share, with the time from which it may be used; None without one; for any thread.

        A share without a gap must not be used once a Crawl-delay is known: other nodes may have such shares.
        """
        share = self.open.get(host)
        if share is None or (not share.gap_ms and self.crawl_delay_s(host)):
            return None
        first_at = self.usable_from(host, share.first_at, share.gap_ms)
        return share if first_at == share.first_at else share._replace(first_at=first_at)

    def usable_from(self, host: str, first_at: float, gap_ms: int) -> float:
        """When a share may be used, in monotonic seconds: after a pause, and after a longer Crawl-delay.

        The node that had the host before may have sent a request just before this one got it, so the
        Crawl-delay counts from there.

        Args:
            first_at: when the share may be used without either, one `gap_ms` after this node got it.
        """
        longer_s = max(0.0, self.crawl_delay_s(host) - gap_ms / 1000)
        return max(first_at + longer_s, self.paused_until.get(host, -math.inf))

    def has_share(self, host: str) -> bool:
        """Whether this node has a share in the host's record, whether it may use it or not."""
        known = self.known.get(host)
        return known is not None and self._incarnation in known.record.shares

    def read_all(self) -> None:
        """Read all records."""
        found = set()
        for page in pages(self._store, HOSTS, PAGE):
            for host, raw in page:
                self.learn(host, raw)
                found.add(host)
        for host in self.known.keys() - found:
            self.learn(host, None)

    def read(self, hosts: Collection[str]) -> None:
        """Read the records of these hosts; one without a record is dropped from `known`."""
        if hosts:
            found = self._store.get_all(HOSTS, list(hosts))
            for host in hosts:
                self.learn(host, found.get(host))

    def make(self, hosts: Collection[str]) -> None:
        """Create the records of these hosts, unless another node has."""
        if hosts:
            outcomes = self._store.put_if_absent_all(HOSTS, [(host, NEW_HOST) for host in hosts])
            for host, outcome in zip(hosts, outcomes, strict=True):
                self.learn(host, outcome.current)

    def learn(self, host: str, raw: bytes | None) -> None:
        """Note the record of a host as it was read; `raw` is None if it has none."""
        known = self.known.get(host)
        if known is not None and known.raw == raw:
            return
        if raw is None:
            self.known.pop(host, None)
            self.involved.discard(host)
            self.open.pop(host, None)
            return
        record = self._records.read(host, raw)
        if record.pauses > (0 if known is None else known.record.pauses):
            self.paused_until[host] = self.clock() + record.pause / 1000
        if known is None:
            known = self.known[host] = KnownHost(raw, record, self.clock())
        known.raw, known.record, known.read_at = raw, record, self.clock()
        known.left_since = None
        has_share = self._incarnation in record.shares
        if not has_share:
            self.open.pop(host, None)
            known.first_at, known.waiting_since, known.idle_since = math.inf, None, None
        if has_share or self._incarnation in record.asks:
            self.involved.add(host)
        else:
            self.involved.discard(host)

    def open_share(self, host: str, permits: int, is_first: bool) -> None:
        """Note that a write with this node's share has won, so that the share may be used.

        Args:
            permits: how many of its permits may be used.
            is_first: no node ever had the host, so none can have sent a request just now.
        """
        known, was = self.known[host], self.open.get(host)
        gap_ms = known.record.shares[self._incarnation].gap
        if was is not None and was.gap_ms != gap_ms:
            was = None
        if was is None:
            known.first_at = self.clock() + (0 if is_first else gap_ms / 1000)
            known.waiting_since = known.idle_since = None
        self.open[host] = Share(permits, gap_ms, known.first_at if was is None else was.first_at)

    def lower(self, host: str, permits: int) -> None:
        """Use at most this number of permits of the host from now on."""
        share = self.open.get(host)
        if share is not None and share.permits > permits:
            self.open[host] = share._replace(permits=permits)

    def in_order(self, hosts: list[str]) -> list[str]:
        """Hosts in an order of this node's own, so that nodes seldom begin with the same host."""
        return sorted(hosts, key=self._order)

    def _order(self, host: str) -> bytes:
        order = self._orders.get(host)
        if order is None:
            order = blake2b(f"{self._incarnation} {host}".encode(), digest_size=8).digest()
            self._orders[host] = order
        return order
