"""BrowserWatch: kills a browser whose page takes too long or uses too much memory."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from scoopi.browser.browser import Browser
from scoopi.browser.pool_messages import VisitFailed
from scoopi.errors import NO_BROWSER

GRACE_S = 0.5
"""Seconds beyond its timeout after which a browser counts as hung."""
_POLL_S = 0.5
"""The interval between two checks of a browser's memory, which costs some milliseconds."""
_HUNG = VisitFailed(
    "the browser did not answer within its timeout, and was killed",
    "the browser hangs",
    NO_BROWSER,
    hint="look for a script of the page that does not end",
)


class BrowserWatch:
    """Kills a browser whose page takes too long, or uses too much memory, during a `with` block.

    Args:
        browser: the browser that is used in the block.
        timeout_s: the longest time, in seconds, for the block; the browser is killed GRACE_S later.
        most_mb: the most memory, in MB, for the browser with all its processes.
    """

    def __init__(self, browser: Browser, timeout_s: float, most_mb: int) -> None:
        self._browser = browser
        self._ends = time.monotonic() + timeout_s + GRACE_S
        self._most_mb = most_mb
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="browser-watch", daemon=True)
        self.verdict: VisitFailed | None = None
        """Why the browser was killed; None if it was not."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()  # a browser that is lent again must not be killed for the page before

    def _watch(self) -> None:
        while not self._done.wait(max(0.0, min(_POLL_S, self._ends - time.monotonic()))):
            self.verdict = self._fault()
            if self.verdict is not None:
                self._browser.kill()
                return
            self._browser.check()

    def _fault(self) -> VisitFailed | None:
        if time.monotonic() >= self._ends or self._browser.is_stuck():
            return self._browser.late() or _HUNG
        if (silent := self._browser.silent()) is not None:
            return silent
        if self._browser.memory_mb() <= self._most_mb:
            return None
        what = f"the page needs more than {self._most_mb} MB of memory, and its browser was killed"
        hint = "raise scoopi.webDriver.memory, or block what the page loads"
        return VisitFailed(what, "the page needs too much memory in the browser", hint=hint)
