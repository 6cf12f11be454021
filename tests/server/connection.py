"""Connection: HTTP/1.1 with keep-alive on one socket, as quick as plain Python can."""

from __future__ import annotations

import asyncio
import time

from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS
from tests.server.request_log import RequestLog, Seen
from tests.server.site import Site

BAD = "/bad/"


class Connection(asyncio.Protocol):
    """Answers the requests of one connection one after another."""

    def __init__(self, site: Site, log: RequestLog, tasks: set[asyncio.Task[None]], number: int) -> None:
        self._site = site
        self._log = log
        self._tasks = tasks
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
            self._buffer = rest
            self._answer(self._transport, request)

    def _answer(self, transport: asyncio.Transport, request: bytes) -> None:
        seen = self._noted(request)
        if seen.path.startswith(BAD):
            self._misbehave(transport, seen)
            return
        try:
            answer = self._site.answer(seen.path)
        except Exception as error:
            answer = Answer(f"the test server failed: {error!r}".encode(), 500)
        seen.status, seen.ended = answer.status, time.monotonic()
        transport.write(answer.head() + answer.body)

    def _noted(self, request: bytes) -> Seen:
        at = request.find(b"\r\n")
        path = request[:at].split(b" ", 2)[1].decode("latin-1") if at > 0 else "/"
        self._requests += 1
        seen = Seen("", path, request, self._number, turn=self._requests)
        seen.host = (seen.header("host") or "").lower()
        if path != "/log" and path != "/log/clear":
            self._log.add(seen)
        return seen

    def _misbehave(self, transport: asyncio.Transport, seen: Seen) -> None:
        name = seen.path[len(BAD) :].partition("?")[0].partition("/")[0]
        misbehaviour = MISBEHAVIOURS.get(name)
        if misbehaviour is None:
            answer = Answer(f"no misbehaviour {name}".encode(), 404)
            seen.status, seen.ended = 404, time.monotonic()
            transport.write(answer.head() + answer.body)
            return
        self._busy = True
        exchange = Exchange(seen, transport, self._may_write)
        task = asyncio.ensure_future(misbehaviour(exchange))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(done, seen))

    def _ended(self, task: asyncio.Task[None], seen: Seen) -> None:
        self._tasks.discard(task)
        if seen.ended is None or self._transport is None:
            seen.ended = time.monotonic()
        self._busy = False
        if not task.cancelled() and task.exception() is not None and self._transport is not None:
            self._transport.abort()
        self._serve()
