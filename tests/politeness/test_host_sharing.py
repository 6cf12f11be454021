"""InFlight: requests are counted by host, and seen through the dictionary that the rate limiter writes."""

from __future__ import annotations

from scoopi.politeness.host_sharing import HostSharing, InFlight


def test_requests_are_counted_by_host() -> None:
    in_flight = InFlight()
    in_flight.of("a.example:80")["job"] = 12.0
    in_flight.of("b.example:80")
    assert [in_flight.count(f"{name}.example:80") for name in "abc"] == [1, 0, 0]
    del in_flight.of("a.example:80")["job"]
    assert in_flight.count("a.example:80") == 0


def test_a_node_that_is_alone_shares_no_hosts() -> None:
    assert HostSharing(InFlight()).shares is None
