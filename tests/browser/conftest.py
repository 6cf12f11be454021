"""Pages that build themselves by scripts, and a browser that shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from tests.engine.workspace import Workspace

SETTINGS = BrowserSettings(browser="firefox").with_firefox() if os.environ.get("FF") else BrowserSettings()
RUN_SETTINGS = {"scoopi.loader.fetch.delay": 0, "scoopi.workers": 1, "scoopi.webDriver.browsers": 1}
LATE_TABLE = """<html><body><div class=spinner>…</div><script>
setTimeout(() => {
  document.querySelector('.spinner').remove();
  document.body.insertAdjacentHTML('beforeend', '<table id=prices><tr><td>Rye<td>4.20</table>');
}, 300)
</script></body></html>"""


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    """A browser for tests that leave it usable; `each_browser` runs a test in one of each kind."""
    found: Browser = request.getfixturevalue(getattr(request, "param", "chromium"))
    return found


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The Chromium of `browser`."""
    yield from _started(BrowserSettings(), tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The Firefox of `browser`."""
    settings = BrowserSettings(browser="firefox").with_firefox()
    yield from _started(settings, tmp_path_factory.mktemp("firefox"))


def _started(settings: BrowserSettings, profile: Path) -> Iterator[Browser]:
    made = Browser(settings, profile, profile / "shots", PageSnapshots(profile / "kept"))
    yield made
    made.kill()


@pytest.fixture
def late_table(pages: Path) -> str:
    """The path of a page whose table comes late."""
    (pages / "late.html").write_text(LATE_TABLE)
    return "/late.html"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with an empty folder of definitions, one worker and one browser, without delay."""
    (tmp_path / "workspace" / "defs").mkdir(parents=True)
    made = Workspace(tmp_path / "workspace")
    made.settings |= RUN_SETTINGS
    return made


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """A Chromium of its own for a test."""
    made = start_chromium(BrowserSettings(), tmp_path)
    yield made
    made.kill()
