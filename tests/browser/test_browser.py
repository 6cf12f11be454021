"""A real browser loads pages as a reader sees them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser import browser as browser_module
from scoopi.browser.browser import Browser
from scoopi.browser.page.page_snapshots import Console, PageSnapshots, Whole, nothing_more
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.server.answer import Answer
from tests.server.server import Server

LONG_MS = 30_000
"""The timeout of what comes at once, if the machine has the time for it."""
AGENT = {"User-Agent": "Scoopi/0 (test)", "X-Shop": "bakery"}


def load(
    browser: Browser, url: str, waits: BrowserDef | None = None, timeout_s: float = 30.0
) -> Rendered | VisitFailed:
    return browser.load(Visit(url, AGENT, timeout_s, waits or BrowserDef()))


@each_browser
def test_a_page_is_read_when_its_table_has_come(browser: Browser, server: Server, late_table: str) -> None:
    waits = BrowserDef(Until(selector="#prices", gone=".spinner", text="4.20"))
    page = load(browser, server.url(late_table), waits)
    assert isinstance(page, Rendered)
    assert b"<td>4.20</td>" in page.body
    assert (page.url, page.status) == (server.url(late_table), 200)
    assert page.headers["content-type"].startswith("text/html")


@each_browser
def test_what_does_not_come_is_named(browser: Browser, server: Server, late_table: str) -> None:
    page = load(browser, server.url(late_table), BrowserDef(Until(selector="#offers"), timeout_ms=400))
    assert isinstance(page, VisitFailed)
    assert page.what == "the page did not become complete within 0.4 s: no element matches `#offers`"
    assert page.cause == "what `until` waits for did not come"
    assert not page.reason, "another attempt would wait for nothing too"


@each_browser
def test_what_a_failed_page_showed_is_kept(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "broken.html").write_text(
        "<p id=p>half</p><script>console.error('no prices'); gone.x.y</script>"
    )
    load(browser, server.url("/"))
    page = load(browser, server.url("/broken.html"), BrowserDef(Until(selector="#x"), timeout_ms=200))
    assert isinstance(page, VisitFailed)
    kept = Path(page.kept)
    assert kept.parent == browser.profile / "kept"
    assert '<p id="p">half</p>' in kept.with_suffix(".html").read_text()
    assert kept.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    visit, *console = map(json.loads, kept.with_suffix(".log").read_text().splitlines())
    assert visit["url"] == server.url("/broken.html")
    assert "no prices" in console[0]["message"]
    assert "gone is not defined" in console[1]["message"]


@each_browser
def test_a_selector_that_the_browser_cannot_read_is_named(
    browser: Browser, server: Server, late_table: str
) -> None:
    page = load(browser, server.url(late_table), BrowserDef(Until(selector="td:contains(x)")))
    assert isinstance(page, VisitFailed)
    assert "td:contains(x)" in page.what
    assert "cannot be read by a browser" in page.cause


@each_browser
def test_a_request_has_the_headers_of_its_site(browser: Browser, server: Server, late_table: str) -> None:
    load(browser, server.url(late_table))
    (seen,) = [each for each in server.log.all() if each.path == late_table]
    assert (seen.header("user-agent"), seen.header("x-shop")) == (AGENT["User-Agent"], "bakery")


@each_browser
def test_a_page_knows_nothing_of_the_one_before(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "memory.html").write_text(
        "<p id=found></p><script>found.textContent = `${document.cookie}|${localStorage.seen || ''}|`;"
        "document.cookie = 'a=1'; localStorage.seen = 'yes'</script>"
    )
    for _ in range(2):
        page = load(browser, server.url("/memory.html"))
        assert isinstance(page, Rendered)
        assert b'<p id="found">||</p>' in page.body


HEAVY = """<link rel=icon href=i.ico>
<style>@font-face { font-family: x; src: url(x.woff2) } p { font-family: x }</style>
<p>text</p><img src=bread.png><video src=film.mp4 autoplay></video><audio src='a.mp3?x' autoplay></audio>
<video src='film?id=1' autoplay muted></video><iframe src='http://LOCAL/frame'></iframe>
<form id=f target=t method=post action='http://LOCAL/posted'></form><iframe name=t></iframe>
<b id=b></b><script>f.submit();
fetch('http://LOCAL/ad').catch(() => fetch('/last').then(() => b.id = 'last'))</script>"""


@each_browser
def test_images_fonts_media_and_blocked_hosts_are_not_asked_for(
    browser: Browser, server: Server, pages: Path
) -> None:
    (pages / "shop.html").write_text(HEAVY.replace("LOCAL", f"localhost:{server.port}"))
    how = BrowserDef(Until(selector="#last", idle_ms=300), timeout_ms=LONG_MS, block=("local*",))
    assert isinstance(load(browser, server.url("/shop.html"), how), Rendered)
    assert {*server.log.paths()} == {"/shop.html", "/last"}


WORKERS = """<p id=p></p><script>
const heard = new Set();
const hear = ({data}) => { heard.add(data); if (heard.size === 4) p.id = 'all'; };
new Worker('/own.js').onmessage = hear;
new Worker(URL.createObjectURL(new Blob([`importScripts('${location.origin}/text.js')`]))).onmessage = hear;
new SharedWorker('/shared.js').port.onmessage = hear;
navigator.serviceWorker.register('/service.js');
navigator.serviceWorker.onmessage = hear;
</script>"""
WORK = """const say = {
  shared: data => { onconnect = ({ports}) => ports[0].postMessage(data); },
  service: data => { oninstall = () => skipWaiting(); onactivate = () => clients.claim().then(
    () => clients.matchAll()).then(found => found.forEach(each => each.postMessage(data))); },
}['KIND'] ?? postMessage;
const asked = fetch('http://BLOCKED/KIND', {mode: 'no-cors'}).catch(() => {});
say('KIND');"""


@each_browser
def test_the_workers_of_a_page_run(browser: Browser) -> None:
    def page(path: str) -> Answer:
        kind = path.strip("/").partition(".")[0]
        if path == "/":
            return Answer(WORKERS.encode())
        script = WORK.replace("KIND", kind).replace("BLOCKED", server.host(1))
        return Answer(script.encode(), content_type="text/javascript")

    with Server(page) as server:
        how = BrowserDef(Until(selector="#all", idle_ms=300), timeout_ms=LONG_MS, block=("127.0.0.2",))
        assert isinstance(load(browser, server.url("/"), how), Rendered)
        scripts = {f"/{kind}.js" for kind in ("own", "text", "shared", "service")}
        asked = {*server.log.paths()} - {"/favicon.ico"}
        # Firefox does not report what workers of several pages ask for.
        allowed = {"/shared", "/service"} if "firefox" in str(browser.profile) else set()
        assert {"/", *scripts} <= asked <= {"/", *scripts, *allowed}


@each_browser
@pytest.mark.parametrize(
    ("path", "said", "timeout_s"),
    [
        ("/bad/reset", "the host has ", 60.0),
        ("/bad/never-answers", "the page was not received within its timeout", 2.0),
    ],
)
def test_a_page_that_does_not_come_may_come_later(
    browser: Browser, server: Server, path: str, said: str, timeout_s: float
) -> None:
    page = load(browser, server.url(path), timeout_s=timeout_s)
    assert isinstance(page, VisitFailed)
    assert said in page.what
    assert page.reason


def test_the_status_of_an_answer_is_passed_on(browser: Browser, server: Server) -> None:
    page = load(browser, server.url("/nothing-here.html"))
    assert isinstance(page, Rendered)
    assert page.status == 404


MOVES = {
    "/start": (200, "<a href='/gone'>on</a>"),
    "/gone": (404, "<p id=gone>gone</p>"),
    "/redirects": (200, "<script>location.replace('/last')</script>"),
    "/last": (200, "<p id=last>last</p><iframe src='/gone'></iframe>"),
}


@each_browser
@pytest.mark.parametrize(("path", "last", "status"), [("/start", "/gone", 404), ("/redirects", "/last", 200)])
def test_status_and_headers_are_those_of_the_document_that_is_read(
    browser: Browser, path: str, last: str, status: int
) -> None:
    def answer(path: str) -> Answer:
        code, body = MOVES.get(path, (200, ""))
        return Answer(body.encode(), code, headers=(("X-Path", path),))

    is_there = path == "/start"
    click = ActionDef(
        "click", "actions[0]", selector="a", optional=not is_there, timeout_ms=LONG_MS if is_there else 500
    )
    with Server(answer) as server:
        how = BrowserDef(Until(selector="#gone, #last", time_ms=200), actions=(click,))
        page = load(browser, server.url(path), how)
        assert isinstance(page, Rendered), page
        assert page.url == server.url(last)
    assert (page.status, page.headers["x-path"]) == (status, last)


@pytest.mark.parametrize(("body", "status"), [(b"", 404), (b"", 500), (b"<p>gone</p>", 404), (b"", 204)])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_answer_that_gives_no_page_has_its_own_status(
    browser: Browser, body: bytes, status: int, is_first: bool
) -> None:
    pages = {"/start": Answer(b"<p>here</p><a href='/gone'>on</a>"), "/gone": Answer(body, status)}
    click = ActionDef(
        "click", "actions[0]", selector="a", optional=is_first, timeout_ms=500 if is_first else LONG_MS
    )
    with Server(pages.get) as server:
        page = load(browser, server.url("/gone" if is_first else "/start"), BrowserDef(actions=(click,)))
        assert isinstance(page, Rendered), page
        stays = status == 204  # as browsers do
        assert page.status == (200 if stays and not is_first else status)
        if not stays:
            assert page.url == server.url("/gone")


@each_browser
@pytest.mark.parametrize("until", [Until(), Until(selector="#prices")])
def test_a_page_that_goes_to_an_address_without_a_server_fails(
    browser: Browser, server: Server, pages: Path, until: Until
) -> None:
    with Server(pages) as gone:
        url = gone.url("/prices.html")
    (pages / "start.html").write_text(f"<a id=on href='{url}'>on</a>")
    click = ActionDef("click", "actions[0]", selector="a", timeout_ms=LONG_MS)
    leave = ActionDef("wait", "actions[1]", until=Until(gone="#on"), timeout_ms=LONG_MS)
    how = BrowserDef(until, timeout_ms=500, actions=(click, leave))
    page = load(browser, server.url("/start.html"), how)
    assert isinstance(page, VisitFailed), page
    assert f"the page went to {url}: the host refuses the connection" in page.what
    assert page.reason == "connect", "it may come later"


class WatchedPages(PageSnapshots):
    """Notes what is known of a failure while its page is kept, which a page may not let happen."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.late: Callable[[], VisitFailed | None] = lambda: None
        self.known: VisitFailed | None = None

    def keep(
        self, driver: WebDriver, console: Console, url: str, since: float, whole: Whole = nothing_more
    ) -> str:
        self.known = self.late()
        return ""


def test_a_page_that_does_not_let_itself_be_kept_still_fails_for_its_own_fault(
    server: Server, late_table: str, tmp_path: Path
) -> None:
    kept = WatchedPages(tmp_path)
    browser = Browser(BrowserSettings(), tmp_path, tmp_path, kept)
    try:
        kept.late = browser.late
        page = load(browser, server.url(late_table), BrowserDef(Until(selector="#none"), timeout_ms=100))
        assert isinstance(page, VisitFailed)
        assert kept.known == page, "what kills the browser then has its words"
        assert isinstance(load(browser, server.url(late_table)), Rendered)
        assert browser.late() is None
    finally:
        browser.kill()


def test_a_browser_that_does_not_answer_after_its_start_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Started] = []

    def silent(browser: Started, shots: Path, scripts: Sequence[str]) -> None:
        started.append(browser)
        raise WebDriverException("tab crashed")

    monkeypatch.setattr(browser_module, "PageCompletion", silent)
    with pytest.raises(WebDriverException, match="tab crashed"):
        Browser(BrowserSettings(), tmp_path, tmp_path / "shots", PageSnapshots(tmp_path / "kept"))
    process = started[0].process
    assert process is not None
    assert process.poll() is not None
