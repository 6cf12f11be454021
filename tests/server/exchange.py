"""Exchange: one request and the means to answer it badly."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from urllib.parse import parse_qs, unquote, urlsplit

from tests.server.answer import Answer
from tests.server.request_log import Seen


class Exchange:
    """What a misbehaviour is given: the request taken apart, and the connection's raw writer.

    Attributes:
        seen: the request.
        times: how often this host has been asked for this misbehaviour, this request included.
        since_s: seconds since the first of these requests.
    """

    def __init__(
        self,
        seen: Seen,
        transport: asyncio.Transport,
        may_write: asyncio.Event,
        times: int = 1,
        since_s: float = 0.0,
    ) -> None:
        self.seen = seen
        self.times = times
        self.since_s = since_s
        self.transport = transport
        self._may_write = may_write
        parts = urlsplit(seen.path)
        self.path = unquote(parts.path)
        self._query = parse_qs(parts.query, keep_blank_values=True)

    def text(self, name: str, default: str) -> str:
        """A parameter of the query."""
        return self._query.get(name, [default])[0]

    def number(self, name: str, default: int) -> int:
        """A whole number of the query."""
        return int(self.text(name, str(default)))

    def cookie(self, name: str) -> str:
        """The value of a cookie that the client sent; empty without one."""
        pairs = (pair.strip().partition("=") for pair in (self.seen.header("cookie") or "").split(";"))
        return next((value for key, _, value in pairs if key == name), "")

    def form(self) -> dict[str, str]:
        """The fields of the form in the body."""
        return {name: values[0] for name, values in parse_qs(self.seen.body.decode("latin-1")).items()}

    @property
    def gone(self) -> bool:
        """The client has closed the connection."""
        return self.transport.is_closing()

    async def write(self, piece: bytes) -> None:
        """Send a piece as soon as the client takes it."""
        await self._may_write.wait()
        if not self.gone:
            # Noted before the client can know, so that its next request never seems to overlap this one.
            self.seen.ended = time.monotonic()
            self.transport.write(piece)
            await asyncio.sleep(0)

    async def send(self, answer: Answer, length: int | None = None) -> None:
        """Send an answer; `length` lies about its size."""
        self.seen.status = answer.status
        body = b"" if self.seen.method == "HEAD" else answer.body
        await self.write(answer.head(length) + body)

    async def wait(self, milliseconds: float) -> None:
        """Let time pass, but not longer than the client stays."""
        end = asyncio.get_running_loop().time() + milliseconds / 1000
        while not self.gone and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(left, 0.05))

    def close(self) -> None:
        """End the connection gracefully."""
        self.transport.close()

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        raw = self.transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
