"""HostShareDivision: how a host's permits are divided among the nodes that want it; pure arithmetic."""

from __future__ import annotations

from scoopi.configs.groups import FetchLimits
from scoopi.politeness.host_share_record import HostRecord, HostShare


class HostShareDivision:
    """With a delay one node has the whole host; without, the permits are divided evenly.

    Attributes:
        places: how many nodes may have a share of a host at a time.
    """

    def __init__(self, limits: FetchLimits) -> None:
        self._permits = limits.parallelism
        self._gap_ms = limits.delay_ms
        self.places = 1 if limits.delay_ms else limits.parallelism

    def free(self, record: HostRecord) -> int:
        """Permits that nobody has; a delayed host has none as soon as one node has it."""
        if self.places == 1 and record.shares:
            return 0
        return self._permits - sum(share.permits for share in record.shares.values())

    def part(self, record: HostRecord, node: str) -> int:
        """The permits that are due to one of the parties of the host."""
        if self.places == 1:
            return self._permits
        parties = record.parties
        each, left = divmod(self._permits, len(parties))
        return max(1, each + (parties.index(node) < left))

    def is_crowded(self, record: HostRecord) -> bool:
        """Whether more nodes want the host than can have a share of it at a time."""
        return len(record.parties) > self.places

    def settled(self, record: HostRecord) -> HostRecord:
        """Hand out free permits: first to waiting nodes by arrival, then to nodes below their fair share."""
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
        return HostShare(self._gap_ms, permits)
