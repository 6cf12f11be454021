"""Http2Server: an HTTP/2 server on loopback that ends its connections after some requests."""

from __future__ import annotations

import itertools
import select
import socket
import ssl
import threading
from collections import deque
from enum import Enum
from pathlib import Path
from types import TracebackType

import msgspec
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from h2.exceptions import H2Error
from hyperframe.frame import GoAwayFrame

HELD_S = 0.02
"""Pages wait so long for further requests, so that several are under way when a connection ends."""
START_S = 10.0
REFUSED_STREAM = 7


class End(Enum):
    """How a connection ends."""

    GOAWAY = 1
    """As the standard demands: announced, with the last request that is answered; later ones are refused."""
    CUT = 2
    """Without a word, whatever is under way."""
    REFUSED = 3
    """Not at all: each request is refused."""


class Asked(msgspec.Struct, frozen=True):
    """A request; `is_answered` is False if it was refused, or lost with its connection."""

    connection: int
    path: str
    is_answered: bool


class Http2Server:
    """Answers each path with itself; `with Http2Server(...) as server:`.

    Args:
        tls: certificate and key files.
        end: how connections end.
        every: requests of a connection until then.

    Attributes:
        asked: all requests, in the order in which they were answered or given up.
        other_protocols: connections that were not HTTP/2; they are closed.
    """

    def __init__(self, tls: tuple[Path, Path], end: End = End.GOAWAY, every: int = 10) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*tls)
        self._context.set_alpn_protocols(["h2", "http/1.1"])
        self._end, self._every = end, every
        self._numbers = itertools.count(1)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self.asked: deque[Asked] = deque()
        self.other_protocols = 0

    def __enter__(self) -> Http2Server:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(START_S)
        self._listener.close()

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"https://127.0.0.1:{self._listener.getsockname()[1]}{path}"

    def answered(self) -> list[str]:
        """The paths that were answered."""
        return [each.path for each in self.asked if each.is_answered]

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(plain,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, plain: socket.socket) -> None:
        try:
            with self._context.wrap_socket(plain, server_side=True) as connected:
                if connected.selected_alpn_protocol() != "h2":
                    self.other_protocols += 1
                    return
                talk = _Talk(connected, next(self._numbers), self.asked, self._end, self._every)
                while not self._ended.is_set() and talk.turn():
                    pass
        except (OSError, H2Error):
            return  # the client has ended the connection


class _Talk:
    """One connection."""

    def __init__(
        self, connected: ssl.SSLSocket, number: int, asked: deque[Asked], end: End, every: int
    ) -> None:
        self._connected, self._number, self._asked = connected, number, asked
        self._end, self._every = end, every
        self._talk = H2Connection(H2Configuration(client_side=False))
        self._waiting: list[tuple[int, str]] = []
        self._count = 0
        self._talk.initiate_connection()
        self._flush()

    def turn(self) -> bool:
        """Receive, or answer what waits if nothing more comes; False when the connection has ended."""
        if not (self._connected.pending() or select.select([self._connected], [], [], HELD_S)[0]):
            self._answer()
            return True
        data = self._connected.recv(65_536)
        for event in self._talk.receive_data(data) if data else ():
            if isinstance(event, RequestReceived):
                self._take(event.stream_id, dict(event.headers)[b":path"].decode())
        self._flush()
        if self._end is End.CUT and self._count >= self._every:
            self._asked.extend(Asked(self._number, path, False) for _, path in self._waiting)
            return False
        return bool(data)

    def _take(self, stream: int, path: str) -> None:
        self._count += 1
        if self._end is End.REFUSED:
            self._talk.reset_stream(stream, REFUSED_STREAM)
        is_late = self._end is End.GOAWAY and self._count > self._every
        if is_late or self._end is End.REFUSED:
            self._asked.append(Asked(self._number, path, False))
            return
        self._waiting.append((stream, path))
        if self._end is End.GOAWAY and self._count == self._every:
            self._flush()
            self._connected.sendall(GoAwayFrame(0, stream).serialize())

    def _answer(self) -> None:
        for stream, path in self._waiting:
            self._talk.send_headers(stream, [(":status", "200"), ("content-type", "text/html")])
            self._talk.send_data(stream, f"<p>{path}".encode(), end_stream=True)
            self._asked.append(Asked(self._number, path, True))
        self._waiting.clear()
        self._flush()

    def _flush(self) -> None:
        self._connected.sendall(self._talk.data_to_send())
