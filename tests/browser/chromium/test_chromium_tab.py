"""Tabs of a real Chromium: used again where that makes no difference to a page, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.page.page_document import READING
from scoopi.browser.pool_messages import Rendered, Visit
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from scoopi.model.scrape.browser_def import BrowserDef, Until
from tests.engine.workspace import wait_until
from tests.server.answer import Answer
from tests.server.server import Server

MEMORY = """<p id=p></p><script>
p.textContent = [document.cookie, localStorage.a, sessionStorage.a, name].filter(each => each).join('|');
const files = navigator.storage.getDirectory().then(root => Array.fromAsync(root.keys()));
const workers = navigator.serviceWorker.getRegistrations();
Promise.all([indexedDB.databases(), caches.keys(), workers, files]).then(kept => {
  p.textContent += kept.map(each => each.length) + ' kept';
});
</script>"""
LEAVES = {
    "storage": "<script>document.cookie = 'a=1'; localStorage.a = 'x'; indexedDB.open('d')</script>",
    "caches": """<script>
      const made = [caches.open('c'), navigator.serviceWorker.register('/worker.js')];
      const file = navigator.storage.getDirectory().then(root => root.getFileHandle('f', {create: true}));
      Promise.all([...made, file]).then(() => { document.body.innerHTML = '<p>made</p>'; });
      </script>""",
    "late": "<script>addEventListener('pagehide', () => { localStorage.setItem('a', 'late'); "
    "document.cookie = 'a=late' })</script>",
    "session": "<script>sessionStorage.a = 's'</script>",
    "name": "<script>name = 'n'</script>",
    "frame": "<iframe src='/memory'></iframe>",
    "window": "<script>open('/memory')</script>",
    "further": "<script>if (!location.search) location = '?further'</script>",
}
SPARE = ("storage", "caches", "late")
"""What is left there can be removed."""


def page(path: str) -> Answer:
    if path == "/worker.js":
        return Answer(b"", content_type="text/javascript")
    body = LEAVES.get(path.strip("/").partition("?")[0])
    if body is None:
        return Answer(MEMORY.encode())
    return Answer(body.encode(), headers=(("Set-Cookie", "server=1; HttpOnly"),))


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    made = start_chromium(BrowserSettings(), tmp_path_factory.mktemp("profile"))
    yield made
    made.kill()


def visit(started: Started, url: str, done: str = "") -> dict[str, Any]:
    """What a visit shows."""
    started.tab.open(Visit(url, {"User-Agent": "test/1"}, 30.0, BrowserDef()))
    started.driver.get(url)
    wait_until(lambda: done in started.driver.page_source, done)
    found: dict[str, Any] = started.driver.execute_script(READING, ["", "", ""], False, False)
    started.tab.keep(found["isSpare"])
    return found


@pytest.mark.parametrize("left", LEAVES)
def test_a_page_knows_nothing_of_the_one_before_whether_its_tab_is_new_or_not(
    started: Started, left: str
) -> None:
    with Server(page) as server:
        visit(started, server.url(f"/{left}"), "<p>made</p>" if left == "caches" else "")
        if left == "further":
            started.driver.get(server.url(f"/{left}?further"))
            started.tab.keep(True)
        found = visit(started, server.url("/memory"), " kept</p>")
    assert '<p id="p">0,0,0,0 kept</p>' in found["body"]
    assert started.tab.was_used is (left in SPARE)


def test_a_page_that_is_loaded_again_comes_from_its_server(started: Started) -> None:
    cached = (("Cache-Control", "max-age=600"),)
    with Server(lambda path: Answer(MEMORY.encode(), headers=cached)) as server:
        for _ in range(2):
            visit(started, server.url("/price"))
        assert server.log.paths().count("/price") == 2


def test_a_page_that_goes_back_does_not_get_to_the_page_of_another_visit(browser: Browser) -> None:
    pages = {"/a": b"<p>rows of a</p>", "/b": b"<p>b</p><script>history.back()</script>"}
    with Server(lambda path: Answer(pages.get(path, b""))) as server:
        for path in ("/a", "/b"):
            how = BrowserDef(Until(time_ms=300))
            read = browser.load(Visit(server.url(path), {"User-Agent": "test/1"}, 30.0, how))
    assert isinstance(read, Rendered)
    assert b"rows of a" not in read.body
