"""HttpSettings: the limits and the name with which pages are asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """What an HttpClient keeps to.

    Attributes:
        user_agent: sent as it stands.
        connect_timeout_ms: for name look-up, TCP and TLS together.
        timeout_ms: for one hop as a whole, from name look-up to the last byte.
        max_bytes: of a page's body, content coding undone.
        max_redirects: a chain of more hops is an error.
    """

    user_agent: str
    connect_timeout_ms: int = 10_000
    timeout_ms: int = 120_000
    max_bytes: int = 100_000_000
    max_redirects: int = 20
