"""HungGrid: what a grid is to a client that ends sessions, whose browsers hang until they are released."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class HungGrid:
    """A server on loopback that answers DELETE only once `released` is set.

    Attributes:
        asked: the paths of sessions that were to be ended.
        ended: of those that have.
    """

    def __init__(self) -> None:
        self.released = threading.Event()
        self.asked: list[str] = []
        self.ended: list[str] = []
        grid = self

        class Handler(BaseHTTPRequestHandler):
            def do_DELETE(self) -> None:
                grid.asked.append(self.path)
                grid.released.wait()
                grid.ended.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HungGrid:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
