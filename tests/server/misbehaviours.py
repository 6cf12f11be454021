"""Misbehaviours: what sites do to a fetcher, by the name after `/bad/`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from tests.server.answer import HTML, Answer, head
from tests.server.codings import bomb, encode
from tests.server.exchange import Exchange

Misbehaviour = Callable[[Exchange], Awaitable[None]]
SKIPPED_FRAME = b"\x50\x2a\x4d\x18\x00\x10\x00\x00" + bytes(0x1000)
"""Of zstd: what a decoder passes over, whatever it is."""
PAGE = "<!doctype html><title>Käse</title><p>Brot, Käse und Öl".encode()


async def reset(exchange: Exchange) -> None:
    """A TCP reset instead of an answer."""
    exchange.reset()


async def reset_midway(exchange: Exchange) -> None:
    """A TCP reset in the middle of the body."""
    await exchange.send(Answer(PAGE), length=100_000)
    await exchange.wait(20)
    exchange.reset()


async def closes(exchange: Exchange) -> None:
    """The connection ends without an answer."""
    exchange.close()


async def closes_after(exchange: Exchange) -> None:
    """A right answer that promises keep-alive, and then the connection ends."""
    await exchange.send(Answer(PAGE))
    exchange.close()


async def closes_kept(exchange: Exchange) -> None:
    """A page, but over a connection that had another request before: that ends without an answer."""
    if exchange.seen.turn == 1:
        await exchange.send(Answer(PAGE))
    else:
        exchange.close()


async def slow(exchange: Exchange) -> None:
    """`ms` (1000) pass before the answer."""
    await exchange.wait(exchange.number("ms", 1000))
    await exchange.send(Answer(PAGE))


async def drips(exchange: Exchange) -> None:
    """`n` (10) single bytes, `ms` (50) apart."""
    count = exchange.number("n", 10)
    await exchange.write(head(200, length=count))
    for _ in range(count):
        await exchange.wait(exchange.number("ms", 50))
        await exchange.write(b"x")


async def never_answers(exchange: Exchange) -> None:
    """Nothing, for ten minutes."""
    await exchange.wait(600_000)


async def never_ends(exchange: Exchange) -> None:
    """A body without end."""
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"),)))
    while not exchange.gone:
        await exchange.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")


async def empty_members(exchange: Exchange) -> None:
    """Empty members of a `coding` (gzip) without end; with `skipped=yes` frames that zstd passes over."""
    coding = exchange.text("coding", "gzip")
    member = encode(coding, b"") if exchange.text("skipped", "") != "yes" else SKIPPED_FRAME
    await _flood(exchange, coding, b"", member)


async def garbage_behind(exchange: Exchange) -> None:
    """A whole body in a `coding` (gzip), and behind it bytes without end."""
    coding = exchange.text("coding", "gzip")
    await _flood(exchange, coding, encode(coding, PAGE), b"x")


async def chunk_extension(exchange: Exchange) -> None:
    """A chunk with an extension without end."""
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"),)) + b"400;x=")
    while not exchange.gone:
        await exchange.write(b"x" * 0x10000)


async def endless_trailer(exchange: Exchange) -> None:
    """The last chunk, and behind it a trailer without end."""
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"),)) + b"1\r\nx\r\n0\r\n")
    while not exchange.gone:
        await exchange.write(b"X-Trailer: " + b"x" * 4000 + b"\r\n")


async def truncated_headers(exchange: Exchange) -> None:
    """The connection ends within the headers; `line=half` in the middle of one, `status` as usual."""
    half = exchange.text("line", "") == "half"
    status = exchange.number("status", 200)
    to = b"Location: /plain.html\r\n" if status == 302 else b""
    begin = b"HTTP/1.1 %d Fine\r\nContent-Type: text/html\r\n%s" % (status, to)
    await exchange.write(begin + (b"Content-Le" if half else b""))
    exchange.close()


async def endless_headers(exchange: Exchange) -> None:
    """Headers without end."""
    await exchange.write(b"HTTP/1.1 200 OK\r\n")
    while not exchange.gone:
        await exchange.write(b"X-Header: " + b"x" * 4000 + b"\r\n")


async def endless_header(exchange: Exchange) -> None:
    """One header without end."""
    await exchange.write(b"HTTP/1.1 200 OK\r\nX-Header: ")
    while not exchange.gone:
        await exchange.write(b"x" * 4000)


async def two_lengths(exchange: Exchange) -> None:
    """Two Content-Lengths that contradict each other."""
    await exchange.send(Answer(PAGE, headers=(("Content-Length", "1"),)))


async def early_hints(exchange: Exchange) -> None:
    """An announcement (103) with headers that are not the page's, then the page, unless `only=yes`."""
    await exchange.write(b"HTTP/1.1 103 Early Hints\r\nContent-Encoding: br\r\nLink: </a.css>\r\n\r\n")
    if exchange.text("only", "no") == "yes":
        exchange.close()
    else:
        await exchange.send(Answer(PAGE))


