"""What frames of other origins show is read with a page, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.page.page_reader import PageReader
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.page.page_wait import VisitFailedError
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.server.answer import Answer
from tests.server.server import Server

LATE = (
    "<b>soon</b><script>setTimeout(() => { document.querySelector('b').textContent = 'now' }, 300)</script>"
)
READY = "<script>parent.postMessage('ready', '*')</script>"
OUTER = """<p>outer</p><iframe id=own src="/own"></iframe><iframe id=other src="OTHER/shop"></iframe>
<iframe id=dead src="http://127.0.0.1:1/"></iframe><script>
let left = 2;
addEventListener('message', () => { if (!--left) document.body.dataset.state = 'ready'; });
</script>"""
HOW = BrowserDef(Until(selector="[data-state=ready]"), 30_000, frames=True)
HOW_NOW = BrowserDef(frames=True)


def answers(path: str, other: str, own: str) -> str:
    return {
        "/": OUTER.replace("OTHER", other),
        "/own": f"<b>own</b><iframe id=deep src='{other}/deep'></iframe>{READY}",
        "/shop": f"<b>shop of another site</b><iframe src='{own}/inmost'></iframe>{READY}",
        "/deep": "<i>deep</i>",
        "/inmost": "<u>inmost</u>",
    }.get(path, "")


@contextmanager
def page_with_frames() -> Iterator[str]:
    """The address of a page with frames of two sites."""
    addresses = {"own": "", "other": ""}

    def answer(path: str) -> Answer:
        return Answer(answers(path, addresses["other"], addresses["own"]).encode())

    with Server(answer) as own, Server(answer) as foreign:
        addresses["own"] = own.url("").rstrip("/")
        addresses["other"] = foreign.url("").rstrip("/").replace("127.0.0.1", "localhost")
        yield own.url("/")


@each_browser
def test_frames_are_read_however_deep_and_of_whatever_origin_they_are(browser: Browser) -> None:
    with page_with_frames() as url:
        look = ActionDef("frame", "actions[0]", selector="#other")
        found = ActionDef("wait", "actions[1]", until=Until(selector="iframe", time_ms=200))
        how = BrowserDef(HOW.until, HOW.timeout_ms, actions=(look, found), frames=True)
        page = browser.load(Visit(url, {"User-Agent": "test/1"}, 60.0, how))
    assert isinstance(page, Rendered), page
    body = page.body.decode()
    for shown in ("<b>own</b>", "<b>shop of another site</b>", "<i>deep</i>", "<u>inmost</u>"):
        assert body.count(shown) == 1, body
    assert '<iframe id="dead"' in body
    assert page.url.endswith("/")


@each_browser
def test_a_page_is_read_only_once_the_words_hold_on_it(browser: Browser) -> None:
    how = BrowserDef(Until(selector="b", gone="i", text="now"), 30_000)
    with Server(lambda path: Answer(LATE.encode())) as server:
        page = browser.load(Visit(server.url("/"), {"User-Agent": "test/1"}, 60.0, how))
    assert isinstance(page, Rendered), page
    assert page.body.startswith(b"<html><head></head><body><b>now</b>")


def test_frames_that_take_too_long_fail_the_page_with_their_name(tmp_path: Path) -> None:
    started = start_chromium(BrowserSettings(), tmp_path)
    try:
        with Server(lambda path: Answer(b"<p>x</p>")) as server:
            frame = server.url("/frame").replace("127.0.0.1", "localhost")
            started.driver.get(server.url("/"))
            add = f"document.body.insertAdjacentHTML('beforeend', '<iframe src={frame}></iframe>')"
            started.driver.execute_script(add)
            reader = PageReader(started.driver)
            with pytest.raises(VisitFailedError, match="its frames of other origins could not be read in"):
                reader.read_if(HOW_NOW, ("", "", ""), time.monotonic() - 1.0)
            found = reader.read_if(HOW_NOW, ("", "", ""), time.monotonic() + 60.0)
            assert found is not None
            assert found["body"].count("<p>x</p>") == 2
    finally:
        started.kill()


@each_browser
@pytest.mark.parametrize("with_frames", [True, False])
def test_a_page_that_fails_is_kept_with_the_frames_that_are_read(browser: Browser, with_frames: bool) -> None:
    with page_with_frames() as url:
        ready = ActionDef("wait", "actions[0]", until=HOW.until, timeout_ms=30_000)
        how = BrowserDef(Until(selector="#none"), 100, actions=(ready,), frames=with_frames)
        failed = browser.load(Visit(url, {"User-Agent": "test/1"}, 60.0, how))
    assert isinstance(failed, VisitFailed), failed
    body = Path(failed.kept).with_suffix(".html").read_text()
    for shown in ("<b>own</b>", "<b>shop of another site</b>", "<i>deep</i>", "<u>inmost</u>"):
        assert body.count(shown) == with_frames
    assert "<p>outer</p>" in body


LOOPS = (
    "<b>busy</b><script>parent.postMessage('ready', '*'); setTimeout(() => { while (true); }, 200)</script>"
)


def test_a_frame_that_does_not_answer_costs_a_failed_page_only_its_content(tmp_path: Path) -> None:
    browser = Browser(BrowserSettings(), tmp_path, tmp_path, PageSnapshots(tmp_path / "kept"))
    pages = {"/": "<p>outer</p><iframe src='OTHER/loops'></iframe>", "/loops": LOOPS}
    with Server(lambda path: Answer(pages.get(path, "").encode())) as server:
        pages["/"] = pages["/"].replace("OTHER", server.url("").rstrip("/").replace("127.0.0.1", "localhost"))
        how = BrowserDef(Until(selector="#none"), 1000, frames=True)
        try:
            with BrowserWatch(browser, 60.0, 4096) as watch:
                failed = browser.load(Visit(server.url("/"), {"User-Agent": "test/1"}, 60.0, how))
        finally:
            browser.kill()
    assert watch.verdict is None
    assert isinstance(failed, VisitFailed), failed
    assert "no element matches `#none`" in failed.what
    assert "<p>outer</p>" in Path(failed.kept).with_suffix(".html").read_text()
