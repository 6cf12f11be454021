"""PageWait: waits until a page in the browser is in the state that the definitions require."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace
from selenium.common.exceptions import (
    InvalidElementStateException,
    JavascriptException,
    NoAlertPresentException,
    UnexpectedAlertPresentException,
)
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.page_document import CONDITIONS
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.scrape.browser_def import BrowserDef, Until

T = TypeVar("T")
POLL_S = 0.05
"""Seconds between two polls of a condition."""
NO_SELECTOR = "is not a valid selector"
"""Part of what a browser reports of a selector that it cannot read."""
LONGEST_OPTIONAL_S = 3.0
"""The longest wait for optional selectors; a page that never has them takes this much longer."""
RAISE_SITE = "raise the `timeout` of its site, which is the time for the whole page"
"""The hint if a wait was shorter than the definitions allow."""
Words = tuple[str, str, str]
"""(selector, gone, text): the arguments of CONDITIONS."""


class VisitFailedError(Exception):
    """Raised when a visit has failed.

    Attributes:
        failure: what is sent to its loader.
    """

    def __init__(self, failure: VisitFailed) -> None:
        super().__init__(failure.what)
        self.failure = failure


class Traffic:
    """The requests of a browser that are in progress; the driver may report them in any order and thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: set[str] = set()
        self._ended: set[str] = set()
        self._changed = 0.0

    def clear(self) -> None:
        """Forget all requests, at the start of a page."""
        with self._lock:
            self._begun.clear()
            self._ended.clear()
            self._changed = time.monotonic()

    def began(self, request: str) -> None:
        """Note that a request was sent; `request` is its id in the browser."""
        with self._lock:
            self._begun.add(request)
            self._changed = time.monotonic()

    def ended(self, request: str) -> None:
        """Note that a request was answered or has failed; `request` is its id in the browser."""
        with self._lock:
            self._ended.add(request)
            self._changed = time.monotonic()

    def is_idle(self, for_s: float) -> bool:
        """Whether no request has been in progress for the last `for_s` seconds."""
        with self._lock:
            return self._begun <= self._ended and time.monotonic() - self._changed >= for_s


def with_dialogs_dismissed(driver: WebDriver, command: Callable[[], Any]) -> Any:
    """Run a command of the driver and return its result; repeat it if a dialog of the page has blocked it."""
    while True:
        try:
            return command()
        except UnexpectedAlertPresentException:
            try:
                driver.switch_to.alert.dismiss()
            except NoAlertPresentException:
                time.sleep(POLL_S)


def comes_true(holds: Callable[[], bool], ends: float) -> bool:
    """Poll a condition until it holds; return whether it did before the time `ends` (`time.monotonic()`)."""
    return first_found(lambda: holds() or None, ends) is not None


def first_found(read: Callable[[], T | None], ends: float) -> T | None:
    """Poll until the result is not None, and return it; None after the time `ends` (`time.monotonic()`)."""
    while (seen := read()) is None:
        if time.monotonic() > ends:
            return None
        time.sleep(POLL_S)
    return seen


