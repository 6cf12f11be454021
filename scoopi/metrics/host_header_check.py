"""HostHeaderCheck: checks the Host header of requests to a server on a loopback address."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address

LOCALHOST = "localhost"


class HostHeaderCheck:
    """Checks the Host header of requests to a server that listens on a loopback address.

    By DNS rebinding, a web page can make a browser send requests to this machine under the page's own host
    name, and read the answers; such a name is refused. A server on any other address is open to the network
    anyway.

    Args:
        bound: the address that the server listens on.
        names: further names to accept, such as that of a proxy.
    """

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self._is_loopback = _is_loopback(bound)
        self._names = frozenset(map(_name_of, names))

    def refused(self, header: str) -> str:
        """The name in the header if it is refused; empty otherwise.

        >>> HostHeaderCheck("127.0.0.1").refused("evil.example:9010")
        'evil.example'
        >>> HostHeaderCheck("127.0.0.1").refused("[::1]:9010")
        ''
        """
        name = _name_of(header)
        is_known = not self._is_loopback or _is_loopback(name) or name in self._names
        return "" if is_known else name


def _is_loopback(name: str) -> bool:
    with suppress(ValueError):
        return ip_address(name).is_loopback
    return name == LOCALHOST or name.endswith(f".{LOCALHOST}")


def _name_of(header: str) -> str:
    """The host name in lower case, without port, brackets and trailing dot."""
    host = header.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].removesuffix(".")
