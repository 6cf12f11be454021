"""HttpTarget: a server that answers with damaged bytes; each hop ends with an answer or a FetchError."""

from __future__ import annotations

import contextlib
import gzip
import random
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from functools import partial

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.hop_results import GrantNeeded, Redirect, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from tests.fetch.exchanges.many import send

_BODY = "<!doctype html><title>Käse</title><p>Brot, Käse und Öl ".encode() * 20
_MOST_BYTES = 300_000
_SETTINGS = WebClientSettings(
    "Scoopi/fuzz", timeout_ms=1_500, connect_timeout_ms=1_000, max_redirects=5, max_bytes=_MOST_BYTES
)
_STATUS_LINES = (
    *(
        b"HTTP/1.1 200 OK",
        b"HTTP/1.0 200 OK",
        b"HTTP/1.1 200",
        b"HTTP/1.1 404 Not Found",
        b"HTTP/1.1 302 Found",
    ),
    *(b"HTTP/1.1 204 No Content", b"HTTP/1.1 206 Partial", b"HTTP/1.1 999 Odd", b"HTTP/1.1 100 Continue"),
    *(
        b"HTTP/1.1 103 Early Hints",
        b"HTTP/2 200",
        b"HTTP/3 200",
        b"HTTP/1.1 -1 x",
        b"ICY 200 OK",
        b"<html>",
        b"",
    ),
)
_HEADERS = (
    *(
        b"Content-Type: text/html; charset=utf-8",
        b'Content-Type: text/html; charset="\xff"',
        b"Content-Type:",
    ),
    *(
        b"Content-Encoding: gzip",
        b"Content-Encoding: br",
        b"Content-Encoding: zstd",
        b"Content-Encoding: deflate",
    ),
    *(b"Content-Encoding: gzip, gzip", b"Content-Encoding: identity", b"Content-Encoding: odd"),
    *(
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Connection: close",
        b"Connection: x",
    ),
    *(b"Location: /next", b"Location: //", b"Location: http://[::1", b"Location: file:///etc/hostname"),
    *(
        b"Location: \xff\xfe",
        b"Location: ?",
        b"Location: http://user:pass@127.0.0.1:1/",
        b"Location: data:,x",
    ),
    *(b"Set-Cookie: a=b", b"Set-Cookie: =; Domain=.", b"Set-Cookie: " + b"x" * 5000, b"X: " + b"y" * 70_000),
    *(
        b"Content-Length: -1",
        b"Content-Length: 1e9",
        b"Content-Length: 99999999999999999999",
        b" folded: yes",
    ),
    *(
        b"NoColon",
        b": no name",
        b"X\x00: y",
        b"Retry-After: soon",
        b'Alt-Svc: h2=":1"',
        b"Refresh: 0; url=/x",
    ),
)


class HttpTarget:
    """The client and the server share this process; the server answers each request by its number."""

    name = "http"
    host_timeout_s = 30.0

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._client = HttpClient(_SETTINGS)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def feed(self, number: int) -> bool:
        """As `Target`; refused when the client raises a FetchError."""
        try:
            answer = send(self._client, Request(f"http://127.0.0.1:{self._port}/{number}"))
        except FetchError:
            return False
        assert isinstance(answer, Response | Redirect | GrantNeeded)
        if isinstance(answer, Response):
            assert 200 <= answer.status < 300
            assert len(answer.body) <= _MOST_BYTES
        if isinstance(answer, Redirect):
            assert answer.request.url.startswith(("http://", "https://")), answer.request.url
        return True

    def shown(self, number: int) -> bytes:
        """The bytes of the answer."""
        return response(random.Random(f"{self._seed}-{number}"))

    def close(self) -> None:
        """End the client and the server."""
        self._client.close()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(5)
            request = b""
            while b"\r\n\r\n" not in request:
                received = connection.recv(65536)
                if not received:
                    return
                request += received
            number = request.split(b" ", 2)[1].strip(b"/").decode("ascii", "replace")
            chance = random.Random(f"{self._seed}-{number}")
            answer = response(chance)
            cut = chance.randrange(len(answer) + 1)
            for piece in (answer[:cut], answer[cut:]):
                connection.sendall(piece)
            if chance.random() < 0.3:  # a reset instead of a graceful end
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def response(chance: random.Random) -> bytes:
    """A response that is right in parts, and damaged in one to four places."""
    encode, coding = chance.choice(_CODINGS)
    body = encode(_BODY)
    headers = [b"Content-Type: text/html; charset=utf-8"]
    if coding:
        headers.append(b"Content-Encoding: " + coding)
    if chance.random() < 0.4:
        headers.append(b"Transfer-Encoding: chunked")
        body = _chunked(body, chance)
    else:
        headers.append(b"Content-Length: %d" % len(body))
    head = [b"HTTP/1.1 200 OK", *headers]
    whole = b""
    for _ in range(chance.randrange(1, 5)):
        kind = chance.randrange(5)
        if kind == 0:
            head[0] = chance.choice(_STATUS_LINES)
        elif kind == 1:
            head.insert(chance.randrange(1, len(head) + 1), chance.choice(_HEADERS))
        elif kind == 2:
            body = _damaged(body, chance)
        elif kind == 3 and len(head) > 1:
            del head[chance.randrange(1, len(head))]
        else:
            whole = chance.choice((b"", b"HTTP/1.1 100 Continue\r\n\r\n", chance.randbytes(8), b"\r\n"))
    answer = whole + chance.choice((b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r")).join(head) + b"\r\n\r\n" + body
    return _damaged(answer, chance) if chance.random() < 0.3 else answer


def _chunked(body: bytes, chance: random.Random) -> bytes:
    chunks, at = [], 0
    while at < len(body):
        size = chance.randrange(1, 400)
        extension = chance.choice((b"", b"", b";x=y", b";" + b"e" * 300))
        piece = body[at : at + size]
        chunks.append(b"%x%s\r\n%s\r\n" % (len(piece), extension, piece))
        at += size
    chunks.append(
        chance.choice((b"0\r\n\r\n", b"0\r\nTrailer: x\r\n\r\n", b"", b"ffffffffffffffff\r\n", b"-1\r\n"))
    )
    return b"".join(chunks)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return chance.randbytes(20)
    at = chance.randrange(len(data))
    kind = chance.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + chance.randbytes(chance.randrange(1, 20)) + data[at:]
    if kind == 2:
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    return data[:at] + data[at : at + 50] * chance.choice((2, 50, 2000)) + data[at:]


def _bomb(_: bytes) -> bytes:
    return gzip.compress(b"\0" * (_MOST_BYTES * 20), 9, mtime=0)


def _empty_members(_: bytes) -> bytes:
    return gzip.compress(b"", mtime=0) * 5000


_CODINGS: tuple[tuple[Callable[[bytes], bytes], bytes], ...] = (
    *(
        (bytes, b""),
        (bytes, b""),
        (partial(gzip.compress, mtime=0), b"gzip"),
        (zlib.compress, b"deflate"),
        (bytes, b"br"),
    ),
    *((bytes, b"zstd"), (_bomb, b"gzip"), (_empty_members, b"gzip")),
)
