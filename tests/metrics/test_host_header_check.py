"""HostHeaderCheck: by which names a server on the loopback interface may be asked."""

from __future__ import annotations

import pytest

from scoopi.metrics.host_header_check import HostHeaderCheck

LOCAL = (
    "127.0.0.1",
    "127.0.0.1:9010",
    "127.9.9.9",
    "[::1]",
    "[::1]:9010",
    "localhost:1",
    "LocalHost.",
    "a.localhost",
)
FOREIGN = (
    "evil.example",
    "evil.example:9010",
    "10.0.0.7",
    "[fe80::1]:9010",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
)


@pytest.mark.parametrize("bound", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_on_a_loopback_address_only_names_of_this_machine_are_known(bound: str) -> None:
    assert [name for name in LOCAL if HostHeaderCheck(bound).refused(name)] == []
    refused = [HostHeaderCheck(bound).refused(name) for name in FOREIGN]
    assert refused[:3] == ["evil.example", "evil.example", "10.0.0.7"]
    assert all(refused)


@pytest.mark.parametrize("bound", ["0.0.0.0", "10.0.0.7", "::", "node.example"])
def test_on_any_other_address_every_name_is_known(bound: str) -> None:
    assert [name for name in (*LOCAL, *FOREIGN) if HostHeaderCheck(bound).refused(name)] == []


def test_names_can_be_added() -> None:
    asked = HostHeaderCheck("127.0.0.1", ("Jobs.example", "status.example:80"))
    assert [name for name in ("jobs.example:9010", "status.example.") if asked.refused(name)] == []
    assert asked.refused("other.example") == "other.example"
