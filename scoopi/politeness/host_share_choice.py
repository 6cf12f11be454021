"""How the permits of a host are divided among nodes, and which hosts a node should try to get."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection

from scoopi.model.limits.host_limits import LimitsByHost
from scoopi.politeness.host_share_memory import HostRecord, HostShare, HostShareMemory, KnownHost


class HostShareDivision:
    """How many permits of a host each node gets.

    A host with a delay is given to one node as a whole; without a delay, the permits are divided evenly.

    Args:
        permits: the most requests in flight to the host, of all nodes together.
        delay_ms: the host's configured delay or Crawl-delay.
    Attributes:
        gap_ms: the delay, as each share has it.
        places: how many nodes may have a share of the host at a time.
    """

    def __init__(self, permits: int, delay_ms: int) -> None:
        self._permits = permits
        self.gap_ms = delay_ms
        self.places = 1 if delay_ms else permits

    def free(self, record: HostRecord) -> int:
        """Permits that no node has; a host with a delay has none left as soon as one node has it."""
        if self.places == 1 and record.shares:
            return 0
        return self._permits - sum(share.permits for share in record.shares.values())

    def part(self, record: HostRecord, node: str) -> int:
        """The number of permits due to this node.

        Args:
            node: an incarnation that has a share of the host, or waits for one.
        """
        if self.places == 1:
            return self._permits
        parties = record.parties
        each, left = divmod(self._permits, len(parties))
        return max(1, each + (parties.index(node) < left))

    def is_crowded(self, record: HostRecord) -> bool:
        """Whether more nodes want the host than can have a share at the same time."""
        return len(record.parties) > self.places

    def settled(self, record: HostRecord) -> HostRecord:
        """Return the record with free permits handed out.

        Nodes that wait come first, by arrival, then those that have less than their `part`.
        """
        free = self.free(record)
        for node in (*record.asks, *sorted(record.shares)):
            has = record.shares[node].permits if node in record.shares else 0
            more = min(free, self.part(record, node) - has)
            if more > 0:
                record = record.with_share(node, self.share(has + more))
                free = self.free(record)
        return record

    def share(self, permits: int) -> HostShare:
        """A share of this many permits."""
        return HostShare(self.gap_ms, permits)

    def has_place(self, record: HostRecord, node: str) -> bool:
        """Whether the node may keep its share.

        If several nodes got shares before a Crawl-delay was known, the one with the smallest incarnation
        keeps the host, which all nodes decide alike from the record. The others may wait for it, as always.
        """
        return self.places > 1 or node == min(record.shares)


class HostShareDivisions:
    """Returns the division of each host, by its limits and its Crawl-delay.

    Args:
        crawl_delay_s: returns the Crawl-delay of a host as far as it is known, else 0.
    """

    def __init__(self, limits: LimitsByHost, crawl_delay_s: Callable[[str], float]) -> None:
        self._limits = limits
        self._crawl_delay_s = crawl_delay_s
        self._known: dict[tuple[int, int], HostShareDivision] = {}

    def of(self, host: str) -> HostShareDivision:
        """The division of the host."""
        limits = self._limits.for_host(host)
        delay_ms = limits.delay_ms or math.ceil(self._crawl_delay_s(host) * 1000)
        key = limits.parallelism, delay_ms
        division = self._known.get(key)
        if division is None:
            division = self._known[key] = HostShareDivision(limits.parallelism, delay_ms)
        return division


class HostShareChoice:
    """Chooses the hosts that this node takes a share of.

    Made for one round; each host that it takes leaves less room for the next.

    Args:
        current: returns a host's record without the nodes that have left or died.
        live: number of live nodes, including this one.
        turn_s: seconds for which a free host beyond this node's fair part is left to others.
        wanted: the hosts to choose from.
    """

    def __init__(
        self,
        memory: HostShareMemory,
        divisions: HostShareDivisions,
        current: Callable[[KnownHost], HostRecord],
        live: int,
        turn_s: float,
        wanted: Collection[str],
    ) -> None:
        self._memory = memory
        self._divisions = divisions
        self._current = current
        self._turn_s = turn_s
        shared = {host: known.record.shares for host, known in memory.known.items() if self._is_held(known)}
        self._counts = Counter(node for shares in shared.values() for node in shares)
        self._most_held = math.ceil(len(shared) / live)
        unshared = sum(host not in shared and self._is_delayed(host) for host in wanted)
        involved = sum(host in shared or self._is_delayed(host) for host in memory.involved)
        self._room = math.ceil((len(shared) + unshared) / live) - involved

    def takes(self, host: str) -> bool:
        """Whether to take a share of the host, or ask for one."""
        known = self._memory.known.get(host)
        if known is None:
            return False
        division = self._divisions.of(host)
        if division.places > 1:
            return host in self._memory.involved or len(self._current(known).parties) < division.places
        if host in self._memory.involved:
            return self._memory.has_share(host) or self._may_wait(known)
        takes = self._is_free(known) or self._is_too_much(known)
        self._room -= takes
        return takes

    def may_keep(self) -> bool:
        """Whether this node has, and waits for, no more than its fair part of the hosts with a delay."""
        return self._room >= 0

    def _is_held(self, known: KnownHost) -> bool:
        """Whether the host has a delay, and a node has it."""
        return any(share.gap for share in known.record.shares.values())

    def _is_delayed(self, host: str) -> bool:
        return self._divisions.of(host).places == 1

    def _may_wait(self, known: KnownHost) -> bool:
        """Whether to go on waiting: the node that has the host still has more than its fair part."""
        return any(self._counts[node] > self._most_held for node in self._current(known).shares)

    def _is_free(self, known: KnownHost) -> bool:
        """Whether no node has the host; beyond this node's fair part, whether none took it for a turn."""
        if self._current(known).parties:
            return False
        if self._room > 0:
            return True
        now = self._memory.clock()
        if known.left_since is None:
            known.left_since = now
        return now >= known.left_since + self._turn_s

    def _is_too_much(self, known: KnownHost) -> bool:
        """Whether the host's node has more than its fair part, this node has less, and none waits yet."""
        parties = known.record.parties
        return self._room > 0 and len(parties) == 1 and self._counts[parties[0]] > self._most_held