async def not_http(exchange: Exchange) -> None:
    """Bytes of another protocol."""
    await exchange.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    exchange.close()


async def redirect(exchange: Exchange) -> None:
    """A redirect `to` anywhere, with `status` (302)."""
    await _redirect(exchange, exchange.text("to", "/"), exchange.number("status", 302))


async def redirect_loop(exchange: Exchange) -> None:
    """A redirect to itself."""
    await _redirect(exchange, "/bad/redirect-loop")


async def redirect_chain(exchange: Exchange) -> None:
    """`n` redirects, then a page."""
    left = exchange.number("n", 3)
    if left:
        await _redirect(exchange, f"/bad/redirect-chain?n={left - 1}")
    else:
        await exchange.send(Answer(PAGE))


async def redirect_nowhere(exchange: Exchange) -> None:
    """A redirect without Location."""
    await exchange.send(Answer(PAGE, 302))


async def redirect_twice(exchange: Exchange) -> None:
    """A redirect `to` a page, said twice, as an application and the server before it both do."""
    to = exchange.text("to", "/")
    await _redirect(exchange, to, more=(("Location", to),))


async def redirect_raw(exchange: Exchange) -> None:
    """A redirect whose Location holds a blank and UTF-8, as sloppy sites send it."""
    await _redirect(exchange, "/bad/echo?q=süß und gut#käse")


async def cookie_wall(exchange: Exchange) -> None:
    """A page only for a client that brings back the cookie that the redirect sets."""
    if "seen=1" in (exchange.seen.header("cookie") or ""):
        await exchange.send(Answer(PAGE))
    else:
        await _redirect(exchange, "/bad/cookie-wall", more=(("Set-Cookie", "seen=1; Path=/"),))


async def echo(exchange: Exchange) -> None:
    """The request as it came, as text."""
    await exchange.send(Answer(exchange.seen.head, content_type="text/plain"))


async def status(exchange: Exchange) -> None:
    """`/bad/status/503`: that status, with a page as body."""
    code = int(exchange.path.rpartition("/")[2])
    await exchange.send(Answer(b"" if code == 204 else PAGE, code))


async def gzip_bomb(exchange: Exchange) -> None:
    """`mb` (100) megabytes of zeros, packed by `coding` (gzip)."""
    coding = exchange.text("coding", "gzip")
    body = bomb(coding, exchange.number("mb", 100))
    await exchange.send(Answer(body, headers=(("Content-Encoding", coding),)))


async def truncated(exchange: Exchange) -> None:
    """The connection ends before Content-Length is reached."""
    await exchange.send(Answer(PAGE), length=len(PAGE) + 1000)
    exchange.close()


async def truncated_chunks(exchange: Exchange) -> None:
    """The connection ends before the last chunk."""
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"),)) + b"400\r\nabc")
    exchange.close()


