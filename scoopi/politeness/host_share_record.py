"""HostRecord: the nodes that may send requests to a host, and those that wait to, as the store has them."""

from __future__ import annotations

import msgspec

from scoopi.model.job import Count
from scoopi.store.ports import HOSTS
from scoopi.store.record_codec import RecordCodec


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
        asks: incarnations that wait for a share, the first first.
        by: the node that wrote this.
        number: of this writing of `by`; so no two writings are alike (ARCHITECTURE, protocol rule 1).
    """

    shares: dict[str, HostShare] = {}
    asks: tuple[str, ...] = ()
    by: str = ""
    number: Count = 0

    @property
    def parties(self) -> list[str]:
        """The nodes that have a share or wait for one, sorted."""
        return sorted({*self.shares, *self.asks})

    def same_shares(self, other: HostRecord) -> bool:
        """Whether both have the same shares and waiting nodes, regardless of `by`."""
        return self.shares == other.shares and self.asks == other.asks

    def without(self, nodes: frozenset[str] | set[str]) -> HostRecord:
        """As if these incarnations had neither share nor asked."""
        if nodes.isdisjoint(self.shares) and nodes.isdisjoint(self.asks):
            return self
        shares = {node: share for node, share in self.shares.items() if node not in nodes}
        asks = tuple(node for node in self.asks if node not in nodes)
        return msgspec.structs.replace(self, shares=shares, asks=asks)

    def asked_by(self, node: str) -> HostRecord:
        """With the node as the last that waits, if it does not wait yet."""
        return self if node in self.asks else msgspec.structs.replace(self, asks=(*self.asks, node))

    def with_share(self, node: str, share: HostShare) -> HostRecord:
        """The node has this share, and waits no longer."""
        asks = tuple(each for each in self.asks if each != node)
        return msgspec.structs.replace(self, shares={**self.shares, node: share}, asks=asks)


class HostRecords:
    """Host records as canonical JSON, so that equal records are equal bytes.

    Args:
        incarnation: of the node that writes them.
    """

    def __init__(self, incarnation: str) -> None:
        self._incarnation = incarnation
        self._codec = RecordCodec(HOSTS, HostRecord)
        self._written = 0
        self.read = self._codec.read

    def written(self, record: HostRecord) -> bytes:
        """The record as this node's next writing."""
        self._written += 1
        return self._codec.written(
            msgspec.structs.replace(record, by=self._incarnation, number=self._written)
        )
