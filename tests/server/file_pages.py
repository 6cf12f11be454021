"""FilePages: files that can be resumed, and that misbehave by the first folder of their path.

    with Server(pages, route=FilePages()) as server: server.url("/cut/a.jpg")

The content of a file follows from its name: `content("a.jpg")`; `?size=N` says how long it is.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import lru_cache
from hashlib import sha256

from tests.server.answer import Answer, head
from tests.server.exchange import Exchange
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen

SIZE = 300_000
_TYPES = {"jpg": "image/jpeg", "png": "image/png", "pdf": "application/pdf", "html": "text/html"}
_RANGE = re.compile(r"bytes=(\d+)-\Z")
_AT_ONCE = 20_000


@lru_cache(8)
def content(name: str, size: int = SIZE) -> bytes:
    """The bytes of the file of that name."""
    block = sha256(name.encode()).digest()
    return (block * (size // len(block) + 1))[:size]


def name_of(seen: Seen) -> str:
    """The name of the file that is asked for."""
    return seen.path.partition("?")[0].rpartition("/")[2]


class FilePages:
    """Answers requests for files; a route of `Server`.

    Attributes:
        times: how often each path was asked for.
    """

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()
        self._ways: dict[str, Callable[[Exchange, bytes, int], Awaitable[None]]] = {
            "ok": self._ok,
            "slow": self._slow,
            "drip": self._drip,
            "cut": self._cut,
            "cut-always": self._cut_always,
            "reset": self._reset,
            "no-range": self._no_range,
            "other-range": self._other_range,
            "beyond": self._beyond,
            "changes": self._changes,
            "busy": self._busy,
            "endless": self._endless,
            "bomb": self._bomb,
            "packed": self._packed,
            "moved": self._moved,
            "moved-private": self._moved_private,
            "named": self._named,
            "untyped": self._untyped,
        }

    def __call__(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        """See `Route`."""
        way = seen.path.split("/")[1]
        if way not in self._ways:
            return None
        self.times[seen.path] += 1
        times = self.times[seen.path]

        async def answer(exchange: Exchange) -> None:
            body = content(name_of(seen), exchange.number("size", SIZE))
            await self._ways[way](exchange, body, times)

        return way, answer

    async def _ok(self, exchange: Exchange, body: bytes, times: int) -> None:
        await self._send(exchange, body, len(body))

    async def _slow(self, exchange: Exchange, body: bytes, times: int) -> None:
        await self._send(exchange, body, len(body), pause_ms=exchange.number("ms", 30))

    async def _drip(self, exchange: Exchange, body: bytes, times: int) -> None:
        await exchange.write(head(200, (), "image/jpeg", len(body)))
        for at in range(len(body)):
            if exchange.gone:
                return
            await exchange.write(body[at : at + 1])
            await exchange.wait(50)

    async def _cut(self, exchange: Exchange, body: bytes, times: int) -> None:
        """The first answer ends in the middle; the next request may ask for the rest."""
        await self._send(exchange, body, len(body) // 2 if times == 1 else len(body))

    async def _cut_always(self, exchange: Exchange, body: bytes, times: int) -> None:
        await exchange.write(head(200, (), "image/jpeg", len(body)) + body[:100])
        exchange.close()

    async def _reset(self, exchange: Exchange, body: bytes, times: int) -> None:
        await self._send(exchange, body, len(body) // 2 if times == 1 else len(body), resets=True)

    async def _no_range(self, exchange: Exchange, body: bytes, times: int) -> None:
        """Has a validator, but always sends all."""
        end = len(body) // 2 if times == 1 else len(body)
        await exchange.write(head(200, _etag(body), "image/jpeg", len(body)) + body[:end])
        if end < len(body):
            exchange.close()

    async def _other_range(self, exchange: Exchange, body: bytes, times: int) -> None:
        """Answers a range with another one."""
        if times == 2:
            rest = (("Content-Range", f"bytes 7-{len(body) - 1}/{len(body)}"), *_etag(body))
            await exchange.write(head(206, rest, "image/jpeg", len(body) - 7) + body[7:])
        else:
            await self._cut(exchange, body, times)

    async def _beyond(self, exchange: Exchange, body: bytes, times: int) -> None:
        """Refuses a range."""
        if exchange.seen.header("range"):
            await exchange.send(Answer(b"", 416))
        else:
            await self._cut(exchange, body, times)

    async def _changes(self, exchange: Exchange, body: bytes, times: int) -> None:
        """Another version after the first answer, which was cut."""
        await self._send(exchange, body if times == 1 else body[::-1], len(body) // (2 if times == 1 else 1))

    async def _busy(self, exchange: Exchange, body: bytes, times: int) -> None:
        if times <= exchange.number("n", 1):
            await exchange.send(Answer(b"busy", 503))
        else:
            await self._ok(exchange, body, times)

    async def _endless(self, exchange: Exchange, body: bytes, times: int) -> None:
        await exchange.write(b"HTTP/1.0 200 OK\r\nContent-Type: image/jpeg\r\n\r\n")
        while not exchange.gone:
            await exchange.write(body)

    async def _bomb(self, exchange: Exchange, body: bytes, times: int) -> None:
        packed = gzip.compress(bytes(50_000_000))
        await exchange.send(Answer(packed, 200, "image/jpeg", (("Content-Encoding", "gzip"),)))

    async def _packed(self, exchange: Exchange, body: bytes, times: int) -> None:
        packed = (("Content-Encoding", "gzip"), *_etag(body))
        await exchange.send(Answer(gzip.compress(body), 200, "image/jpeg", packed))

    async def _moved(self, exchange: Exchange, body: bytes, times: int) -> None:
        await exchange.send(Answer(b"", 302, headers=(("Location", f"/ok/{name_of(exchange.seen)}"),)))

    async def _moved_private(self, exchange: Exchange, body: bytes, times: int) -> None:
        there = (("Location", f"/ok/private/{name_of(exchange.seen)}"),)
        await exchange.send(Answer(b"", 302, headers=there))

    async def _named(self, exchange: Exchange, body: bytes, times: int) -> None:
        named = (("Content-Disposition", 'attachment; filename="../../Price list.pdf"'),)
        await exchange.send(Answer(body, 200, "application/octet-stream", named))

    async def _untyped(self, exchange: Exchange, body: bytes, times: int) -> None:
        await exchange.send(Answer(body, 200, None))

    async def _send(
        self, exchange: Exchange, body: bytes, end: int, pause_ms: int = 0, resets: bool = False
    ) -> None:
        """The file, or the rest of it that is asked for, up to `end`; then the connection ends there."""
        asked = _RANGE.match(exchange.seen.header("range") or "")
        etag = dict(_etag(body))["ETag"]
        start = int(asked[1]) if asked and exchange.seen.header("if-range") == etag else 0
        rest = (("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}"),) if start else ()
        kind = _TYPES.get(name_of(exchange.seen).rpartition(".")[2], "application/octet-stream")
        exchange.seen.status = 206 if start else 200
        await exchange.write(head(exchange.seen.status, (*rest, *_etag(body)), kind, len(body) - start))
        for at in range(start, end, _AT_ONCE):
            await exchange.write(body[at : min(end, at + _AT_ONCE)])
            if pause_ms:
                await exchange.wait(pause_ms)
        if end < len(body):
            await exchange.wait(30)
            (exchange.reset if resets else exchange.close)()


def _etag(body: bytes) -> tuple[tuple[str, str], ...]:
    return (("ETag", f'"{sha256(body).hexdigest()[:16]}"'),)
