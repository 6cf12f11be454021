"""Why no browser could be started, what can be done, and when one is started again."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.common.exceptions import SessionNotCreatedException, WebDriverException
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import MaxRetryError, NewConnectionError

from scoopi.browser.failed_starts import GIVE_UP_S, StartBackoff, start_fault
from scoopi.browser.pool_messages import VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import NO_BROWSER

FAILED = VisitFailed("no browser can be started by the grid: refused", "no browser", NO_BROWSER)


class PlayedClock:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def read(self) -> float:
        """The time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> PlayedClock:
    return PlayedClock()


@pytest.fixture
def backoff(clock: PlayedClock) -> StartBackoff:
    return StartBackoff(clock.read, clock.sleep)


def test_each_start_that_fails_doubles_the_pause_until_one_works(
    clock: PlayedClock, backoff: StartBackoff
) -> None:
    for _ in range(7):
        assert backoff.wait() is None
        backoff.failed(FAILED)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    backoff.worked()
    assert backoff.wait() is None
    backoff.failed(FAILED)
    assert backoff.wait() is None
    assert clock.slept[6:] == [1.0]


def test_after_a_long_time_pages_fail_at_once_but_a_start_is_still_tried(
    clock: PlayedClock, backoff: StartBackoff
) -> None:
    backoff.failed(FAILED)
    clock.now += GIVE_UP_S
    assert backoff.wait() is None, "it is time to try"
    backoff.failed(FAILED)
    failure = backoff.wait()
    assert failure is not None
    assert (failure.what, failure.reason) == (f"{FAILED.what} (for 300 s)", "")
    clock.now += 2.0
    assert backoff.wait() is None
    assert clock.slept == []


def test_a_program_that_is_not_there_needs_no_pause(clock: PlayedClock, backoff: StartBackoff) -> None:
    backoff.failed(VisitFailed("there is no program", "no browser"))
    assert backoff.wait() is None
    assert clock.slept == []


EXITED = SessionNotCreatedException(
    "session not created: Chrome instance exited. Examine ChromeDriver verbose log to determine the cause.;"
    " For documentation on this error, please visit: https://www.selenium.dev"
)


def test_a_program_that_is_not_there_is_named_with_its_setting(tmp_path: Path) -> None:
    program = tmp_path / "driver"
    program.touch()
    failed = start_fault(BrowserSettings(driver="/no/driver"), EXITED)
    assert failed.what == "no browser can be started: there is no program /no/driver"
    assert failed.hint == (
        "install Debian's chromium and chromium-driver, or set scoopi.webDriver.driverPath"
    )
    failed = start_fault(
        BrowserSettings(browser="firefox", driver=str(program), binary="/no/firefox"), EXITED
    )
    assert failed.hint == "install Debian's firefox-esr, and geckodriver, or set scoopi.webDriver.browserPath"
    assert not failed.reason, "it does not come by itself"


def test_what_programs_that_are_there_say_is_one_line_and_may_be_different_later(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch()
    failed = start_fault(BrowserSettings(driver=str(program), binary=str(program)), EXITED)
    assert failed.what == "no browser can be started: session not created: Chrome instance exited."
    assert "scoopi.webDriver.browserPath" in failed.hint
    assert failed.reason == NO_BROWSER


def test_a_grid_that_refuses_connections_is_said_in_a_few_words() -> None:
    pool = HTTPConnectionPool("127.0.0.1", 9)
    refused = NewConnectionError(pool, "Failed to establish a new connection: [Errno 111] Connection refused")  # type: ignore[arg-type]
    failed = start_fault(BrowserSettings(url="http://127.0.0.1:9"), MaxRetryError(pool, "/session", refused))
    assert failed.what == "no browser can be started by the grid: [Errno 111] Connection refused"
    assert failed.reason == NO_BROWSER


def test_a_server_that_is_no_grid_is_said_to_be_none() -> None:
    page = WebDriverException("<!DOCTYPE HTML>\n<html><body>Error code: 501</body></html>")
    failed = start_fault(BrowserSettings(url="http://127.0.0.1:9"), page)
    assert failed.what == (
        "no browser can be started by the grid: a page of HTML was answered, so this is no grid"
    )
    assert "scoopi.webDriver.url" in failed.hint
