"""HostLimits, LimitsByHost: the rates of requests to hosts, as politeness asks for them."""

from __future__ import annotations

from typing import Protocol


class HostLimits(Protocol):
    """The limits of all nodes together for requests to one host; see `Site`."""

    @property
    def parallelism(self) -> int: ...
    @property
    def delay_ms(self) -> int: ...


class LimitsByHost(Protocol):
    """Provides the limits of each host."""

    def for_host(self, host: str) -> HostLimits:
        """Return the limits of `host:port`."""
