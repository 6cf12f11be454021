"""Pages behind a status that is not 200, a redirect, or a wall of cookies and logins."""

from __future__ import annotations

import base64
import math
import time
from email.utils import formatdate

from tests.server.answer import HTML, Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS, PAGE
from tests.site.site_page import SitePage, html, says

BAD = MISBEHAVIOURS
USER, PASSWORD, TOKEN = "ann", "brie & rye", "t0ken"
"""Who may log in at `login-wall`, `login-in-page` and `basic-auth`; the token of `bearer-auth`."""
LOGIN_FORM = (
    "<!doctype html><title>Sign in</title><h2>Sign in</h2>"
    '<form id=login method=post action="/login"><input type=hidden name=csrf value=c0ffee>'
    "<input name=user><input type=password name=password><button name=go value=1>Sign in</button></form>"
)


async def busy(exchange: Exchange) -> None:
    """`status` (429) with Retry-After as `form` (seconds, date or none) until `seconds` (2) have passed."""
    left_s = exchange.number("seconds", 2) - exchange.since_s
    if left_s <= 0:
        await exchange.send(Answer(PAGE))
        return
    form = exchange.text("form", "seconds")
    after = str(math.ceil(left_s))
    if form == "date":
        after = formatdate(math.ceil(time.time() + left_s), usegmt=True)
    more = (("Retry-After", after),) if form != "none" else ()
    await exchange.send(Answer(b"busy", exchange.number("status", 429), HTML, more))


async def flapping(exchange: Exchange) -> None:
    """`bad` (2) answers of `status` (503), `good` (1) pages, and so on; with `first=good` the pages first."""
    good, bad = exchange.number("good", 1), exchange.number("bad", 2)
    position = (exchange.times - 1) % (good + bad)
    fails = position >= good if exchange.text("first", "bad") == "good" else position < bad
    await exchange.send(Answer(b"later", exchange.number("status", 503)) if fails else Answer(PAGE))


async def login_wall(exchange: Exchange, lives: int = 1_000_000) -> None:
    """A redirect to a login form, which gives a session for name, password and its hidden field."""
    if exchange.path == "/login":
        await _login(exchange)
    elif _has_session(exchange, lives):
        await exchange.send(Answer(PAGE))
    else:
        await exchange.send(Answer(b"", 302, HTML, (("Location", "/login"),)))


async def short_session(exchange: Exchange) -> None:
    """As `login_wall`, but a session ends after 3 requests."""
    await login_wall(exchange, lives=3)


async def login_in_page(exchange: Exchange) -> None:
    """As `login_wall`, but the form comes with status 200 in the place of the page."""
    if exchange.path == "/login":
        await _login(exchange)
    else:
        await exchange.send(Answer(PAGE if _has_session(exchange, 1_000_000) else LOGIN_FORM.encode()))


async def basic_auth(exchange: Exchange) -> None:
    """Status 401 unless name and password come with the request."""
    wanted = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    await _authorized(exchange, f"Basic {wanted}", 'Basic realm="cheese"')


async def bearer_auth(exchange: Exchange) -> None:
    """Status 401 unless a token comes with the request."""
    await _authorized(exchange, f"Bearer {TOKEN}", "Bearer")


async def agent_wall(exchange: Exchange) -> None:
    """Status 403 for all user agents that do not say Mozilla."""
    if (exchange.seen.header("user-agent") or "").startswith("Mozilla/"):
        await exchange.send(Answer(PAGE))
    else:
        await exchange.send(Answer(b"no robots", 403))


async def head_only(exchange: Exchange) -> None:
    """Status 405 to everything but HEAD."""
    if exchange.seen.method == "HEAD":
        await exchange.send(Answer(PAGE))
    else:
        await exchange.send(Answer(b"", 405, HTML, (("Allow", "HEAD"),)))


async def post_only(exchange: Exchange) -> None:
    """A page that shows the posted body; status 405 to GET."""
    if exchange.seen.method == "POST":
        await exchange.send(Answer(html(exchange.seen.body.decode("utf-8", "replace")).encode()))
    else:
        await exchange.send(Answer(b"", 405, HTML, (("Allow", "POST"),)))


