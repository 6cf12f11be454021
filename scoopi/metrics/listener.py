"""Listener: the socket of the metrics server, and one thread for each of a few connections."""

from __future__ import annotations

import logging
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

from scoopi.metrics.answers import TEXT, Answer, Answers

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 16
"""More at a time are closed unanswered; a node is asked by a probe or two and a few scrapers."""
PATIENCE_S = 5.0
"""How long one read from a connection, or write to it, may take."""


class Listener(socketserver.ThreadingTCPServer):
    """Answers GET and HEAD; whatever comes, the node's own threads never wait for it."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, host: str, port: int, answers: Answers) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.answers = answers
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a thread for the connection, if there is one left."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the connection, then let another one in."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the asker's affair."""
        log.debug("metrics: a connection broke", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One request a connection, as HTTP/1.0 has it."""

    timeout = PATIENCE_S
    server: Listener
    server_version = "Scoopi"
    sys_version = ""

    def do_GET(self) -> None:
        answer = self._answer()
        self._head(answer)
        self.wfile.write(answer.body)

    def do_HEAD(self) -> None:
        self._head(self._answer())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Nobody wants a line for each probe."""

    def _answer(self) -> Answer:
        try:
            return self.server.answers.to(self.path)
        except Exception:
            log.exception("metrics: %s cannot be answered", self.path)
            return Answer(500, TEXT, b"unexpected error; the log has it\n")

    def _head(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