class PageWait:
    """Waits until a page in the browser is in the state that the definitions require."""

    def __init__(self, driver: WebDriver, traffic: Traffic) -> None:
        self._driver = driver
        self._traffic = traffic

    def until(self, wanted: Until, timeout_s: float) -> bool:
        """Wait for a state, and return whether the page reached it in time.

        Raises:
            VisitFailedError: a selector is invalid for the browser.
        """
        return self.reading(wanted, timeout_s, self.holds) is not None

    def reading(self, wanted: Until, timeout_s: float, read: Callable[[Words], T | None]) -> T | None:
        """Wait for a state, and return what `read` gives in it; None if it was not reached in time.

        Args:
            read: reads the page if the conditions hold on it, by one command; else returns None.
        Raises:
            VisitFailedError: a selector is invalid for the browser.
        """
        ends = time.monotonic() + timeout_s
        time.sleep(min(wanted.time_ms / 1000, timeout_s))
        if wanted.time_ms > timeout_s * 1000:
            return None
        return first_found(lambda: self._read(wanted, read), ends)

    def lacking(self, wanted: Until) -> str:
        """Describe what the page lacks now of a state that did not come in time.

        Raises:
            WebDriverException: the browser does not answer.
        """
        words = (
            ((wanted.selector, "", ""), f"no element matches `{wanted.selector}`"),
            (("", wanted.gone, ""), f"an element still matches `{wanted.gone}`"),
            (("", "", wanted.text), f"the text `{wanted.text}` is not shown"),
        )
        found = [fault for each, fault in words if any(each) and not self._holds_now(each)]
        if wanted.idle_ms and not self._traffic.is_idle(wanted.idle_ms / 1000):
            found.append(f"its requests have not paused for {wanted.idle_ms} ms")
        if wanted.time_ms and not found:
            found.append(f"its `time` alone is {wanted.time_ms} ms")
        return ", ".join(found) or f"{named(wanted)} came too late"

    def incomplete(self, how: BrowserDef, timeout_s: float) -> VisitFailed:
        """Return the failure of a page on which `until` of its group did not hold in time.

        Args:
            timeout_s: how many seconds the wait took.
        Raises:
            WebDriverException: the browser does not answer.
        """
        what = f"the page did not become complete within {timeout_s:.3g} s: {self.lacking(how.until)}"
        is_cut = timeout_s < how.timeout_ms / 1000
        hint = RAISE_SITE if is_cut else f"look at {_until(how)} of its group"
        return VisitFailed(what, f"what {_until(how)} waits for did not come", hint=hint)

    def _holds_now(self, words: Words) -> bool:
        try:
            return bool(self.holds(words))
        except (InvalidElementStateException, JavascriptException):
            return False  # the page has just navigated, or left no document

    def wait_for_optional(self, selectors: Sequence[str], timeout_s: float) -> None:
        """Wait until an element matches each selector, for `timeout_s` and LONGEST_OPTIONAL_S at most.

        Selectors that the browser cannot read are skipped.
        """
        ends = time.monotonic() + min(timeout_s, LONGEST_OPTIONAL_S)
        for selector in selectors:
            try:
                first_found(partial(self.holds, (selector, "", "")), ends)
            except (InvalidElementStateException, JavascriptException):
                continue  # it has a part that only Scoopi's selectors have, or the page is just leaving

    def _read(self, wanted: Until, read: Callable[[Words], T | None]) -> T | None:
        if wanted.idle_ms and not self._traffic.is_idle(wanted.idle_ms / 1000):
            return None
        words = (wanted.selector, wanted.gone, wanted.text)
        try:
            return read(words)
        except (InvalidElementStateException, JavascriptException) as error:
            if not any(words):
                raise
            if NO_SELECTOR in str(error.msg):
                raise VisitFailedError(unreadable(str(error.msg))) from error
            return None  # the page has just navigated, or left no document

    def has_loaded(self, timeout_s: float) -> bool:
        """Wait until the document that is shown has loaded; return whether it did in time."""
        script = "return document.readyState === 'complete'"
        ends = time.monotonic() + timeout_s
        driver = self._driver
        return comes_true(
            lambda: bool(with_dialogs_dismissed(driver, lambda: driver.execute_script(script))), ends
        )

    def holds(self, words: Words) -> bool | None:
        """Return True if the conditions hold on the page now, else None.

        Args:
            words: (selector to be there, selector to be gone, text to be shown); each empty for no condition.
        """
        driver = self._driver
        if not any(words):
            return True
        return with_dialogs_dismissed(driver, lambda: driver.execute_script(CONDITIONS, *words)) or None


def unreadable(message: str) -> VisitFailed:
    """Return the failure for a selector that is invalid for the browser, from the driver's message."""
    cause = "a selector cannot be read by a browser"
    detail = message.partition(": ")[2].partition("\n")[0] or message.partition("\n")[0]
    return VisitFailed(f"{cause}: {detail}", cause, hint="use selectors as in document.querySelector")


def at_until(how: BrowserDef, failure: VisitFailed) -> VisitFailed:
    """Return a failure of waiting for `until` of a group, with the place of that in its text."""
    return replace(failure, what=f"{_until(how)}: {failure.what}")


def left_s(how: BrowserDef, ends: float) -> float:
    """Return how many seconds a wait may take: the group's timeout, within the time left for the page.

    Args:
        ends: when the time of the visit ends, as `time.monotonic()`.
    """
    return max(0.0, min(how.timeout_ms / 1000, ends - time.monotonic()))


def _until(how: BrowserDef) -> str:
    at = str(how.until.place)
    return f"`until` at {at}" if at else "`until`"


def named(wanted: Until) -> str:
    """Return the awaited state in the words of the definitions."""
    idle = f"{wanted.idle_ms} ms without a request" if wanted.idle_ms else ""
    fixed = f"{wanted.time_ms} ms" if wanted.time_ms else ""
    given = (
        *(("selector", wanted.selector), ("gone", wanted.gone), ("text", wanted.text)),
        *(("idle", idle), ("time", fixed)),
    )
    return ", ".join(f"{name} `{value}`" for name, value in given if value)
