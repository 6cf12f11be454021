"""HostSharing: what the rate limiter and the rounds that share hosts among nodes have in common."""

from __future__ import annotations

import msgspec

from scoopi.politeness.host_shares import HostShares


class InFlight:
    """This node's requests in flight, by host.

    The task runner's thread writes it; any thread may call `count`.
    """

    def __init__(self) -> None:
        self._hosts: dict[str, dict[str, float]] = {}

    def of(self, host: str) -> dict[str, float]:
        """The requests to a host: by job, the monotonic seconds at which its grant expires; not a copy."""
        return self._hosts.setdefault(host, {})

    def count(self, host: str) -> int:
        """How many requests to the host are in flight."""
        return len(self._hosts.get(host, ()))


class HostSharing(msgspec.Struct, frozen=True):
    """What the rate limiter and the rounds of the job runner have in common.

    Attributes:
        shares: None if this node is the only one and may use all hosts.
    """

    in_flight: InFlight
    shares: HostShares | None = None