async def etag(exchange: Exchange) -> None:
    """A page with an ETag, and 304 for a client that has it."""
    tag = exchange.text("tag", '"v1"')
    if exchange.seen.header("if-none-match") == tag:
        await exchange.send(Answer(b"", 304, None, (("ETag", tag),)))
    else:
        await exchange.send(Answer(PAGE, headers=(("ETag", tag),)))


async def last_modified(exchange: Exchange) -> None:
    """A page with Last-Modified, and 304 for a client that has it."""
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    if exchange.seen.header("if-modified-since") == date:
        await exchange.send(Answer(b"", 304, None, (("Last-Modified", date),)))
    else:
        await exchange.send(Answer(PAGE, headers=(("Last-Modified", date),)))


async def _login(exchange: Exchange) -> None:
    form = exchange.form()
    if exchange.seen.method != "POST":
        await exchange.send(Answer(LOGIN_FORM.encode()))
    elif (form.get("user"), form.get("password"), form.get("csrf")) == (USER, PASSWORD, "c0ffee"):
        cookie = f"session={exchange.times}; Path=/; HttpOnly"
        await exchange.send(Answer(b"", 303, HTML, (("Location", "/"), ("Set-Cookie", cookie))))
    else:
        await exchange.send(Answer(LOGIN_FORM.replace("<form", "<b>wrong password</b><form").encode()))


def _has_session(exchange: Exchange, lives: int) -> bool:
    issued = exchange.cookie("session")
    return issued.isdecimal() and exchange.times - int(issued) <= lives


async def _authorized(exchange: Exchange, wanted: str, challenge: str) -> None:
    if exchange.seen.header("authorization") == wanted:
        await exchange.send(Answer(PAGE))
    else:
        await exchange.send(Answer(b"who?", 401, HTML, (("WWW-Authenticate", challenge),)))


def _status(number: int, *headers: tuple[str, str], body: bytes = PAGE) -> SitePage:
    return SitePage(says(body, HTML, *headers, status=number, does=f"Status {number}."))


STATUS_PAGES: dict[str, SitePage] = {
    "204": _status(204, body=b""),
    "206": _status(206, ("Content-Range", f"bytes 0-{len(PAGE) - 1}/1000")),
    "304": _status(304, body=b""),
    "400": _status(400),
    "404": _status(404),
    "408": _status(408),
    "410": _status(410),
    "425": _status(425),
    "451": _status(451),
    "500": _status(500),
    "599": _status(599),
    "999": _status(999),
    "429-always": SitePage(
        busy, "form=none&seconds=1000000", does="Status 429 for ever, without Retry-After."
    ),
    "429-with-seconds": SitePage(busy, does="Status 429 with Retry-After: 2, then a page."),
    "429-with-date": SitePage(
        busy, "form=date", does="Status 429 with a date 2 s ahead as Retry-After, then a page."
    ),
    "503-with-seconds": SitePage(busy, "status=503", does="Status 503 with Retry-After: 2, then a page."),
    "flapping-503": SitePage(flapping, does="Status 503 twice, then a page, and so on."),
    "fifth-503": SitePage(flapping, "good=4&bad=1&first=good", does="Every fifth answer is 503."),
    "head-only": SitePage(head_only),
    "post-only": SitePage(post_only),
    "etag": SitePage(etag),
    "last-modified": SitePage(last_modified),
}

WALL_PAGES: dict[str, SitePage] = {
    "redirect-loop": SitePage(BAD["redirect-loop"]),
    "redirect-chain": SitePage(BAD["redirect-chain"], "n=3"),
    "redirect-nowhere": SitePage(BAD["redirect-nowhere"]),
    "redirect-twice": SitePage(BAD["redirect-twice"], "to=/bad/plain"),
    "redirect-to-file": SitePage(BAD["redirect"], "to=file:///etc/hostname"),
    "redirect-to-ftp": SitePage(BAD["redirect"], "to=ftp://127.0.0.1/page"),
    "redirect-to-nonsense": SitePage(BAD["redirect"], "to=http://[::1/"),
    "redirect-with-blanks": SitePage(BAD["redirect-raw"]),
    "cookie-wall": SitePage(BAD["cookie-wall"]),
    "login-wall": SitePage(login_wall),
    "login-in-page": SitePage(login_in_page),
    "short-session": SitePage(short_session),
    "basic-auth": SitePage(basic_auth),
    "bearer-auth": SitePage(bearer_auth),
    "agent-wall": SitePage(agent_wall),
}
