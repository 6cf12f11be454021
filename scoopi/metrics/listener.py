"""Listener: the socket of the metrics server, with one thread for each of a limited number of connections."""

from __future__ import annotations

import io
import logging
import socket
import socketserver
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from scoopi.metrics.host_header_check import HostHeaderCheck
from scoopi.metrics.http_response import PROBES, Endpoints, HttpResponse, text_response
from scoopi.model.text.shown import shown

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


MOST_BYTES = 1 << 16
"""Maximum number of bytes read from a request."""
log = logging.getLogger(__name__)
MOST_CONNECTIONS = 16
"""Enough for the probes and some scrapers; beyond it, the oldest connection with an idle client is closed."""
MOST_SCRAPES = MOST_CONNECTIONS // 2
"""Maximum number of concurrent responses except to probes, so that a probe always gets a connection."""
NAMES = "use localhost, or add the name to scoopi.metrics.server.names (serve: --http-name)"
TIMEOUT_S = 5.0
"""How long one connection may last, in seconds."""


class Connection(io.RawIOBase):
    """A socket whose reads and writes share one deadline.

    Attributes:
        waits: whether it waits for its client, not for the response of the node.
    """

    def __init__(self, connection: socket.socket, timeout_s: float) -> None:
        self._socket = connection
        self._ends = time.monotonic() + timeout_s
        self._room = MOST_BYTES
        self.waits = True

    def readable(self) -> bool:
        """See `io`."""
        return True

    def writable(self) -> bool:
        """See `io`."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read the available bytes; none at the end of the stream or beyond `MOST_BYTES`."""
        with memoryview(buffer) as view:
            self._arm()
            count = self._socket.recv_into(view, min(len(view), self._room)) if self._room else 0
        self._room -= count
        return count

    def write(self, data: ReadableBuffer) -> int:
        """Send as many bytes as the socket accepts."""
        self._arm()
        return self._socket.send(data)

    def drop(self) -> None:
        """Shut the connection down from another thread; its own thread sees the end of the stream."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:  # the connection is already closed
            log.debug("metrics: the connection was closed already", exc_info=True)

    def _arm(self) -> None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)


class Listener(socketserver.ThreadingTCPServer):
    """Answers GET and HEAD; the node's own threads never wait for a client.

    Args:
        timeout_s: how long one connection may last.
        names: see `HostHeaderCheck`.
    """

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(
        self,
        host: str,
        port: int,
        endpoints: Endpoints,
        timeout_s: float = TIMEOUT_S,
        names: Iterable[str] = (),
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.endpoints = endpoints
        self.host_header_check = HostHeaderCheck(host, names)
        self.scrapes = threading.BoundedSemaphore(MOST_SCRAPES)
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._open: dict[socket.socket, Connection] = {}
        super().__init__((host, port), _Handler)

    def connection(self, request: socket.socket) -> Connection:
        """The connection of a socket; an expired one if it was dropped meanwhile."""
        with self._lock:
            return self._open.get(request) or Connection(request, 0)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for the connection, if necessary in place of one that waits for its client."""
        if not self._admit(request):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._forget(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the connection, then free its place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a broken connection at debug level only, since clients may disconnect."""
        log.debug("metrics: broken connection", exc_info=True)

    def _admit(self, request: socket.socket) -> bool:
        with self._lock:
            if len(self._open) >= MOST_CONNECTIONS:
                oldest = next((each for each, one in self._open.items() if one.waits), None)
                if oldest is None:
                    return False
                self._open.pop(oldest).drop()
            self._open[request] = Connection(request, self._timeout_s)
            return True

    def _forget(self, request: socket.socket) -> None:
        with self._lock:
            self._open.pop(request, None)


class _Handler(BaseHTTPRequestHandler):
    """Handles one request per connection, like HTTP/1.0."""

    server: Listener
    server_version = "Scoopi"
    sys_version = ""

    def setup(self) -> None:
        self.connection = self.request
        self._io = self.server.connection(self.request)
        self.rfile = io.BufferedReader(self._io)
        self.wfile = io.BufferedWriter(self._io)

    def do_GET(self) -> None:
        response = self._response()
        self._head(response)
        self.wfile.write(response.body)

    def do_HEAD(self) -> None:
        self._head(self._response())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Do not log each probe."""

    def _response(self) -> HttpResponse:
        self._io.waits = False
        try:
            names = map(self.server.host_header_check.refused, self.headers.get_all("Host", ()))
            refused = next(filter(None, names), "")
            if refused:
                return text_response(421, f"this server is not {shown(refused)}: {NAMES}")
            return self._made() if self.path.partition("?")[0] in PROBES else self._scrape()
        finally:
            self._io.waits = True

    def _scrape(self) -> HttpResponse:
        if not self.server.scrapes.acquire(blocking=False):
            return text_response(503, "too many concurrent requests; try again")
        try:
            return self._made()
        finally:
            self.server.scrapes.release()

    def _made(self) -> HttpResponse:
        try:
            return self.server.endpoints.response_to(self.path)
        except Exception:
            log.exception("metrics: no answer to %s", self.path)
            return text_response(500, "unexpected error; see the log")

    def _head(self, response: HttpResponse) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.kind)
        self.send_header("Content-Length", str(len(response.body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
