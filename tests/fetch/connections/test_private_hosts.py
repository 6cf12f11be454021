"""PrivateHosts: which addresses are public, also through proxies; attacks are in tests/security."""

from __future__ import annotations

import pytest

from scoopi.fetch.connections.private_hosts import PrivateHosts, PrivateHostsRule, is_public_address

PUBLIC = (
    *(
        "93.184.216.34",
        "8.8.8.8",
        "172.15.0.1",
        "172.32.0.1",
        "11.0.0.1",
        "2606:4700::1111",
        "[2606:4700::1111]",
    ),
    *("::ffff:93.184.216.34", "2002:5db8:d822::1", "64:ff9b::5db8:d822"),
)


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize(
    ("rule", "of_private", "of_public"),
    [("always", False, False), ("inside", False, True), ("never", True, True)],
)
def test_the_rule_decides_for_private_and_for_public_pages(
    rule: PrivateHostsRule, of_private: bool, of_public: bool
) -> None:
    hosts = PrivateHosts(rule)
    assert [hosts.must_be_public(is_public) for is_public in (False, True)] == [of_private, of_public]


def test_a_proxy_may_be_private_and_a_host_that_is_written_as_a_private_address_not() -> None:
    hosts = PrivateHosts(environ={"http_proxy": "me:word@127.0.0.1:3128"})
    assert hosts.is_public("http://site.example/", "127.0.0.1", 3128)
    assert not hosts.is_public("http://site.example/", "127.0.0.1", 3129), "not a proxy"
    for host in ("127.0.0.1", "0x7f.1", "2130706433", "[::1]", "localhost", "x.localhost", "169.254.169.254"):
        assert not hosts.is_public(f"http://{host}/", "127.0.0.1", 3128)


def test_without_a_proxy_the_connected_address_counts_and_not_the_name() -> None:
    hosts = PrivateHosts(environ={})
    assert hosts.is_public("http://localhost/", "8.8.8.8", 80)
    assert not hosts.is_public("http://site.example/", "10.0.0.1", 80)


def test_a_malformed_proxy_is_ignored() -> None:
    hosts = PrivateHosts(environ={"http_proxy": "http://[bad", "all_proxy": "me@127.0.0.1:port"})
    assert not hosts.is_public("http://site.example/", "127.0.0.1", 1080)
