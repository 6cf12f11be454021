"""missing_protection: finds out whether a store on another machine has neither a password nor TLS."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from scoopi.configs.groups import ClusterSettings
from scoopi.model.text.store_url import StoreKind, StoreUrl

_LOCAL = ("", "localhost", "127.0.0.1", "[::1]", "::1")
_ENCRYPTED = ("require", "verify-ca", "verify-full")


def missing_protection(url: StoreUrl, cluster: ClusterSettings | None, environ: Mapping[str, str]) -> str:
    """Return a warning if a store on another machine has neither a password nor TLS; otherwise empty.

    A client that may write to the store can run commands on all workers. The store is not contacted: only
    the settings of the connection are checked.

    Args:
        cluster: settings of the connection to a Hazelcast cluster; None for other stores.
        environ: the environment, for the variables that libpq reads.
    """
    own = (*_LOCAL, socket.gethostname())
    if all(_host(each) in own or each.startswith("/") for each in url.hosts.split(",")):
        return ""
    if url.kind is StoreKind.HAZELCAST:
        is_guarded = cluster is not None and (cluster.password is not None or cluster.tls is not None)
        hint = "set scoopi.cluster.password or scoopi.cluster.tls.*"
    else:
        is_guarded = _has_password(url, environ)
        hint = "give it a password (PGPASSWORD, ~/.pgpass) and sslmode=verify-full"
    if is_guarded:
        return ""
    return f"{url.shown} has neither a password nor TLS: anybody who writes to it runs commands here; {hint}"


def _has_password(url: StoreUrl, environ: Mapping[str, str]) -> bool:
    parts = urlsplit(url.text)
    given = parse_qs(parts.query)
    mode = given.get("sslmode", [environ.get("PGSSLMODE", "")])[0]
    file = Path(environ.get("PGPASSFILE") or Path(environ.get("HOME", "/")) / ".pgpass")
    has_one = parts.password or given.get("password") or environ.get("PGPASSWORD") or file.is_file()
    return bool(has_one) or mode in _ENCRYPTED


def _host(address: str) -> str:
    host, colon, port = address.rpartition(":")
    return host if colon and port.isdigit() else address
