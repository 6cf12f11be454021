"""Server: a real HTTP server on loopback, in a thread of its own, that also misbehaves by name."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
import threading
import weakref
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType

from tests.server.connection import Connection, Route, Serving, by_name
from tests.server.request_log import RequestLog
from tests.server.site import Pages, Site

ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")
"""All on one port: four hosts, as a fetcher sees them."""
START_SECONDS = 10
BIND_TRIES = 20


class Server:
    """Serves `pages` on some loopback addresses of one port; `with Server(...) as server:`.

    Args:
        pages: a folder, or a callable path -> bytes, Answer or None; None and FileNotFoundError are a 404.
        port: of all addresses; 0 takes a free one.
        tls: certificate and key files make it an https server; it would rather speak HTTP/2, which it cannot.
        addresses: IPv4 and IPv6 addresses of loopback, each a host of its own.
        closed: those of them that refuse connections until `open`.
        route: which requests are answered badly, and how; by default those for `/bad/…`.
        log: shared with another server.

    Attributes:
        loop: where the server runs, in a thread of its own.
    """

    def __init__(
        self,
        pages: Path | Pages,
        *,
        port: int = 0,
        tls: tuple[Path, Path] | None = None,
        addresses: Sequence[str] = ADDRESSES,
        closed: Collection[str] = (),
        route: Route = by_name,
        log: RequestLog | None = None,
    ) -> None:
        self.log = log or RequestLog()
        self.port = port
        self.addresses = tuple(addresses)
        self._closed = {*closed}
        self._serving = Serving(Site(pages, self.log), self.log, route)
        self._scheme = "https" if tls else "http"
        self._context: ssl.SSLContext | None = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)
            self._context.set_alpn_protocols(["h2", "http/1.1"])
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._sockets: dict[str, socket.socket] = {}
        self._numbers = itertools.count(1)
        self._listeners: list[asyncio.Server] = []
        self.loop = asyncio.new_event_loop()
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
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(START_SECONDS)

    def host(self, number: int = 0) -> str:
        """`host:port` of one of the addresses, as politeness names it."""
        address = self.addresses[number]
        return f"[{address}]:{self.port}" if ":" in address else f"{address}:{self.port}"

    def url(self, path: str, number: int = 0) -> str:
        """The URL of a path at one of the addresses."""
        return f"{self._scheme}://{self.host(number)}{path}"

    def open(self, address: str) -> None:
        """Let a closed address accept connections from now on; callable from any thread."""
        self.loop.call_soon_threadsafe(self._open, address)

    def open_after(self, address: str, seconds: float) -> None:
        """Let a closed address accept connections `seconds` later."""
        self.loop.call_soon_threadsafe(self.loop.call_later, seconds, self._open, address)

    def _bound(self) -> dict[str, socket.socket]:
        """A socket of each address, all on one port; those of closed addresses do not listen."""
        for tries_left in reversed(range(BIND_TRIES)):
            sockets: dict[str, socket.socket] = {}
            port = self.port
            try:
                for address in self.addresses:
                    sockets[address] = _socket_at(address, port)
                    port = sockets[address].getsockname()[1]
            except OSError:  # the port that the first address got is not free at another
                for each in sockets.values():
                    each.close()
                if self.port or not tries_left:
                    raise
            else:
                self.port = port
                return sockets
        raise AssertionError

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._listen())
        self._started.set()
        self.loop.run_forever()
        self.loop.run_until_complete(self._end())
        self.loop.close()

    async def _listen(self) -> None:
        for address, bound in self._sockets.items():
            if address not in self._closed:
                await self._listen_at(bound)

    def _open(self, address: str) -> None:
        if address in self._closed:
            self._closed.remove(address)
            opening = self.loop.create_task(self._listen_at(self._sockets[address]))
            self._serving.tasks.add(opening)
            opening.add_done_callback(self._serving.tasks.discard)

    async def _listen_at(self, bound: socket.socket) -> None:
        self._listeners.append(
            await self.loop.create_server(self._connection, sock=bound, ssl=self._context, backlog=512)
        )

    def _connection(self) -> Connection:
        connection = Connection(self._serving, next(self._numbers))
        self._connections.add(connection)
        return connection

    async def _end(self) -> None:
        for listener in self._listeners:
            listener.close()
        for bound in self._sockets.values():
            bound.close()
        for connection in list(self._connections):
            connection.abort()
        # Also the loop's own: a TLS handshake that is under way is a task.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for _ in range(3):
            await asyncio.sleep(0)  # transports close in the loop's next rounds


def _socket_at(address: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address, port))
    except OSError:
        made.close()
        raise
    return made
