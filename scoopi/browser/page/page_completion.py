"""PageCompletion: brings a page in the browser to the state that the definitions require, and reads it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from selenium.common.exceptions import WebDriverException

from scoopi.browser.page.navigation_faults import lost
from scoopi.browser.page.page_actions import PageActions
from scoopi.browser.page.page_reader import ANY, PageReader
from scoopi.browser.page.page_wait import PageWait, T, VisitFailedError, Words, at_until, left_s
from scoopi.browser.page.step_timeout import StepTimeout
from scoopi.browser.pool_messages import Removed, VisitFailed
from scoopi.browser.scripts.script_messages import ScriptRequest
from scoopi.browser.scripts.script_process import ScriptProcess
from scoopi.browser.started import Started
from scoopi.model.scrape.browser_def import BrowserDef

_LEAST_S = 0.1
_KEEP_S = 1.0
"""Time to keep what a page shows when its script does not end."""
_KEEP_FRAMES_S = 5.0
"""The longest that reading the frames of a failed page may take."""


class PageCompletion:
    """Brings a page in the browser to the state that the definitions require, and reads it.

    Args:
        started: the browser and its tab.
        shots: the folder of screenshots; created with the first one.
        scripts: the command of the process for script plugins; empty if there are none.

    Attributes:
        limit: limits how long a step may take.
    """

    def __init__(self, started: Started, shots: Path, scripts: Sequence[str]) -> None:
        self._started, self._driver, self._tab = started, started.driver, started.tab
        self._waiting = PageWait(self._driver, self._tab.traffic)
        self.limit = StepTimeout(self._driver, self._tab.interrupt)
        self._actions = PageActions(self._driver, self._waiting, self.limit, self._tab.opened, shots)
        self._reader = PageReader(self._driver)
        self._scripts = ScriptProcess(scripts)
        self._hidden = tuple(self._driver.window_handles)  # the driver's own window, which no page is in

    def complete(self, how: BrowserDef, url: str, ends: float) -> Mapping[str, Any]:
        """Do the actions of the definitions, wait for what they name, and return the result of `READING`.

        Args:
            url: the address of the visit.
            ends: when the time of the visit ends, as `time.monotonic()`.
        Raises:
            VisitFailedError: an action or a script fails, or the page does not become complete.
        """
        self._actions.run(how.actions, url, how.timeout_ms, ends)
        if how.until.optional:
            self._waiting.wait_for_optional(how.until.optional, left_s(how, ends))
        if how.scripts:
            self._awaited(how, ends, lambda words: self._waiting.holds(words))
            self._run_scripts(how, ends)
        return self._awaited(how, ends, lambda words: self._reader.read_if(how, words, ends))

    @property
    def removed(self) -> Removed | None:
        """The elements that the page removed again while it was scrolled; None if there were none."""
        return self._actions.removed

    def read(self, how: BrowserDef) -> Mapping[str, Any]:
        """Return the result of the script `READING` for the page as it is now."""
        return self._reader.read(how)

    def whole(self, how: BrowserDef, ends: float) -> str | None:
        """Return the document with its frames and shadow roots; None if the definitions want neither.

        Args:
            ends: when the time of the visit ends, as `time.monotonic()`.
        Raises:
            VisitFailedError: the frames of other origins cannot be read in time.
            WebDriverException: a frame, or the page, does not answer.
        """
        left_s = min(_KEEP_FRAMES_S, ends - time.monotonic())
        if left_s <= 0 or not (how.frames or how.shadow):
            return None
        self.limit.act(left_s)
        try:
            found = self._reader.read_if(how, ANY, time.monotonic() + left_s)
        finally:
            self.limit.end()
        return None if found is None else str(found["body"])

    def lost(self) -> VisitFailed | None:
        """Return the failure if an action or a script has led to an address that gives no page; else None."""
        with suppress(WebDriverException):
            code = self._reader.error()
            if code:
                return lost(self._driver.current_url, code)
        return None

    def late(self) -> VisitFailed | None:
        """Return the failure if the current action does not end; None between actions. For any thread."""
        return self._actions.late()

    def kill(self) -> None:
        """Kill the process of script plugins, if it runs; callable from any thread."""
        self._scripts.kill()

    def _awaited(self, how: BrowserDef, ends: float, read: Callable[[Words], T | None]) -> T:
        """What is read once `until` holds."""
        timeout_s = left_s(how, ends)
        self.limit.wait(timeout_s)
        try:
            found = self._waiting.reading(how.until, timeout_s, read)
        except VisitFailedError as error:
            raise VisitFailedError(at_until(how, error.failure)) from error
        if found is None:
            raise VisitFailedError(self._tab.opened.hinted(self._waiting.incomplete(how, timeout_s)))
        return found

    def _run_scripts(self, how: BrowserDef, ends: float) -> None:
        """Run the script plugins, and wait until the page that they have left has loaded."""
        name, session = str(self._driver.capabilities["browserName"]), str(self._driver.session_id)
        request = ScriptRequest(how.scripts, self._started.driver_url, session, name, self._hidden)
        timeout_s = max(_LEAST_S, ends - time.monotonic() - _KEEP_S)
        failed = self._scripts.run(request, timeout_s)
        if failed is not None:
            raise VisitFailedError(VisitFailed(failed.what, failed.cause, hint=failed.hint))
        self._tab.opened.current = self._driver.current_window_handle
        timeout_s = left_s(how, ends)
        if not self._waiting.has_loaded(timeout_s):
            what, cause = f"the page did not load within {timeout_s:g} s", "the page did not load"
            raise VisitFailedError(VisitFailed(f"{what} after its script plugins", cause))
