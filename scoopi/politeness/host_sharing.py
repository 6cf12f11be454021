"""HostSharing: a node's requests under way, and its shares of hosts where it is not alone."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.politeness.host_shares import HostShares
from scoopi.politeness.in_flight import InFlight


@dataclass(frozen=True, slots=True)
class HostSharing:
    """What the clocks of the hosts and the rounds of the job runner have in common.

    Attributes:
        shares: None: this node is alone, and has all hosts whole.
    """

    in_flight: InFlight
    shares: HostShares | None = None
