"""What a site is sent in the browser, other hosts are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.firefox.firefox_driver import start_firefox
from scoopi.browser.pool_messages import PartRequested, Rendered, Visit
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from scoopi.model.scrape.plugin_def import PluginDef
from tests.browser.kinds import each_browser
from tests.engine.workspace import wait_until
from tests.server.answer import Answer
from tests.server.server import Server

SECRET = {"Authorization": "Bearer s3cret", "X-Key": "k"}


def page_of(other: str) -> bytes:
    """A page that asks its own host and another one, by a script, by fetch and in a frame."""
    return (
        f'<script src="/own.js"></script><script src="{other}/other.js"></script>'
        f'<iframe src="{other}/frame"></iframe>'
        f"<script>Promise.allSettled([fetch('/own'), fetch('{other}/data', {{mode: 'no-cors'}})])"
        ".then(() => document.body.append('all asked'))</script>"
    ).encode()


def show(browser: Browser, url: str, headers: dict[str, str]) -> None:
    page = browser.load(Visit(url, headers, 60.0, BrowserDef(Until(text="all asked"), timeout_ms=30_000)))
    assert isinstance(page, Rendered)


@each_browser
def test_headers_of_a_site_go_to_its_host_only(browser: Browser) -> None:
    with Server(lambda path: Answer(b"")) as foreign:
        other = foreign.url("").rstrip("/").replace("127.0.0.1", "localhost")
        with Server(lambda path: Answer(page_of(other) if path in ("/", "/?plain") else b"")) as own:
            show(browser, own.url("/"), SECRET)
            show(browser, own.url("/?plain"), {})
            seen = {each.path: each.header("authorization") for each in own.log.all()}
            assert (seen["/"], seen["/?plain"]) == (SECRET["Authorization"], None)
            own_requests = [each for each in own.log.all() if each.path in ("/own.js", "/own")]
            assert {each.header("authorization") for each in own_requests} >= {SECRET["Authorization"]}
        asked = {each.path for each in foreign.log.all()}
        assert {"/other.js", "/data", "/frame"} <= asked
        assert {each.header(name) for each in foreign.log.all() for name in SECRET} == {None}


@each_browser
def test_headers_do_not_follow_a_redirect_to_another_host(browser: Browser) -> None:
    with Server(lambda path: Answer(b"all asked")) as foreign:
        to = foreign.url("/").replace("127.0.0.1", "localhost")
        with Server(lambda path: Answer(b"", 302, headers=(("Location", to),))) as own:
            show(browser, own.url("/"), SECRET)
            assert own.log.all()[0].header("x-key") == "k"
        assert {each.header("x-key") for each in foreign.log.all()} == {None}


PAGE = b"""<script src=/a.js></script><a href=/next>next</a><script>
fetch('/b').then(() => fetch('/refused')).catch(() => 0).then(() => { document.body.id = 'done' })
</script>"""
WAIT = ActionDef("wait", "actions[0]", until=Until(selector="#done"), timeout_ms=30_000)


@each_browser
def test_further_pages_and_by_option_all_requests_ask_for_grants(browser: Browser) -> None:
    asked: list[PartRequested] = []

    def ask(wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
        asked.append(wanted)
        on_grant(not wanted.url.endswith("/refused"))

    def answer(path: str) -> Answer:
        if path == "/first":
            return Answer(b"", 302, headers=(("Location", "/start"),))
        return Answer({"/start": PAGE, "/next": b"<p id=last>last</p>"}.get(path, b""))

    click = ActionDef("click", "actions[0]", selector="a")
    for paced, parts in ((False, set()), (True, {"/a.js", "/b", "/refused"})):
        with Server(answer) as server:
            how = BrowserDef(Until(selector="#last"), 30_000, actions=(WAIT, click), paced=paced)
            visit = Visit(server.url("/first"), {"User-Agent": "test/1", "X-Key": "k"}, 60.0, how)
            page = browser.load(visit, ask)
            assert isinstance(page, Rendered), page
            paths = {each.url.removeprefix(server.url("").rstrip("/")) for each in asked if not each.is_page}
            assert paths == parts
            pages = [each.url for each in asked if each.is_page]
            assert pages == [server.url("/start"), server.url("/next")], "the first has its grant"
            assert ("/refused" in server.log.paths()) is not paced
            assert {each.header("x-key") for each in server.log.all()} == {"k"}
        asked.clear()


@each_browser
def test_a_loader_is_asked_for_the_first_request_when_it_is_about_to_be_sent(browser: Browser) -> None:
    asked: list[PartRequested] = []

    def ask(wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
        asked.append(wanted)
        assert not server.log.paths()
        on_grant(True)

    with Server(lambda path: Answer(b"<p>x</p>")) as server:
        url = server.url("/start")
        page = browser.load(Visit(url, {"User-Agent": "test/1"}, 60.0, BrowserDef(), None, True), ask)
        assert isinstance(page, Rendered), page
        assert asked == [PartRequested(url, is_page=True, is_first=True)]
        assert server.log.paths() == ["/start"]


@pytest.fixture(params=["chromium", "firefox"])
def started(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Started]:
    """A browser of each kind, whose tab is used without what does the actions."""
    if request.param == "chromium":
        made = start_chromium(BrowserSettings(), tmp_path)
    else:
        made = start_firefox(BrowserSettings(browser="firefox").with_firefox(), tmp_path)
    yield made
    made.kill()


def test_a_window_for_script_plugins_loads_its_page_with_a_grant(started: Started) -> None:
    asked: list[PartRequested] = []

    def ask(wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
        asked.append(wanted)
        on_grant(wanted.url.endswith("/allowed"))

    pages = {"/start": b"<p>x</p><script>for (const each of ['/allowed', '/refused']) open(each)</script>"}
    how = BrowserDef(scripts=(PluginDef("more", "BasicScript"),))
    with Server(lambda path: Answer(pages.get(path, b"<p>opened</p>"))) as server:
        started.tab.open(Visit(server.url("/start"), {"User-Agent": "test/1"}, 30.0, how), ask)
        started.driver.get(server.url("/start"))
        wait_until(lambda: "/allowed" in server.log.paths() and len(asked) == 2, "both windows")
        wanted = {(server.url("/allowed"), True), (server.url("/refused"), True)}
        assert {(each.url, each.is_page) for each in asked} == wanted, "robots.txt holds for both"
        (opened,) = (each for each in server.log.all() if each.path == "/allowed")
        assert opened.header("user-agent") == "test/1"
        started.tab.close()
        assert "/refused" not in server.log.paths()
    assert started.tab.windows() == 1
