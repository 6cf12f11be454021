"""StartBackoff, start_fault: why a browser did not start, and when the next one may be started."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from msgspec.structs import replace
from urllib3.exceptions import MaxRetryError

from scoopi.browser.pool_messages import VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import NO_BROWSER
from scoopi.model.text.shown import cut

_CAUSE = "no browser can be started"
_LONGEST = 300
_FIRST_S, _MOST_S = 1.0, 10.0
"""The pause after the first start that failed, and the longest one; a run that is stopped waits for it."""
GIVE_UP_S = 300.0
"""Seconds without a browser after which pages fail at once, as they do for a host that does not answer."""


class StartBackoff:
    """Decides when to start a browser again after one that did not start; for any thread.

    Each start that fails costs a page one of its attempts. Without pauses, a grid that is down for a minute
    would cost all pages of a run all of theirs.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._pause_s = 0.0
        self._next = self._since = float("-inf")
        self._last: VisitFailed | None = None

    def wait(self) -> VisitFailed | None:
        """Wait until a browser may be started.

        Returns:
            None when it may; the failure of the page, without waiting, if none has started for GIVE_UP_S.
        """
        with self._lock:
            now, last = self._clock(), self._last
            left_s, lasts_s = self._next - now, now - self._since
        if last is None or left_s <= 0:
            return None
        if lasts_s >= GIVE_UP_S:
            return replace(last, what=f"{last.what} (for {lasts_s:.0f} s)", reason="")
        self._sleep(left_s)
        return None

    def failed(self, failure: VisitFailed) -> None:
        """Note that a browser did not start, so that the next `wait` pauses: 1 s first, at most 10 s.

        A failure without a `reason` is ignored, as no later start could succeed.
        """
        if not failure.reason:
            return
        with self._lock:
            now = self._clock()
            if self._last is None:
                self._since = now
            self._last = failure
            self._pause_s = min(_MOST_S, max(_FIRST_S, 2 * self._pause_s))
            self._next = now + self._pause_s

    def worked(self) -> None:
        """Note that a browser has started."""
        with self._lock:
            self._last, self._pause_s = None, 0.0


def start_fault(settings: BrowserSettings, error: Exception) -> VisitFailed:
    """Return the failure of a page for which no browser could be started.

    It is transient if the programs are there: the browser was perhaps killed, or short of memory.
    """
    message = _one_line(error)
    if settings.url:
        cause = f"{_CAUSE} by the grid"
        hint = "look at scoopi.webDriver.url, and whether the grid has such a browser"
        return VisitFailed(f"{cause}: {message}", cause, NO_BROWSER, hint)
    names = {"driverPath": settings.driver, "browserPath": settings.binary}
    for name, program in names.items():
        if not os.path.exists(program):
            packages = {"chromium": "chromium and chromium-driver", "firefox": "firefox-esr, and geckodriver"}
            hint = f"install Debian's {packages[settings.browser]}, or set scoopi.webDriver.{name}"
            return VisitFailed(f"{_CAUSE}: there is no program {program}", _CAUSE, hint=hint)
    hint = "look at scoopi.webDriver.browserPath and driverPath, and whether memory is short"
    return VisitFailed(f"{_CAUSE}: {message}", _CAUSE, NO_BROWSER, hint)


def _one_line(error: Exception) -> str:
    """What was raised, in one line, without advice that is about Selenium."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        return str(error.reason).rpartition(": ")[2]
    message = str(getattr(error, "msg", error)).strip().partition("\n")[0]
    if message.startswith("<"):
        return "a page of HTML was answered, so this is no grid"
    message = message.partition("; For documentation")[0].partition(" Examine ChromeDriver")[0]
    return cut(message, _LONGEST)
