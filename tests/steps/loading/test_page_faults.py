"""unusable: a page without values is called by what it is instead of content."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.model.locator import Document, Locator
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.loading.page_faults import unusable

HTML = b"<!doctype html><h1>Oslo</h1>"
APP = b"<!doctype html><head><script src=app.js></script></head><body><div id=root></div></body>"
ASKED = "http://h/towns"


def reason(body: bytes = HTML, content_type: str = "text/html", url: str = ASKED) -> str | None:
    locator = Locator("a", "g", ASKED)
    document = Document(locator, url, datetime(2026, 1, 1, tzinfo=UTC), None, body, content_type=content_type)
    return unusable(Page(document, TreeLimits(max_depth=50)))


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("application/json", b'{"a": 1}', "application/json"),
        ("", b' [{"a": 1}]\n', "JSON"),
        ("text/html", b'{"a": ' + b"1" * 3000 + b"}", "JSON"),
        ("text/plain", b"hello", "text/plain"),
    ],
)
def test_a_page_that_is_not_html_is_called_by_its_kind(content_type: str, body: bytes, kind: str) -> None:
    assert reason(body, content_type) == f"the page is {kind}, and selectors read HTML"


@pytest.mark.parametrize(
    "url",
    [
        "http://h/login",
        "http://h/account/sign-in?next=/towns",
        "https://sso.h/auth/realm",
        "http://h/Login.aspx",
    ],
)
def test_a_redirect_to_a_login_is_unusable(url: str) -> None:
    path = url.partition("?")[0].partition("h/")[2]
    assert (
        reason(url=url) == f"the page came from /{path} after a redirect: the site wants a login or a consent"
    )


def test_a_page_without_content_is_unusable_for_what_it_holds_instead() -> None:
    shell = "the body holds scripts and an empty div: the site renders in the browser"
    assert reason(APP) == shell


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_empty_page_is_unusable(body: bytes) -> None:
    assert reason(body) == "the page is empty"


@pytest.mark.parametrize(
    ("body", "content_type", "url"),
    [
        (HTML, "text/html", ASKED),
        (HTML, "application/xhtml+xml", ASKED),
        (b"<rss/>", "application/rss+xml", ASKED),
        (HTML, "", "http://h/towns/oslo"),
        (HTML, "text/html", "http://h/blogin/authors"),
        (APP.replace(b"</div>", b"words " * 40 + b"</div>"), "text/html", ASKED),
        (b"<p>{x}", "text/html", ASKED),
        (b"<div>" * 60, "text/html", ASKED),
        (APP + b"<div>" * 60, "text/html", ASKED),
    ],
)
def test_an_ordinary_page_is_usable(body: bytes, content_type: str, url: str) -> None:
    assert reason(body, content_type, url) is None


def test_a_login_page_that_was_asked_for_is_usable() -> None:
    locator = Locator("a", "g", "http://h/login")
    document = Document(locator, "http://h/login", datetime(2026, 1, 1, tzinfo=UTC), None, HTML)
    assert unusable(Page(document, TreeLimits())) is None


def test_a_file_is_not_said_to_have_been_in_a_browser() -> None:
    """Its group may be loaded in browsers; files are not."""
    when = datetime(2026, 1, 1, tzinfo=UTC)
    reasons = [
        unusable(Page(Document(Locator("a", "g", url), url, when, None, APP), TreeLimits()), in_browser=True)
        for url in (ASKED, "pages/towns.html")
    ]
    waits = "name what to wait for by `until` of `browser`"
    assert reasons == [
        f"the body held scripts and an empty div when it was read: {waits}",
        "the body holds scripts and an empty div: the site renders in the browser",
    ]
