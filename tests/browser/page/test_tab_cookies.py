"""Cookies of a session go into a real browser and come back."""

from __future__ import annotations

import time

from scoopi.browser.browser import Browser
from scoopi.browser.page.tab_cookies import is_whole, line_of
from scoopi.browser.pool_messages import Rendered, Visit
from scoopi.model.scrape.browser_def import BrowserDef
from tests.browser.kinds import each_browser
from tests.server.answer import Answer
from tests.server.server import Server

PAGE = b"<p id=p></p><script>p.textContent = document.cookie</script>"
SETS = (("Set-Cookie", "sid=2; Path=/; HttpOnly"), ("Set-Cookie", "gone=; Path=/; Max-Age=0"))
LATER = int(time.time()) + 90_000


def line(name: str, value: str, end: int = 0, domain: str = "127.0.0.1", path: str = "/") -> str:
    subdomains = "TRUE" if domain.startswith(".") else "FALSE"
    return "\t".join((domain, subdomains, path, "FALSE", str(end), name, value))


def load(browser: Browser, url: str, headers: dict[str, str], *lines: str) -> Rendered:
    page = browser.load(Visit(url, headers, 30.0, BrowserDef(), lines))
    assert isinstance(page, Rendered)
    return page


@each_browser
def test_a_page_has_the_cookies_of_its_session_and_gives_them_back_changed(browser: Browser) -> None:
    kept = (line("theme", "dark", LATER), line("deep", "1", path="/far"))
    other = line("partner", "x", domain=".shop.example")
    headers = {"Cookie": "consent=yes"}
    with Server(lambda path: Answer(PAGE, headers=SETS)) as server:
        page = load(browser, server.url("/"), headers, line("sid", "1"), line("gone", "1"), *kept, other)
        (seen,) = [each for each in server.log.all() if each.path == "/"]
    sent = set((seen.header("Cookie") or "").split("; "))
    assert sent == {"sid=1", "gone=1", "theme=dark", "consent=yes"}
    assert b"consent=yes" in page.body
    assert page.cookies is not None
    assert {*page.cookies} == {"#HttpOnly_" + line("sid", "2"), *kept, other}


@each_browser
def test_cookies_of_hosts_that_a_page_only_loads_from_are_not_of_the_session(browser: Browser) -> None:
    def tracker(path: str) -> Answer:
        sets = (("Set-Cookie", "track=1; Path=/"), ("Access-Control-Allow-Origin", "*"))
        return Answer(b"document.title = 'loaded'", content_type="text/javascript", headers=sets)

    with Server(tracker) as other:
        script = f"<script src='http://localhost:{other.port}/t.js'></script>".encode()
        with Server(lambda path: Answer(script, headers=(("Set-Cookie", "own=1"),))) as server:
            page = load(browser, server.url("/"), {})
    assert b"loaded" in page.body
    assert page.cookies == (line("own", "1"),)


def test_a_page_of_a_site_without_a_session_gives_no_cookies(browser: Browser) -> None:
    with Server(lambda path: Answer(PAGE, headers=SETS)) as server:
        page = browser.load(Visit(server.url("/"), {}, 30.0, BrowserDef()))
    assert isinstance(page, Rendered)
    assert page.cookies is None


def test_a_cookie_that_the_browser_rejects_is_named_and_stays_in_the_session(browser: Browser) -> None:
    refused = line("__Host-x", "1")
    with Server(lambda path: Answer(PAGE)) as server:
        page = load(browser, server.url("/"), {}, refused, "# a comment", line("sid", "1"))
        assert page.rejected == ("__Host-x",)
        assert page.cookies is not None
        assert {*page.cookies} == {line("sid", "1"), refused}, "pages by plain HTTP still have it"
        assert not load(browser, server.url("/"), {}, line("sid", "1")).rejected


def test_a_line_has_the_domain_the_end_and_the_flags_of_a_cookie() -> None:
    cookie = {
        "name": "a",
        "value": "b=c",
        "domain": ".shop.example",
        "path": "/x",
        "expires": 1900000000.7,
        "session": False,
        "httpOnly": True,
        "secure": True,
    }
    assert line_of(cookie) == "#HttpOnly_.shop.example\tTRUE\t/x\tTRUE\t1900000000\ta\tb=c"
    assert line_of({**cookie, "expires": -1, "session": True}).split("\t")[4] == "0"
    assert not is_whole(line_of({**cookie, "value": "tab\there"}))
