"""Pages that mean ill, or are just badly made, in a real browser: each costs itself only."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.pool_messages import Rendered, Reply, Visit, VisitFailed, receive_reply, send
from scoopi.browser.pool_process import PoolProcess
from scoopi.configs.groups import BrowserSettings
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.browser.processes import connected, interrupted, programs_below
from tests.server.answer import Answer
from tests.server.server import Server

RESTLESS = "<p>x</p><script>setInterval(() => fetch('/tick'), 20)</script>"
NAGGING = (
    "<p>x</p><b id=b></b><script>setInterval(() => { b.textContent = 'asked'; alert('x') }, 30)</script>"
)
FRAMES = "<p>x</p><script>for (let n = 0; n < 1000; n++) document.body.insertAdjacentHTML('beforeend',"
FRAMES += "`<iframe srcdoc='<i>frame ${n}.</i>'></iframe>`)</script>"
POPUPS = """<p id=p>x</p><script>
const opened = ['/popup1', '/popup2', ''].map(path => open(path));
opened[2].document.write('written');
fetch('/last').then(() => { p.id = opened.every(each => each && !each.closed) ? 'opened' : 'blocked'; });
</script>"""
COVERED = """<p id=p onmouseenter="this.className = 'over'">x</p><script>
open('/popup');
let left = 20;
const draw = () => { if (left--) requestAnimationFrame(draw); else p.id = 'drawn'; };
setTimeout(draw, 500);
</script>"""


def load(browser: Browser, url: str, how: BrowserDef | None = None) -> Rendered | VisitFailed:
    visit = Visit(url, {"User-Agent": "Scoopi/0 (test)"}, 60.0, how or BrowserDef())
    with BrowserWatch(browser, 60.0, 4096) as watch:
        page = browser.load(visit)
    assert watch.verdict is None, watch.verdict
    return page


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoolProcess]:
    """A pool of one browser."""
    with closing(PoolProcess(BrowserSettings(browsers=1), tmp_path_factory.mktemp("shots"))) as made:
        yield made


def visit(pool: PoolProcess, url: str, how: BrowserDef, timeout_s: float = 60.0) -> Reply:
    with connected(pool.socket) as connection:
        receive_reply(connection)
        send(connection, Visit(url, {}, timeout_s, how))
        return receive_reply(connection)


def write(pages: Path, text: str) -> str:
    (pages / "hostile.html").write_text(text)
    return "/hostile.html"


def test_a_page_that_never_settles_fails_for_what_it_lacks(
    browser: Browser, server: Server, pages: Path
) -> None:
    how = BrowserDef(Until(idle_ms=300), timeout_ms=1000)
    page = load(browser, server.url(write(pages, RESTLESS)), how)
    assert isinstance(page, VisitFailed)
    assert page.what == "the page did not become complete within 1 s: its requests have not paused for 300 ms"


@pytest.mark.parametrize("text", [NAGGING, FRAMES], ids=["alerts", "frames"])
def test_a_page_with_endless_alerts_or_a_thousand_frames_fails_and_the_next_one_is_loaded(
    pool: PoolProcess, server: Server, pages: Path, late_table: str, text: str
) -> None:
    how = BrowserDef(Until(selector="#none"), timeout_ms=1000, frames=True)
    page = visit(pool, server.url(write(pages, text)), how, timeout_s=2.0)
    assert isinstance(page, VisitFailed)
    assert isinstance(visit(pool, server.url(late_table), BrowserDef()), Rendered)


@each_browser
def test_the_windows_that_a_page_opens_stay_empty_and_are_closed_with_it(
    browser: Browser, server: Server, pages: Path
) -> None:
    click = ActionDef("click", "k", selector="a")
    text = POPUPS + "<a href=/linked target=_blank>more</a>"
    how = BrowserDef(Until(selector="#opened", time_ms=300), 30_000, actions=(click,))
    page = load(browser, server.url(write(pages, text)), how)
    assert isinstance(page, Rendered), page
    assert page.url == server.url("/hostile.html"), "its own document is read"
    assert b'<p id="opened">' in page.body
    assert {*server.log.paths()} == {"/hostile.html", "/last"}, "nobody reads the windows"
    browser.leave()
    assert browser.windows() == 1


@each_browser
def test_a_page_that_opens_a_window_is_still_drawn(browser: Browser, server: Server, pages: Path) -> None:
    hover = ActionDef("hover", "k", selector="p", timeout_ms=30_000)
    how = BrowserDef(Until(selector="#drawn.over"), 30_000, actions=(hover,))
    page = load(browser, server.url(write(pages, COVERED)), how)
    assert isinstance(page, Rendered), "a page behind another draws nothing"


@each_browser
def test_an_address_that_gives_a_file_is_no_page(browser: Browser) -> None:
    attachment = (("Content-Disposition", "attachment; filename=scoopi-file.bin"),)
    with Server(lambda path: Answer(b"x" * 1000, headers=attachment)) as server:
        file = load(browser, server.url("/file.bin"))
    assert isinstance(file, VisitFailed)
    assert "is a file to be saved" in file.what
    assert not file.reason
    for folder in (browser.profile, Path.cwd(), Path.home(), Path.home() / "Downloads"):
        assert not [*folder.glob("scoopi-file*")]


def test_a_download_that_a_page_starts_is_refused_and_leaves_no_file(browser: Browser) -> None:
    def answer(path: str) -> Answer:
        if path == "/page":
            return Answer(b"<p>x</p><script>location.href = '/file.bin'</script>")
        return Answer(b"x" * 1000, headers=(("Content-Disposition", "attachment; filename=scoopi-file.bin"),))

    with Server(answer) as server:
        page = load(browser, server.url("/page"), BrowserDef(Until(time_ms=500)))
    assert isinstance(page, Rendered)
    assert b"<p>x</p>" in page.body
    for folder in (browser.profile, Path.cwd(), Path.home(), Path.home() / "Downloads"):
        assert not [*folder.glob("scoopi-file*")]


def test_a_page_whose_tab_crashes_fails_as_one_that_may_come_again(
    pool: PoolProcess, server: Server, late_table: str
) -> None:
    def crash_tabs() -> None:
        for pid in programs_below(pool.pid, "chromium"):
            if b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGSEGV)

    failed = interrupted(pool, server, 60.0, crash_tabs)
    assert isinstance(failed, VisitFailed)
    assert failed.reason, failed
    assert isinstance(visit(pool, server.url(late_table), BrowserDef()), Rendered)
