"""Browser: a browser with its driver, which loads one page at a time and returns the rendered document."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from selenium.common.exceptions import (
    NoSuchWindowException,
    TimeoutException,
    UnexpectedAlertPresentException,
    WebDriverException,
)
from urllib3.exceptions import HTTPError

from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.firefox.firefox_driver import start_firefox
from scoopi.browser.page.kept_pages import KeptPages
from scoopi.browser.page.navigation_faults import CLOSED, NO_ANSWER, NO_PAGE, TIMED_OUT, fault_of, lost
from scoopi.browser.page.page_actions import PageActions
from scoopi.browser.page.page_answers import PageAnswer, PageAnswers
from scoopi.browser.page.page_reader import PageReader
from scoopi.browser.page.page_wait import (
    PageWait,
    T,
    VisitFailedError,
    Words,
    at_until,
    left_s,
    with_dialogs_dismissed,
)
from scoopi.browser.page.step_timeout import StepTimeout
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.browser.remote_sessions import SESSION, has_ended_soon
from scoopi.browser.scripts.script_messages import ScriptOrder
from scoopi.browser.scripts.script_process import ScriptProcess
from scoopi.browser.started import Ask, allow
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import memory_of_trees
from scoopi.model.definitions import BrowserDef

_PAGE = 200
_BLANK = "about:blank"
_WEB = ("http://", "https://")
_LEAST_S = 0.1
_KEEP_S = 1.0
"""Time to keep what a page shows when its script does not end."""
_SOON_S, _ANSWER_S = 0.05, 5.0
"""How long the browser may take to report the answer, after the page has loaded: mostly, and at most."""
CRASHED = (WebDriverException, HTTPError, OSError)
"""What is raised when the browser or its driver has crashed."""


_STARTS = {"chromium": start_chromium, "firefox": start_firefox}


class Browser:
    """A browser with its driver, which loads one page at a time. Belongs to one thread, except for `kill`.

    Args:
        profile: a folder for all files of this browser.
        shots: the folder of screenshots; created with the first one.
        kept: saves pages that fail.
        scripts: the command of the process for script plugins; empty if there are none.

    Attributes:
        pages: number of pages that it has loaded.
        has_ended: False for a browser of a grid that `kill` could not end in time.
        first_mb: its memory in MB when its pool first looked at it without a page; 0 before.

    Raises:
        WebDriverException: the driver or the browser does not start.
    """

    def __init__(
        self,
        settings: BrowserSettings,
        profile: Path,
        shots: Path,
        kept: KeptPages,
        scripts: Sequence[str] = (),
    ) -> None:
        started = _STARTS[settings.browser](settings, profile)
        self._started, self._driver, self._tab = started, started.driver, started.tab
        self._session = started.session
        if self._session:
            (profile / SESSION).write_text(self._session)  # what ends it if this process is killed
        self._waiting = PageWait(self._driver, self._tab.traffic)
        self._limit = StepTimeout(self._driver, self._tab.interrupt)
        self._actions = PageActions(self._driver, self._waiting, self._limit, self._tab.opened, shots)
        self._reader = PageReader(self._driver)
        self._kept = kept
        self._scripts = ScriptProcess(scripts)
        self._hidden = tuple(self._driver.window_handles)  # the driver's own window, which no page is in
        self._ask: Ask = allow
        self.profile = profile
        self.pages = 0
        self.first_mb = 0
        self.has_ended = True

    def load(self, visit: Visit, ask: Ask = allow) -> Rendered | VisitFailed:
        """Load the page of a visit, without cookies and storage of earlier visits, except its session's.

        Args:
            ask: asks for a grant for each request, after the first one, that needs one.
        Raises:
            CRASHED: the browser or its driver has crashed.
        """
        self.pages += 1
        begun, ends = time.time(), time.monotonic() + visit.timeout_s
        self._ask = ask
        self._started.limit(visit.timeout_s)
        self._tab.open(visit, ask)
        try:
            return self._visited(visit, begun, ends)
        except NoSuchWindowException:
            if self._tab.opened.current in self._driver.window_handles:
                raise
            return CLOSED

    def leave(self) -> None:
        """Close the page, so that it uses no processor time and memory until the next visit.

        Raises:
            CRASHED: the browser or its driver has crashed.
        """
        self._tab.close()

    def windows(self) -> int:
        """Return the number of open windows and tabs; without a page, it is 1."""
        return self._tab.windows()

    def memory_mb(self) -> int:
        """Return the memory of driver and browser on this machine, in MB; callable from any thread."""
        pid = self._started.pid
        return memory_of_trees([pid])[pid] >> 20 if pid else 0

    def look(self) -> None:
        """Interrupt the page if it does not let an action end in time; called now and then, by any thread."""
        self._limit.look()

    def is_stuck(self) -> bool:
        """Return whether only a kill ends what the browser or its driver does; called now and then."""
        return self._limit.is_stuck() or self._started.pulse.is_silent()

    def late(self) -> VisitFailed | None:
        """Return the failure if the current action does not end; None without one. For any thread."""
        return self._actions.late()

    def kill(self) -> None:
        """Kill driver and browser at once, and a script that runs; callable from any thread.

        A grid gets 2 s for it; the profile of a browser that has not ended by then has to stay.
        """
        self._scripts.kill()
        if self._session:
            self.has_ended = has_ended_soon(self._session)
        else:
            self._started.kill()

    def _visited(self, visit: Visit, begun: float, ends: float) -> Rendered | VisitFailed:
        """Load and read the page in its tab; `begun` is as `time.time()`, `ends` as `time.monotonic()`."""
        try:
            failure = self._navigated(visit, ends)
        except UnexpectedAlertPresentException:
            if not self._tab.was_used:
                raise
            failure = self._navigated_afresh(visit, ends)  # a dialog of the page before came too late
        if failure is not None:
            return failure
        answer = self._first_answer()
        is_file = answer is None or answer.is_file  # of a download there may be no report
        if is_file and self._driver.current_url == _BLANK:
            return NO_PAGE
        if answer is not None and answer.status != _PAGE:
            return self._rendered(visit, ends, self._reader.read(visit.how))
        try:
            found = self._completed(visit, ends)
        except VisitFailedError as error:
            kept = self._kept.keep(self._driver, self._tab.console, visit.url, begun)
            return replace(self._lost() or error.failure, kept=kept)
        except TimeoutException:
            return NO_ANSWER
        except WebDriverException as error:
            failure = self._lost() if fault_of(str(error.msg)) else None
            if failure is None:
                raise
            return failure
        return self._rendered(visit, ends, found)

    def _navigated(self, visit: Visit, ends: float) -> VisitFailed | None:
        """Go to the page; why it does not come, None if it does."""
        self._limit.navigate(ends - time.monotonic())
        try:
            self._driver.get(visit.url)
        except TimeoutException:
            return TIMED_OUT
        except UnexpectedAlertPresentException:
            raise
        except WebDriverException as error:
            failure = fault_of(str(error.msg))
            if failure is None:
                raise
            return failure
        return None

    def _navigated_afresh(self, visit: Visit, ends: float) -> VisitFailed | None:
        """Go to the page in a tab that no page was in."""
        self._tab.close()
        self._tab.open(visit, self._ask)
        return self._navigated(visit, ends)

    def _first_answer(self) -> PageAnswer | None:
        """What the server has answered, by now."""
        answer = self._tab.answers.newest(_SOON_S)
        if answer is None:
            with_dialogs_dismissed(self._driver, lambda: self._driver.title)  # one would hold the answer up
            answer = self._tab.answers.newest(_ANSWER_S)
        return answer

    def _rendered(self, visit: Visit, ends: float, found: Mapping[str, Any]) -> Rendered | VisitFailed:
        """What the page shows, which was just read."""
        if found["wentBack"] and self._tab.was_used:  # to the page that was here before this visit
            failure = self._navigated_afresh(visit, ends)
            if failure is not None:
                return failure
            try:
                found = self._completed(visit, ends)
            except VisitFailedError as error:
                return error.failure
        if found["isError"] and not found["status"]:
            return self._lost() or NO_PAGE
        shown, cookies = str(found["url" if found["isError"] else "shown"]), visit.cookies
        if not shown.startswith(_WEB):
            shown = visit.url  # a page that a script has written, or has made of data
        status, headers = self._answers().of_document(found)
        if cookies is not None:
            cookies = self._tab.cookies.take((visit.url, shown), cookies, visit.header("cookie"))
        self._tab.keep(bool(found["isSpare"]) and status == _PAGE)
        body, unused = str(found["body"]).encode(errors="replace"), self._tab.opened.unused()
        return Rendered(shown, body, status, headers, cookies, "" if visit.how.scripts else unused)

    def _answers(self) -> PageAnswers:
        """The answers to the navigations of the current window."""
        opened = self._tab.opened
        found = opened.answers_of(opened.current)
        return self._tab.answers if found is None else found

    def _completed(self, visit: Visit, ends: float) -> Mapping[str, Any]:
        """Do the actions of the definitions, wait for what they name, and read the page.

        Raises:
            VisitFailedError: an action or a script fails, or the page does not become complete.
        """
        how = visit.how
        self._actions.run(how.actions, visit.url, how.timeout_ms, ends)
        if how.until.hoped:
            self._waiting.hope(how.until.hoped, left_s(how, ends))
        if how.scripts:
            self._awaited(how, ends, lambda words: self._waiting.holds(words))
            self._run_scripts(how, ends)
        return self._awaited(how, ends, lambda words: self._reader.read_if(how, words))

    def _awaited(self, how: BrowserDef, ends: float, read: Callable[[Words], T | None]) -> T:
        """What is read once `until` holds."""
        timeout_s = left_s(how, ends)
        self._limit.wait(timeout_s)
        try:
            found = self._waiting.reading(how.until, timeout_s, read)
        except VisitFailedError as error:
            raise VisitFailedError(at_until(how, error.failure)) from error
        if found is None:
            raise VisitFailedError(self._tab.opened.hinted(self._waiting.incomplete(how, timeout_s)))
        return found

    def _lost(self) -> VisitFailed | None:
        """The failure if an action or a script has led to an address that gives no page."""
        with suppress(WebDriverException):
            code = self._reader.error()
            if code:
                return lost(self._driver.current_url, code)
        return None

    def _run_scripts(self, how: BrowserDef, ends: float) -> None:
        """Run the script plugins, and wait until the page that they have left has loaded."""
        name, session = str(self._driver.capabilities["browserName"]), str(self._driver.session_id)
        order = ScriptOrder(how.scripts, self._started.driver_url, session, name, self._hidden)
        timeout_s = max(_LEAST_S, ends - time.monotonic() - _KEEP_S)
        failed = self._scripts.run(order, timeout_s)
        if failed is not None:
            raise VisitFailedError(VisitFailed(failed.what, failed.cause, hint=failed.hint))
        self._tab.opened.current = self._driver.current_window_handle
        timeout_s = left_s(how, ends)
        if not self._waiting.has_loaded(timeout_s):
            what, cause = f"the page did not load within {timeout_s:g} s", "the page did not load"
            raise VisitFailedError(VisitFailed(f"{what} after its script plugins", cause))
