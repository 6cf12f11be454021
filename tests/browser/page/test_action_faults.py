"""ActionFaults: what a driver raises, in words that name the action's place."""

from __future__ import annotations

import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    InvalidArgumentException,
    InvalidElementStateException,
    InvalidSelectorException,
    JavascriptException,
    NoSuchElementException,
    NoSuchFrameException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)

from scoopi.browser.page.action_faults import (
    ActionFaults,
    MissingError,
    NoListError,
    NoOptionError,
    UnmetError,
    why,
)
from scoopi.browser.page.page_wait import VisitFailedError
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import ActionDef

CAUSE = "the action at shop.yml:7:9 failed: "


def faults(verb: str = "click", text: str = "", is_cut: bool = False) -> ActionFaults:
    action = ActionDef(verb, "actions[0]", Place("shop.yml", 7, 9), text=text, selector="#more")
    return ActionFaults(action, 2.0, is_cut)


def words_of(error: VisitFailedError) -> str:
    failure = error.failure
    assert failure.cause.startswith(CAUSE)
    assert failure.hint
    return failure.what.removeprefix(CAUSE)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoSuchElementException(), "no element matches"),
        (NoSuchFrameException(), "no frame matches"),
        (NoOptionError(), "its list has no such option"),
        (NoListError(), "no list (`select`) matches"),
        (ElementClickInterceptedException(), "its element did not become free of another that covers it"),
        (ElementNotInteractableException(), "its element did not become visible"),
        (InvalidElementStateException(), "its element did not become a field that takes text"),
        (StaleElementReferenceException(), "its element was not left in place long enough to be used"),
    ],
)
def test_each_fault_of_an_element_has_words_of_its_own(error: Exception, words: str) -> None:
    assert why(error) == words
    assert words_of(faults().missing(MissingError(words))) == f"click #more: {words} within 2 s"


@pytest.mark.parametrize(
    ("verb", "error", "words"),
    [
        ("script", JavascriptException("javascript error: x is not defined\n  (Session"), "failed: x is not"),
        ("script", JavascriptException("javascript error: \n  (Session"), "threw a value that is not an Err"),
        ("script", TimeoutException("script timeout"), "the script did not end within 2 s"),
        ("click", TimeoutException("timeout: renderer"), "the page did not answer within 2 s, or the page"),
        (
            "type",
            InvalidArgumentException("invalid argument: File not found : /x\n  ("),
            "File not found : /x",
        ),
        (
            "click",
            InvalidSelectorException("invalid selector: p:x"),
            "a selector cannot be read by a browser",
        ),
        ("click", WebDriverException("unnamed"), "the browser refused it: unnamed"),
    ],
)
def test_what_the_browser_refuses_says_why(verb: str, error: WebDriverException, words: str) -> None:
    assert words in words_of(faults(verb, "x()").refused(error))


def test_the_hint_names_the_timeout_that_has_cut_the_action_short() -> None:
    unmet = UnmetError("no element matches `#x`")
    assert words_of(faults("wait").unmet(unmet)) == "wait #more: after 2 s, no element matches `#x`"
    assert faults("wait").unmet(unmet).failure.hint == "look at what it waits for, or raise its `timeout`"
    assert "`timeout` of its site" in faults("wait", is_cut=True).unmet(unmet).failure.hint
    assert "`optional: true`" in faults("dialog").missing(MissingError("no dialog opened")).failure.hint
