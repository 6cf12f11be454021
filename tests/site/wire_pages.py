"""Pages whose connection, headers or body are wrong."""

from __future__ import annotations

from tests.server.answer import Answer, head
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS, PAGE
from tests.site.site_page import NEVER, SitePage

BAD = MISBEHAVIOURS


async def longer_than_said(exchange: Exchange) -> None:
    """More bytes than Content-Length says."""
    await exchange.send(Answer(PAGE + b"<p>more" * 10), length=len(PAGE))
    exchange.close()


async def headers_only(exchange: Exchange) -> None:
    """The headers of a page without its body, as to a HEAD request."""
    await exchange.write(head(200, length=len(PAGE)))
    await exchange.wait(600_000)


async def http_1_0(exchange: Exchange) -> None:
    """HTTP/1.0 without a length: the body ends with the connection."""
    await exchange.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + PAGE)
    exchange.close()


async def bare_newlines(exchange: Exchange) -> None:
    """Lines of the headers that end with LF only."""
    lines = head(200, length=len(PAGE)).replace(b"\r\n", b"\n")
    await exchange.write(lines + PAGE)


async def bad_header_bytes(exchange: Exchange) -> None:
    """Headers with bytes that are neither ASCII nor UTF-8."""
    begin = head(200, (("X-Bread", "x"),), length=len(PAGE)).removesuffix(b"\r\n")
    await exchange.write(begin + b"X-Cheese: K\xe4se\xff\x01\r\n\r\n" + PAGE)


async def no_colon(exchange: Exchange) -> None:
    """A line of the headers without a colon."""
    await exchange.write(head(200, length=len(PAGE)).removesuffix(b"\r\n") + b"not a header\r\n\r\n" + PAGE)


async def duplicate_headers(exchange: Exchange) -> None:
    """Content-Type, Content-Length and Server twice, with the same length."""
    length = str(len(PAGE))
    more = (("Content-Type", "text/html"), ("Content-Length", length), ("Server", "a"), ("Server", "b"))
    await exchange.send(Answer(PAGE, headers=more))


async def unknown_coding(exchange: Exchange) -> None:
    """A Content-Encoding that does not exist."""
    await exchange.send(Answer(PAGE, headers=(("Content-Encoding", "fromage"),)))


WIRE_PAGES: dict[str, SitePage] = {
    "slow": SitePage(BAD["slow"], "ms=300"),
    "drip": SitePage(BAD["drips"], "n=100000&ms=50", hangs=True),
    "never-answers": SitePage(BAD["never-answers"], hangs=True),
    "reset": SitePage(BAD["reset"]),
    "reset-midway": SitePage(BAD["reset-midway"]),
    "closes": SitePage(BAD["closes"]),
    "closes-after": SitePage(BAD["closes-after"]),
    "not-http": SitePage(BAD["not-http"]),
    "refused": SitePage(opens_after_s=NEVER, does="Refuses connections."),
    "down-for-2-s": SitePage(opens_after_s=2.0, does="Refuses connections for 2 s."),
    "ipv6": SitePage(host="ipv6", does="A host of an IPv6 address."),
    "bad-tls": SitePage(host="tls", does="A certificate of unknown authority."),
    "tls-wrong-name": SitePage(host="tls-wrong-name", does="A certificate of another host."),
    "https-to-http": SitePage(host="https-to-http", does="A port that speaks http, asked by https."),
    "http-1.0": SitePage(http_1_0),
    "headers-only": SitePage(headers_only, hangs=True),
    "endless-headers": SitePage(BAD["endless-headers"]),
    "endless-header": SitePage(BAD["endless-header"]),
    "truncated-headers": SitePage(BAD["truncated-headers"]),
    "bare-newlines": SitePage(bare_newlines),
    "bad-header-bytes": SitePage(bad_header_bytes),
    "header-without-colon": SitePage(no_colon),
    "duplicate-headers": SitePage(duplicate_headers),
    "two-lengths": SitePage(BAD["two-lengths"]),
    "early-hints": SitePage(BAD["early-hints"]),
}

BODY_PAGES: dict[str, SitePage] = {
    "partial": SitePage(BAD["truncated"]),
    "wrong-length": SitePage(longer_than_said),
    "broken-chunks": SitePage(BAD["broken-chunks"]),
    "truncated-chunks": SitePage(BAD["truncated-chunks"]),
    "chunk-extension": SitePage(BAD["chunk-extension"]),
    "endless-trailer": SitePage(BAD["endless-trailer"]),
    "huge": SitePage(BAD["huge"], "mb=100"),
    "endless": SitePage(BAD["never-ends"]),
    "bomb-gzip": SitePage(BAD["gzip-bomb"], "mb=100"),
    "bomb-br": SitePage(BAD["gzip-bomb"], "mb=100&coding=br"),
    "bomb-zstd": SitePage(BAD["gzip-bomb"], "mb=100&coding=zstd"),
    "truncated-gzip": SitePage(BAD["truncated-coding"]),
    "not-gzip": SitePage(BAD["broken-coding"]),
    "unknown-coding": SitePage(unknown_coding),
    "garbage-behind": SitePage(BAD["garbage-behind"]),
    "empty-members": SitePage(BAD["empty-members"]),
    "empty": SitePage(BAD["empty"]),
    "deep": SitePage(BAD["deep"]),
}
