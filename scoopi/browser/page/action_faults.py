"""ActionFaults: derives why an action of the definitions failed from what the driver raised."""

from __future__ import annotations

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    InvalidArgumentException,
    InvalidElementStateException,
    InvalidSelectorException,
    JavascriptException,
    MoveTargetOutOfBoundsException,
    NoSuchElementException,
    NoSuchFrameException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)

from scoopi.browser.page.page_wait import NO_SELECTOR, RAISE_SITE, VisitFailedError, named, unreadable
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.scrape.browser_def import ActionDef
from scoopi.model.text.shown import cut

NOT_YET = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    MoveTargetOutOfBoundsException,
    NoSuchElementException,
    NoSuchFrameException,
    StaleElementReferenceException,
    InvalidElementStateException,
)
"""The exceptions that are raised for an element that is not there yet, or is covered or disabled."""
REFUSED = (
    InvalidArgumentException,
    InvalidElementStateException,
    InvalidSelectorException,
    JavascriptException,
    TimeoutException,
)
"""The exceptions that are raised for an action that is not possible; the browser can still be used."""
_BY_TEXT = frozenset({"press", "select"})
_MISSING = {
    "dialog": "remove it, or add `optional: true`",
    "window": "an action before it has to open one, as the click on a link with `target=_blank` does",
}
"""Hints for what has no selector."""
_LONGEST_SHOWN = 80


class MissingError(Exception):
    """The element, dialog or window of an action did not come in time; the text says what was wrong."""


class UnmetError(Exception):
    """The state that an action waits for did not come in time; the text says what the page lacks."""


class NoOptionError(NoSuchElementException):
    """A `select` element does not have the wanted option, or not yet."""


class NoListError(NoSuchElementException):
    """An element in which an option is to be chosen is not a `select` element."""


class ActionFaults:
    """Derives why an action of the definitions failed from what the driver raised.

    Args:
        action: the action.
        timeout_s: how many seconds it was tried.
        is_cut: whether that was less than its timeout, as the time of the whole page was over.
    """

    def __init__(self, action: ActionDef, timeout_s: float, is_cut: bool) -> None:
        self._action = action
        self._timeout_s = timeout_s
        self._is_cut = is_cut

    def missing(self, error: MissingError) -> VisitFailedError:
        """The failure for an element, a dialog or a window that did not come."""
        hint = _MISSING.get(self._action.verb, "look at its selector")
        return self._failure(f"{error} {self._within}", hint)

    def closed(self) -> VisitFailedError:
        """The failure for an action whose window was closed, for example by the page in it."""
        return self._failure("its window has closed", "go back before it by `window: main`")

    def refused(self, error: WebDriverException) -> VisitFailedError:
        """The failure for an exception that is one of `REFUSED`."""
        if isinstance(error, TimeoutException):
            return self.late()
        if isinstance(error, InvalidSelectorException) or NO_SELECTOR in str(error.msg):
            found = unreadable(str(error.msg))
            return self._failure(found.what, found.hint)
        message = str(error.msg).partition("\n")[0].partition(": ")[2].strip()
        if self._action.verb == "script":
            message = message or "it threw a value that is not an Error"
            return self._failure(f"the script failed: {message}", "try it in the browser's console")
        what = f"the browser refused it: {message or str(error.msg).strip()}"
        return self._failure(what, "look at its text and its selector")

    def late(self) -> VisitFailedError:
        """The failure for an action that did not end in time."""
        if self._action.verb == "script":
            return self._failure(f"the script did not end {self._within}", "look for what it waits for")
        what = f"the page did not answer {self._within}, or the page that it led to did not load"
        return self._failure(what, "raise its `timeout`")

    def unmet(self, error: UnmetError) -> VisitFailedError:
        """The failure for an action `wait` whose state did not come in time."""
        what = f"after {self._timeout_s:.3g} s, {error}"
        return self._failure(what, "look at what it waits for, or raise its `timeout`")

    def same(self, error: VisitFailedError) -> VisitFailedError:
        """The failure of the action because of another failure, whose text and hint it gets."""
        return self._failure(error.failure.what, error.failure.hint)

    @property
    def _within(self) -> str:
        return f"within {self._timeout_s:.3g} s"

    def _failure(self, why: str, hint: str) -> VisitFailedError:
        action = self._action
        written = action.selector or named(action.until) or action.text
        shown_text = action.text if action.verb in _BY_TEXT else written
        cause = f"the action at {action.place} failed: {action.verb} {cut(shown_text, _LONGEST_SHOWN)}"
        found = RAISE_SITE if self._is_cut else hint
        return VisitFailedError(VisitFailed(f"{cause}: {why}", cause, hint=found))


def why(error: Exception) -> str:
    """Return what is wrong with an element, from an exception in `NOT_YET`; `within 2 s` can follow it."""
    if isinstance(error, NoOptionError):
        return "its list has no such option"
    if isinstance(error, NoListError):
        return "no list (`select`) matches"
    if isinstance(error, NoSuchElementException):
        return "no element matches"
    if isinstance(error, NoSuchFrameException):
        return "no frame matches"
    if isinstance(error, StaleElementReferenceException):
        return "its element was not left in place long enough to be used"
    if isinstance(error, ElementClickInterceptedException):
        return "its element did not become free of another that covers it"
    if isinstance(error, ElementNotInteractableException | MoveTargetOutOfBoundsException):
        return "its element did not become visible"
    return "its element did not become a field that takes text"
