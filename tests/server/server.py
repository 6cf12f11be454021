"""Server: a real HTTP server on loopback, in a thread of its own, that also misbehaves by name."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
import threading
import weakref
from pathlib import Path
from types import TracebackType

from tests.server.connection import Connection
from tests.server.request_log import RequestLog
from tests.server.site import Pages, Site

ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")
"""All on one port: four hosts, as a fetcher sees them."""
START_SECONDS = 10


class Server:
    """Serves `pages` on four loopback addresses; `with Server(...) as server:`.

    Args:
        pages: a folder, or a callable path -> bytes, Answer or None.
        port: of all addresses; 0 takes a free one.
        tls: certificate and key files make it an https server; it would rather speak HTTP/2, which it cannot.
    """

    def __init__(self, pages: Path | Pages, *, port: int = 0, tls: tuple[Path, Path] | None = None) -> None:
        self.log = RequestLog()
        self.port = port
        self._site = Site(pages, self.log)
        self._scheme = "https" if tls else "http"
        self._context: ssl.SSLContext | None = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)
            self._context.set_alpn_protocols(["h2", "http/1.1"])
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._sockets: list[socket.socket] = []
        self._numbers = itertools.count(1)
        self._listeners: list[asyncio.Server] = []
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="test server", daemon=True)

    def __enter__(self) -> Server:
        self._sockets = self._bound()
        self._thread.start()
        assert self._started.wait(START_SECONDS), "the test server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_SECONDS)

    def host(self, number: int = 0) -> str:
        """`host:port` of one of the four addresses, as politeness names it."""
        return f"{ADDRESSES[number]}:{self.port}"

    def url(self, path: str, number: int = 0) -> str:
        """The URL of a path at one of the four addresses."""
        return f"{self._scheme}://{self.host(number)}{path}"

    def _bound(self) -> list[socket.socket]:
        sockets: list[socket.socket] = []
        for address in ADDRESSES:
            sockets.append(socket.create_server((address, self.port), backlog=512))
            self.port = sockets[0].getsockname()[1]
        return sockets

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._started.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _listen(self) -> None:
        for bound in self._sockets:
            self._listeners.append(
                await self._loop.create_server(self._connection, sock=bound, ssl=self._context)
            )

    def _connection(self) -> Connection:
        connection = Connection(self._site, self.log, self._tasks, next(self._numbers))
        self._connections.add(connection)
        return connection

    async def _end(self) -> None:
        for listener in self._listeners:
            listener.close()
        for connection in list(self._connections):
            connection.abort()
        # Also the loop's own: a TLS handshake that is under way is a task.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for _ in range(3):
            await asyncio.sleep(0)  # transports close in the loop's next rounds
