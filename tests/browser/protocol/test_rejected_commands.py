"""What a real browser rejects fails the page that needs it."""

from __future__ import annotations

import pytest

from scoopi.browser.browser import CRASHED, Browser
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.browser.protocol.protocol_link import RejectedError
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.errors import NO_BROWSER
from scoopi.model.scrape.browser_def import BrowserDef
from tests.browser.kinds import each_browser
from tests.server.server import Server

BROKEN = "a\nb"


@each_browser
def test_a_header_that_the_browser_rejects_fails_its_page_at_once(browser: Browser, server: Server) -> None:
    url = server.url("/")
    failed = browser.load(Visit(url, {"User-Agent": "test/1", "X-Shop": BROKEN}, 60.0, BrowserDef()))
    assert isinstance(failed, VisitFailed)
    assert "the browser rejected the command" in failed.what
    assert ".continueRequest: " in failed.what
    assert (failed.reason, failed.hint) == (NO_BROWSER, "look at `headers` of its site")
    assert "/" not in server.log.paths(), "it would lack the header"
    assert isinstance(browser.load(Visit(url, {"User-Agent": "test/1"}, 60.0, BrowserDef())), Rendered)


def test_what_is_to_hold_for_all_requests_is_not_left_out(browser: Browser, server: Server) -> None:
    visit = Visit(server.url("/"), {"User-Agent": BROKEN}, 60.0, BrowserDef())
    with pytest.raises(CRASHED, match=r"rejected the command Network\.setUserAgentOverride: "):
        browser.load(visit)
    assert not server.log.paths()
    assert isinstance(browser.load(Visit(server.url("/"), {}, 60.0, BrowserDef())), Rendered)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (-32001, "Session with given id not found."),
        ("no such request", ""),
        (-32602, "Invalid InterceptionId."),
    ],
)
def test_a_part_of_the_page_that_has_gone_is_no_fault(code: int | str, reason: str) -> None:
    rejected = RejectedCommands()
    rejected.note(RejectedError("Fetch.enable", code, reason))
    assert rejected.failure() is None
    rejected.note(RejectedError("Fetch.enable", -32601, "'Fetch.enable' wasn't found"))
    assert rejected.failure() is not None
    rejected.clear()
    assert rejected.failure() is None
