"""Pages that build themselves by scripts, and a browser that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.page.kept_pages import KeptPages
from scoopi.configs.groups import BrowserSettings

LATE_TABLE = """<html><body><div class=spinner>…</div><script>
setTimeout(() => {
  document.querySelector('.spinner').remove();
  document.body.insertAdjacentHTML('beforeend', '<table id=prices><tr><td>Rye<td>4.20</table>');
}, 300)
</script></body></html>"""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for tests that leave it usable."""
    profile = tmp_path_factory.mktemp("profile")
    made = Browser(BrowserSettings(), profile, profile / "shots", KeptPages(profile / "kept"))
    yield made
    made.kill()


@pytest.fixture
def late_table(pages: Path) -> str:
    """The path of a page whose table comes late."""
    (pages / "late.html").write_text(LATE_TABLE)
    return "/late.html"
