"""Pages that build themselves by scripts, and a browser that shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.page.kept_pages import KeptPages
from scoopi.configs.groups import BrowserSettings

SETTINGS = BrowserSettings(browser="firefox").with_firefox() if os.environ.get("FF") else BrowserSettings()
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
    made = Browser(settings, profile, profile / "shots", KeptPages(profile / "kept"))
    yield made
    made.kill()


@pytest.fixture
def late_table(pages: Path) -> str:
    """The path of a page whose table comes late."""
    (pages / "late.html").write_text(LATE_TABLE)
    return "/late.html"
