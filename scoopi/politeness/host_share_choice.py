"""HostShareChoice: which of the hosts that have jobs a node should try to get, so that each has its part."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection

from scoopi.politeness.host_share_division import HostShareDivision
from scoopi.politeness.host_share_memory import HostShareMemory, KnownHost
from scoopi.politeness.host_share_record import HostRecord


class HostShareChoice:
    """Made for one round; with each host that it takes there is less room for the next.

    Args:
        current: a host's record without the nodes that are gone.
        live: how many nodes there are to share.
        turn_s: seconds for which a free host beyond this node's part is left to others.
        sought: the hosts to choose from.
    """

    def __init__(
        self,
        memory: HostShareMemory,
        division: HostShareDivision,
        current: Callable[[KnownHost], HostRecord],
        live: int,
        turn_s: float,
        sought: Collection[str],
    ) -> None:
        self._memory = memory
        self._division = division
        self._current = current
        self._turn_s = turn_s
        shared = {host for host, known in memory.known.items() if known.record.shares}
        holders = Counter(node for host in shared for node in memory.known[host].record.shares)
        self._room = math.ceil(len(shared.union(sought)) / live) - len(memory.involved)
        self._too_many = {node for node, count in holders.items() if count > math.ceil(len(shared) / live)}

    def takes(self, host: str) -> bool:
        """Whether the host is to be taken, or asked for."""
        known = self._memory.known.get(host)
        if host in self._memory.involved:
            return True
        if known is None:
            return False
        if self._division.places > 1:
            return len(self._current(known).parties) < self._division.places
        takes = self._is_free(known) or self._is_too_much(known)
        self._room -= takes
        return takes

    def _is_free(self, known: KnownHost) -> bool:
        """Whether nobody has the host; beyond this node's part, whether nobody took it for a turn."""
        if self._current(known).parties:
            return False
        if self._room > 0:
            return True
        now = self._memory.clock()
        if known.left_since is None:
            known.left_since = now
        return now >= known.left_since + self._turn_s

    def _is_too_much(self, known: KnownHost) -> bool:
        """Whether the host's node has more than its part of the hosts, this one less, and none waits yet."""
        parties = known.record.parties
        return self._room > 0 and len(parties) == 1 and parties[0] in self._too_many
