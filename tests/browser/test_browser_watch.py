"""BrowserWatch: a browser whose page takes too long, or too much memory, is killed."""

from __future__ import annotations

import threading
from typing import cast

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.liveness_probe import DRIVER, silence
from scoopi.browser.pool_messages import VisitFailed
from scoopi.errors import NO_BROWSER

LIMIT_S = 60.0


class Tab:
    """A browser of this size, which can be killed; `late` is that of its action."""

    def __init__(
        self,
        memory_mb: int = 100,
        late: VisitFailed | None = None,
        silent: VisitFailed | None = None,
        is_stuck: bool = False,
    ) -> None:
        self._memory_mb = memory_mb
        self._late = late
        self._silent = silent
        self._is_stuck = is_stuck
        self.killed = threading.Event()
        self.looked = threading.Event()

    def memory_mb(self) -> int:
        return self._memory_mb

    def check(self) -> None:
        self.looked.set()

    def is_stuck(self) -> bool:
        return self._is_stuck

    def silent(self) -> VisitFailed | None:
        return self._silent

    def late(self) -> VisitFailed | None:
        return self._late

    def kill(self) -> None:
        self.killed.set()


def watch(tab: Tab, timeout_s: float) -> BrowserWatch:
    return BrowserWatch(cast("Browser", tab), timeout_s, 200)


def test_a_browser_that_does_what_it_should_stays() -> None:
    tab = Tab()
    with watch(tab, LIMIT_S) as watched:
        assert tab.looked.wait(LIMIT_S), "at its page, now and then"
    assert watched.verdict is None
    assert not tab.killed.is_set()


def test_a_browser_that_takes_too_long_is_killed() -> None:
    tab = Tab()
    with watch(tab, -0.5) as watched:
        assert tab.killed.wait(LIMIT_S)
    assert watched.verdict is not None
    assert (watched.verdict.cause, watched.verdict.reason) == ("the browser hangs", NO_BROWSER)


@pytest.mark.parametrize(("timeout_s", "is_stuck"), [(-0.5, False), (LIMIT_S, True)])
def test_an_action_that_nothing_ends_is_named_and_its_browser_is_killed(
    timeout_s: float, is_stuck: bool
) -> None:
    late = VisitFailed("the action at shop.yml:7:9 failed: script x: the script did not end", "cause")
    tab = Tab(late=late, is_stuck=is_stuck)
    with watch(tab, timeout_s) as watched:
        assert tab.killed.wait(LIMIT_S)
    assert watched.verdict == late


def test_an_action_is_not_blamed_for_a_driver_that_does_not_answer() -> None:
    late = VisitFailed("the action at shop.yml:7:9 failed: script x: the script did not end", "cause")
    tab = Tab(late=late, silent=silence(DRIVER))
    with watch(tab, LIMIT_S) as watched:
        assert tab.killed.wait(LIMIT_S)
    assert watched.verdict is not None
    assert watched.verdict.what == "the driver of the browser stopped answering, and was killed"
    assert watched.verdict.reason == NO_BROWSER, "it is tried again"


def test_a_browser_that_takes_too_much_memory_is_killed() -> None:
    tab = Tab(memory_mb=300)
    with watch(tab, LIMIT_S) as watched:
        assert tab.killed.wait(LIMIT_S)
    assert watched.verdict is not None
    assert "more than 200 MB" in watched.verdict.what
    assert not watched.verdict.reason