async def broken_chunks(exchange: Exchange) -> None:
    """A chunk whose length is not a number."""
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"),)) + b"zz\r\nabc\r\n")


async def truncated_coding(exchange: Exchange) -> None:
    """A whole answer whose packed body (`coding`) ends early."""
    coding = exchange.text("coding", "gzip")
    body = encode(coding, PAGE * 500)
    await exchange.send(Answer(body[: len(body) // 2], headers=(("Content-Encoding", coding),)))


async def broken_coding(exchange: Exchange) -> None:
    """A body that is not in the `coding` that the header names."""
    coding = exchange.text("coding", "gzip")
    await exchange.send(Answer(PAGE, headers=(("Content-Encoding", coding),)))


async def wrong_charset(exchange: Exchange) -> None:
    """windows-1252 bytes that the header calls UTF-8."""
    await exchange.send(Answer(PAGE.decode().encode("windows-1252")))


async def binary_as_html(exchange: Exchange) -> None:
    """A picture's bytes called HTML."""
    await exchange.send(Answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 64))


async def empty(exchange: Exchange) -> None:
    """Status 200 and no body."""
    await exchange.send(Answer(b""))


async def huge(exchange: Exchange) -> None:
    """A page of `mb` (100) megabytes."""
    megabytes = exchange.number("mb", 100)
    row = b"<tr><td>cell</td></tr>\n"
    piece = (row * (1_000_000 // len(row) + 1))[:1_000_000]
    await exchange.write(head(200, length=megabytes * 1_000_000))
    for _ in range(megabytes):
        await exchange.write(piece)


async def deep(exchange: Exchange) -> None:
    """`n` (50000) elements in each other."""
    count = exchange.number("n", 50_000)
    await exchange.send(Answer(b"<!doctype html>" + b"<div>" * count + b"x" + b"</div>" * count))


async def _flood(exchange: Exchange, coding: str, begin: bytes, member: bytes) -> None:
    await exchange.write(head(200, (("Transfer-Encoding", "chunked"), ("Content-Encoding", coding))))
    piece = begin
    more = member * (0x10000 // len(member))
    while not exchange.gone:
        piece += more
        await exchange.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        piece = b""


async def _redirect(
    exchange: Exchange, to: str, code: int = 302, more: tuple[tuple[str, str], ...] = ()
) -> None:
    if exchange.text("quoted", "") == "yes":
        to = quote(to)
    await exchange.send(Answer(b"moved", code, HTML, (("Location", to), *more)))


MISBEHAVIOURS: dict[str, Misbehaviour] = {
    "binary-as-html": binary_as_html,
    "broken-chunks": broken_chunks,
    "broken-coding": broken_coding,
    "chunk-extension": chunk_extension,
    "closes": closes,
    "closes-after": closes_after,
    "closes-kept": closes_kept,
    "cookie-wall": cookie_wall,
    "deep": deep,
    "drips": drips,
    "early-hints": early_hints,
    "echo": echo,
    "empty": empty,
    "endless-header": endless_header,
    "empty-members": empty_members,
    "endless-headers": endless_headers,
    "endless-trailer": endless_trailer,
    "garbage-behind": garbage_behind,
    "gzip-bomb": gzip_bomb,
    "huge": huge,
    "never-answers": never_answers,
    "never-ends": never_ends,
    "not-http": not_http,
    "redirect": redirect,
    "redirect-chain": redirect_chain,
    "redirect-loop": redirect_loop,
    "redirect-nowhere": redirect_nowhere,
    "redirect-raw": redirect_raw,
    "redirect-twice": redirect_twice,
    "reset": reset,
    "reset-midway": reset_midway,
    "slow": slow,
    "status": status,
    "truncated": truncated,
    "truncated-chunks": truncated_chunks,
    "truncated-coding": truncated_coding,
    "truncated-headers": truncated_headers,
    "two-lengths": two_lengths,
    "wrong-charset": wrong_charset,
}
