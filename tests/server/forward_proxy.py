"""ForwardProxy: passes on requests and tunnels, as a real HTTP proxy does, and remembers them."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

PIECE = 65_536


class ForwardProxy:
    """One thread for each connection; `with ForwardProxy() as proxy:`.

    Args:
        login: the value of Proxy-Authorization that it wants; empty for none.
    """

    def __init__(self, login: str = "") -> None:
        self._login = login
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.seen: list[str] = []
        self.heads: list[bytes] = []

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> ForwardProxy:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(connection,), daemon=True).start()

    def _pass_on(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(PIECE)
                if not piece:
                    return
                head += piece
            first, rest = head.split(b"\r\n", 1)
            method, target, version = first.split(b" ")
            self.seen.append(f"{method.decode()} {target.decode()}")
            self.heads.append(head)
            if self._login and f"proxy-authorization: {self._login}".lower().encode() not in head.lower():
                connection.sendall(b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            parts = urlsplit(f"//{target.decode()}" if method == b"CONNECT" else target.decode())
            assert parts.hostname is not None
            with socket.create_connection((parts.hostname, parts.port or 80)) as server:
                if method == b"CONNECT":
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                else:
                    path = parts._replace(scheme="", netloc="").geturl() or "/"
                    kept = b"\r\n".join(
                        line for line in rest.split(b"\r\n") if not line.lower().startswith(b"proxy-")
                    )
                    server.sendall(b" ".join((method, path.encode(), version)) + b"\r\n" + kept)
                threading.Thread(target=self._copy_on, args=(connection, server), daemon=True).start()
                _copy(server, connection)

    def _copy_on(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on further requests of the connection."""
        with contextlib.suppress(OSError):
            while piece := source.recv(PIECE):
                if piece.startswith(b"GET http"):
                    self.seen.append(" ".join(piece.decode("latin-1").split(" ", 2)[:2]))
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
