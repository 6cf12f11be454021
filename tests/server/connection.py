"""Connection: HTTP/1.1 with keep-alive on one socket, as quick as plain Python can."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS, Misbehaviour
from tests.server.request_log import RequestLog, Seen
from tests.server.site import Site

BAD = "/bad/"

Route = Callable[[Seen], "tuple[str, Misbehaviour] | None"]
"""Which misbehaviour answers a request, with its name; None for a page that is served well."""


def by_name(seen: Seen) -> tuple[str, Misbehaviour] | None:
    """The misbehaviour after `/bad/` of the path."""
    if not seen.path.startswith(BAD):
        return None
    name = seen.path[len(BAD) :].partition("?")[0].partition("/")[0]
    return name, MISBEHAVIOURS.get(name, _unknown)


async def _unknown(exchange: Exchange) -> None:
    await exchange.send(Answer(f"no misbehaviour {exchange.path}".encode(), 404))


@dataclass(frozen=True, slots=True)
class Serving:
    """What all connections of a server share.

    Attributes:
        site: answers what no misbehaviour answers.
        log: where requests are noted.
        route: chooses the misbehaviour.
        tasks: the misbehaviours under way.
        visits: how often each (host, misbehaviour) was asked for.
        first: when each was asked for the first time, in seconds of the monotonic clock.
    """

    site: Site
    log: RequestLog
    route: Route = by_name
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    visits: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: dict[tuple[str, str], float] = field(default_factory=dict)


class Connection(asyncio.Protocol):
    """Answers the requests of one connection one after another."""

    def __init__(self, serving: Serving, number: int) -> None:
        self._serving = serving
        self._number = number
        self._buffer = b""
        self._busy = False
        self._requests = 0
        self._transport: asyncio.Transport | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self._may_write.set()
        self._transport = None

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._buffer[:1].isalpha() and self._transport is not None:
            self._transport.write(Answer(b"this port speaks http", 400).head(0))
            self._transport.close()
            return
        self._serve()

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _serve(self) -> None:
        while not self._busy and self._transport is not None:
            request, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            length = 0 if request.startswith(b"GET ") else _length(request)
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            self._answer(self._transport, request, rest[:length])

    def _answer(self, transport: asyncio.Transport, request: bytes, body: bytes) -> None:
        seen = self._noted(request, body)
        chosen = self._serving.route(seen)
        if chosen is not None:
            self._misbehave(transport, seen, *chosen)
            return
        try:
            answer = self._serving.site.answer(seen.path)
        except Exception as error:
            answer = Answer(f"the test server failed: {error!r}".encode(), 500)
        seen.status, seen.ended = answer.status, time.monotonic()
        transport.write(answer.head() + (b"" if seen.method == "HEAD" else answer.body))

    def _noted(self, request: bytes, body: bytes) -> Seen:
        at = request.find(b"\r\n")
        path = request[:at].split(b" ", 2)[1].decode("latin-1") if at > 0 else "/"
        self._requests += 1
        seen = Seen("", path, request, self._number, turn=self._requests, body=body)
        seen.host = (seen.header("host") or "").lower()
        if path != "/log" and path != "/log/clear":
            self._serving.log.add(seen)
        return seen

    def _misbehave(
        self, transport: asyncio.Transport, seen: Seen, name: str, misbehaviour: Misbehaviour
    ) -> None:
        self._busy = True
        key = seen.host, name
        self._serving.visits[key] += 1
        since_s = seen.started - self._serving.first.setdefault(key, seen.started)
        exchange = Exchange(seen, transport, self._may_write, self._serving.visits[key], since_s)
        task = asyncio.ensure_future(misbehaviour(exchange))
        self._serving.tasks.add(task)
        task.add_done_callback(lambda done: self._ended(done, seen))

    def _ended(self, task: asyncio.Task[None], seen: Seen) -> None:
        self._serving.tasks.discard(task)
        if seen.ended is None or self._transport is None:
            seen.ended = time.monotonic()
        self._busy = False
        if not task.cancelled() and task.exception() is not None and self._transport is not None:
            self._transport.abort()
        self._serve()


def _length(request: bytes) -> int:
    """Content-Length of a request, 0 without one."""
    value = Seen("", "", request).header("content-length") or ""
    return int(value) if value.isdecimal() else 0
