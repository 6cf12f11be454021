"""PrivateHosts: keeps public pages from leading Scoopi to hosts on private networks."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal
from urllib.parse import urlsplit

PrivateHostsRule = Literal["always", "inside", "never"]
"""When links and redirects may lead to private hosts; `inside`: only from private hosts and local files."""
DEFAULT_PROXY_PORT = 1080
PROXY_VARIABLES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")

_NAT64 = ip_network("64:ff9b::/96")
_IPV4_COMPATIBLE = ip_network("::/96")


def is_public_address(address: str) -> bool:
    """Whether an IP address is globally reachable: not loopback, link-local, private, shared or reserved.

    An IPv6 address that embeds an IPv4 address is judged by the embedded one.

    >>> is_public_address("192.168.0.1"), is_public_address("::ffff:8.8.8.8")
    (False, True)
    """
    try:
        ip = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        inner = _ipv4_of(ip)
        if inner is None:
            return ip.is_global and not (ip.is_multicast or ip.is_site_local or ip in _IPV4_COMPATIBLE)
        ip = inner
    return ip.is_global and not ip.is_multicast


class LentSocket(socket.socket):
    """A socket that is closed when it is dropped, without a warning: curl uses a duplicate of it."""

    def __del__(self) -> None:
        self.close()


class PrivateHosts:
    """Keeps public pages from leading Scoopi to hosts on private networks.

    Hosts are classified by the IP address of the connection, so DNS names cannot bypass the check. A proxy
    resolves names itself: through a proxy, only hosts written as IP addresses are checked.

    Args:
        rule: the setting `scoopi.loader.privateHosts`.
        is_public: whether an IP address is public.
        environ: the environment, which may name proxies.
    """

    def __init__(
        self,
        rule: PrivateHostsRule = "inside",
        is_public: Callable[[str], bool] = is_public_address,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._rule = rule
        self._is_public = lru_cache(maxsize=4096)(is_public)
        self._environ = environ
        self._proxies: frozenset[tuple[str, int]] | None = None

    def must_be_public(self, page_is_public: bool) -> bool:
        """Whether the links and redirects of a page may lead only to public hosts."""
        return self._rule == "never" or (self._rule == "inside" and page_is_public)

    def is_public(self, url: str, peer: str, port: int, is_proxy: bool = False) -> bool:
        """Whether the host of an http(s) URL is public.

        Args:
            url: absolute URL.
            peer: IP address of the connection: of the host or a proxy.
            port: port of the peer.
            is_proxy: whether the peer is a proxy of the URL's site.
        """
        if self._proxies is None:
            given = filter(None, (self._environ.get(name) for name in PROXY_VARIABLES))
            self._proxies = frozenset(found for proxy in given for found in _addresses_of(proxy))
        if not is_proxy and (not self._proxies or (peer, port) not in self._proxies):
            return self._is_public(peer)
        written = _written_address(urlsplit(url).hostname or "")
        return written is None or self._is_public(written)


def _ipv4_of(ip: IPv6Address) -> IPv4Address | None:
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _written_address(host: str) -> str | None:
    """The IP address that `host` spells, in any notation that resolvers accept; None for a name."""
    name = host.removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    if ":" in name:
        return name
    try:
        return socket.inet_ntoa(socket.inet_aton(name))
    except OSError:
        return None


def _addresses_of(proxy: str) -> list[tuple[str, int]]:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        port = parts.port or DEFAULT_PROXY_PORT
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return []
    return [(str(address[0]), port) for *_, address in found]
