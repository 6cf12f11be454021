"""Browser: a browser with its driver, which loads one page at a time and returns the rendered document."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
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
from scoopi.browser.liveness_probe import browser_probe, silence
from scoopi.browser.page.navigation_faults import CLOSED, NO_ANSWER, NO_PAGE, TIMED_OUT, fault_of
from scoopi.browser.page.navigation_responses import NavigationResponse, NavigationResponses
from scoopi.browser.page.page_completion import PageCompletion
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.page.page_wait import VisitFailedError, with_dialogs_dismissed
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.browser.remote_sessions import SESSION, has_ended_soon
from scoopi.browser.started import Ask, allow
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import memory_of_trees

_PAGE = 200
_BLANK = "about:blank"
_WEB = ("http://", "https://")
_SOON_S, _ANSWER_S = 0.05, 5.0
"""How long the browser may take to report the answer, after the page has loaded: mostly, and at most."""
CRASHED = (WebDriverException, HTTPError, OSError)
"""The exceptions that are raised when the browser or its driver has crashed."""


_STARTS = {"chromium": start_chromium, "firefox": start_firefox}


class Browser:
    """A browser with its driver, which loads one page at a time.

    Belongs to one thread, except for the methods that say otherwise.

    Args:
        settings: the settings `scoopi.webDriver`.
        profile: an existing folder for all files of this browser.
        shots: the folder of screenshots; created with the first one.
        snapshots: saves pages that fail.
        scripts: the command of the process for script plugins; empty if there are none.

    Attributes:
        pages: number of pages that it has loaded.
        has_ended: False for a browser of a grid that `kill` could not end in time.
        profile: as given.
        first_mb: its memory in MB when its pool first measured it without a page; 0 before that.

    Raises:
        WebDriverException: the driver or the browser does not start.
    """

    def __init__(
        self,
        settings: BrowserSettings,
        profile: Path,
        shots: Path,
        snapshots: PageSnapshots,
        scripts: Sequence[str] = (),
    ) -> None:
        started = _STARTS[settings.browser](settings, profile)
        self._started, self._driver, self._tab = started, started.driver, started.tab
        own_probe = () if started.probe is None else (started.probe,)
        self._probes = (browser_probe(self._tab.ask), *own_probe)
        self._session = started.session
        self.has_ended = True
        try:
            if self._session:
                (profile / SESSION).write_text(self._session)  # to end it if this process is killed
            self._completion = PageCompletion(started, shots, scripts)
        except BaseException:
            self._end()
            raise
        self._limit = self._completion.limit
        self._snapshots = snapshots
        self._failure: VisitFailed | None = None
        self._ask: Ask = allow
        self.profile = profile
        self.pages = 0
        self.first_mb = 0

    def load(self, visit: Visit, ask: Ask = allow) -> Rendered | VisitFailed:
        """Load the page of a visit, without cookies and storage of earlier visits, except its session's.

        Args:
            ask: asks for a grant for each request that needs one.
        Returns:
            The page as shown by the browser, or why it was not loaded.
        Raises:
            CRASHED: the browser or its driver has crashed.
        """
        self.pages += 1
        begun, ends = time.time(), time.monotonic() + visit.timeout_s
        self._ask, self._failure = ask, None
        self._started.limit(visit.timeout_s)
        self._tab.open(visit, ask)
        result: Rendered | VisitFailed
        try:
            result = self._visited(visit, begun, ends)
        except NoSuchWindowException:
            if self._tab.opened.current in self._driver.window_handles:
                raise
            result = CLOSED
        return replace(self._rejection(result), rejected=self._tab.cookies.rejected)

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
        """Return the memory of driver and browser in MB; 0 in a grid. Callable from any thread."""
        pid = self._started.pid
        return memory_of_trees([pid])[pid] >> 20 if pid else 0

    def check(self) -> None:
        """Interrupt a script of the page if an action has not ended in time; callable from any thread.

        To be called at regular intervals.
        """
        self._limit.check()

    def is_stuck(self) -> bool:
        """Return whether an action is overdue and cannot be interrupted, so that only a kill ends it.

        Callable from any thread.
        """
        return self._limit.is_stuck()

    def silent(self) -> VisitFailed | None:
        """Return the failure if the browser or its driver no longer answers, else None.

        To be called at regular intervals, as calls are counted; see `RequestProbe`.
        """
        found = [probe.name for probe in self._probes if probe.is_silent()]
        return self._failure or silence(found[0]) if found else None

    def late(self) -> VisitFailed | None:
        """Return the failure of the visit if it is already known, else None; callable from any thread.

        Such a failure is that of an action that does not end.
        """
        return self._failure or self._completion.late()

    def kill(self) -> None:
        """Kill driver, browser and a running script plugin at once; callable from any thread.

        A grid gets 2 s to end the browser. If it takes longer, `has_ended` is False, and the profile must
        stay, since it names the session that is still to be ended.
        """
        self._completion.kill()
        self._end()

    def _end(self) -> None:
        if self._session:
            self.has_ended = has_ended_soon(self._session)
        else:
            self._started.kill()

    def _rejection(self, result: Rendered | VisitFailed) -> Rendered | VisitFailed:
        """A result, or the failure of a page that did not get what the definitions say."""
        failure = self._tab.rejected.failure()
        if failure is None:
            return result
        return replace(failure, kept=result.kept) if isinstance(result, VisitFailed) else failure

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
        answer = self._first_response()
        is_file = answer is None or answer.is_file  # a download may not be reported
        if is_file and self._driver.current_url == _BLANK:
            return NO_PAGE
        if answer is not None and answer.status != _PAGE:
            return self._rendered(visit, ends, self._completion.read(visit.how))
        try:
            found = self._completion.complete(visit.how, visit.url, ends)
        except VisitFailedError as error:
            self._failure = error.failure  # saving a page whose script does not end may fail, too
            whole = partial(self._completion.whole, visit.how, ends)
            kept = self._snapshots.keep(self._driver, self._tab.console, visit.url, begun, whole)
            return replace(self._completion.lost() or error.failure, kept=kept)
        except TimeoutException:
            return NO_ANSWER
        except WebDriverException as error:
            failure = self._completion.lost() if fault_of(str(error.msg)) else None
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

    def _first_response(self) -> NavigationResponse | None:
        """What the server has answered, by now."""
        answer = self._tab.responses.newest(_SOON_S)
        if answer is None:
            with_dialogs_dismissed(self._driver, lambda: self._driver.title)  # a dialog delays the answer
            answer = self._tab.responses.newest(_ANSWER_S)
        return answer

    def _rendered(self, visit: Visit, ends: float, found: Mapping[str, Any]) -> Rendered | VisitFailed:
        """What the page shows, which was just read."""
        if found["wentBack"] and self._tab.was_used:  # to the page that was here before this visit
            failure = self._navigated_afresh(visit, ends)
            if failure is not None:
                return failure
            try:
                found = self._completion.complete(visit.how, visit.url, ends)
            except VisitFailedError as error:
                return error.failure
        if found["isError"] and not found["status"]:
            return self._completion.lost() or NO_PAGE
        shown, cookies = str(found["url" if found["isError"] else "shown"]), visit.cookies
        if not shown.startswith(_WEB):
            shown = visit.url  # a page written by a script, or made from data
        status, headers = self._responses().of_document(found)
        if cookies is not None:
            cookies = self._tab.cookies.take((visit.url, shown), cookies, visit.header("cookie"))
        self._tab.keep(bool(found["isSpare"]) and status == _PAGE)
        body, unused = str(found["body"]).encode(errors="replace"), self._tab.opened.unused()
        unused = "" if visit.how.scripts else unused
        return Rendered(shown, body, status, headers, cookies, unused, removed=self._completion.removed)

    def _responses(self) -> NavigationResponses:
        """The answers to the navigations of the current window."""
        opened = self._tab.opened
        found = opened.responses_of(opened.current)
        return self._tab.responses if found is None else found
