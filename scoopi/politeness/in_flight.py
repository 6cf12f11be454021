"""InFlight: requests that this node has under way, by host."""

from __future__ import annotations


class InFlight:
    """Written by the task runner's thread; `count` may be asked by any."""

    def __init__(self) -> None:
        self._hosts: dict[str, dict[str, float]] = {}

    def of(self, host: str) -> dict[str, float]:
        """The host's requests by job, with the end of each grant; the one and only, to be written to."""
        return self._hosts.setdefault(host, {})

    def count(self, host: str) -> int:
        """How many requests are under way to the host."""
        return len(self._hosts.get(host, ()))
