"""BrowserChoice: only pages that plain HTTP cannot show are loaded in a browser."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from scoopi.errors import ParseError
from scoopi.model.locator import Document, Locator, PageRequest
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.loading.browser_choice import BY_BROWSER, BY_HTTP, ENOUGH, BrowserChoice
from scoopi.steps.loading.load_state import LoadState

LOCATOR = Locator("a", "shop", "http://h/a")
PLAIN, DRAWN = LoadState(), LoadState(in_browser=True)


class Harness:
    """A choice for the group `shop`, whose pages hold what is looked for if they hold a `b`."""

    def __init__(self) -> None:
        self.noted: Counter[tuple[str, str]] = Counter()
        self.choice = BrowserChoice({"shop": self._finds}, self._note)

    def _finds(self, page: Page) -> bool:
        if b"broken" in page.document.body:
            raise ParseError("the selector failed")
        return b"<b>" in page.document.body

    def _note(self, group: str, loader: str) -> None:
        self.noted[group, loader] += 1

    def wants_browser(self, body: bytes, state: LoadState = PLAIN, locator: Locator = LOCATOR) -> bool:
        document = Document(locator, locator.url, datetime(2026, 1, 1, tzinfo=UTC), None, body)
        return self.choice.wants_browser(locator, state, Page(document, TreeLimits()))

    def drawn(self, body: bytes = b"<b>") -> None:
        """A page that comes from the browser after plain HTTP has not shown it."""
        assert self.wants_browser(b"<p>")
        assert not self.wants_browser(body, DRAWN)


@pytest.fixture
def harness() -> Harness:
    return Harness()


def test_a_page_that_has_what_is_looked_for_stays(harness: Harness) -> None:
    assert not harness.choice.is_browser(LOCATOR, PLAIN)
    assert not harness.wants_browser(b"<b>")
    assert harness.noted == {("shop", BY_HTTP): 1}


def test_a_page_without_it_is_loaded_once_in_a_browser(harness: Harness) -> None:
    assert harness.wants_browser(b"<p>")
    assert harness.choice.is_browser(LOCATOR, DRAWN)
    assert not harness.wants_browser(b"<p>", DRAWN), "the browser shows all that there is"
    assert harness.noted == {("shop", BY_BROWSER): 1}


def test_after_some_pages_in_a_row_the_browser_is_asked_at_once(harness: Harness) -> None:
    for _ in range(ENOUGH):
        assert not harness.choice.is_browser(LOCATOR, PLAIN)
        harness.drawn()
    assert harness.choice.is_browser(LOCATOR, PLAIN)


def test_a_page_that_plain_http_shows_begins_the_row_again(harness: Harness) -> None:
    for _ in range(2 * ENOUGH):
        harness.drawn()
        assert not harness.wants_browser(b"<b>")
    assert not harness.choice.is_browser(LOCATOR, PLAIN)


def test_pages_that_lack_it_in_the_browser_too_say_nothing_of_the_others(harness: Harness) -> None:
    for _ in range(2 * ENOUGH):
        harness.drawn(b"<p>")
    assert not harness.choice.is_browser(LOCATOR, PLAIN)


def test_a_page_that_is_posted_for_stays_with_plain_http(harness: Harness) -> None:
    posted = Locator("a", "shop", "http://h/a", PageRequest("POST", form=(("q", "x"),)))
    assert not harness.wants_browser(b"<p>", PLAIN, posted)
    for _ in range(ENOUGH):
        harness.drawn()
    assert not harness.choice.is_browser(posted, PLAIN)


def test_an_error_of_a_selector_is_left_to_the_tasks(harness: Harness) -> None:
    assert not harness.wants_browser(b"broken")


def test_another_group_has_its_own_loader(harness: Harness) -> None:
    other = Locator("a", "other", "http://h/a")
    assert harness.choice.is_browser(other, PLAIN)
    assert not harness.wants_browser(b"<p>", PLAIN, other)
    assert not harness.noted
