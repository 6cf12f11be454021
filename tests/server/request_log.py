"""RequestLog: every request that reached the server, so that politeness is proven from the server's view."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

MOST_REQUESTS = 1_000_000


@dataclass(slots=True)
class Seen:
    """One request: when it was whole at the server and when the last piece of its answer went out.

    `connection` numbers the connections from 1, `turn` the requests of each.
    `started` and `ended` are seconds of the monotonic clock; `ended` and `status` are None until then.
    """

    host: str
    path: str
    head: bytes
    connection: int = 0
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    status: int | None = None
    turn: int = 1
    body: bytes = b""

    @property
    def method(self) -> str:
        """GET, POST, HEAD, …"""
        return self.head.partition(b" ")[0].decode("latin-1")

    def header(self, name: str) -> str | None:
        """The value of a request header, None when it was not sent."""
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                return value.strip().decode("latin-1")
        return None

    def as_json(self) -> dict[str, Any]:
        """The request as `/log` shows it."""
        return {
            "host": self.host,
            "method": self.method,
            "path": self.path,
            "connection": self.connection,
            "started": self.started,
            "ended": self.ended,
            "status": self.status,
        }


class RequestLog:
    """Requests in the order of their arrival; a host is the request's Host header in lower case."""

    def __init__(self) -> None:
        self._seen: deque[Seen] = deque(maxlen=MOST_REQUESTS)

    def add(self, seen: Seen) -> None:
        """Note a request that has just arrived."""
        self._seen.append(seen)

    def clear(self) -> None:
        """Forget all."""
        self._seen.clear()

    def all(self, host: str | None = None) -> list[Seen]:
        """The requests so far, of all hosts or of one."""
        return [seen for seen in list(self._seen) if host is None or seen.host == host]

    def pages(self, host: str | None = None) -> list[Seen]:
        """The requests so far for anything but robots.txt."""
        return [seen for seen in self.all(host) if seen.path != "/robots.txt"]

    def paths(self, host: str | None = None) -> list[str]:
        """What was asked for, query included."""
        return [seen.path for seen in self.all(host)]

    def hosts(self) -> set[str]:
        """The hosts that were asked."""
        return {seen.host for seen in self.all()}

    def gaps(self, host: str | None = None) -> list[float]:
        """Seconds between the starts of each two successive requests to the host."""
        return [after.started - before.started for before, after in pairwise(self.all(host))]

    def most_in_flight(self, host: str | None = None) -> int:
        """The most requests to the host that were being answered at one moment."""
        moves: list[tuple[float, int]] = []
        for seen in self.all(host):
            moves.append((seen.started, 1))
            if seen.ended is not None:
                moves.append((seen.ended, -1))
        most = now = 0
        for _, move in sorted(moves):
            now += move
            most = max(most, now)
        return most
