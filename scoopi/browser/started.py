"""Started: a running browser, and the interface of its tab."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.common.service import Service
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.liveness_probe import LivenessProbe, PendingRequest
from scoopi.browser.page.navigation_responses import NavigationResponses
from scoopi.browser.page.page_wait import Traffic
from scoopi.browser.page.page_windows import PageWindows
from scoopi.browser.pool_messages import PartRequested, Visit
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.browser.remote_sessions import session_address
from scoopi.descendants import kill_tree

_LATE_S = 5.0
"""How much longer than its visit may take a command waits for an answer; earlier than that, the driver's own
timeouts or a kill should end it."""
_END_S = 2.0
"""The longest that a killed driver is waited for."""
START_S = 90.0
"""Seconds that a browser may take to start; ChromeDriver itself gives up after 60 s."""
_GRID_START_S = 330
"""The longest that a grid may take to start a browser; a request waits 300 s in its queue by default."""

Ask = Callable[[PartRequested, Callable[[bool], None]], None]
"""Asks for the grant of a request; its second argument is called once it is known whether it may be sent."""


def allow(wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
    """Grant each request at once."""
    on_grant(True)


class Cookies(Protocol):
    """The interface of the tab's cookies; see `TabCookies`."""

    @property
    def rejected(self) -> tuple[str, ...]:
        """See `TabCookies.rejected`."""

    def take(self, urls: tuple[str, ...], sent: tuple[str, ...], header: str = "") -> tuple[str, ...]:
        """See `TabCookies.take`."""


class Tab(Protocol):
    """The tab of a visit, isolated from earlier visits.

    Attributes:
        responses: those to the navigations of this visit.
        traffic: requests of this visit that are in progress.
        opened: the windows that the page of this visit has opened.
        was_used: whether the tab is reused: it has shown another page before.
        rejected: the commands of this visit that the browser has rejected.
        cookies: the cookies of the tab.
    """

    responses: NavigationResponses
    traffic: Traffic
    opened: PageWindows
    was_used: bool
    rejected: RejectedCommands

    @property
    def cookies(self) -> Cookies: ...

    def open(self, visit: Visit, ask: Ask = allow) -> None:
        """Open an empty tab for a visit, with the cookies of its session.

        Raises:
            RejectedError: the browser rejects a setting for the page's requests.
            WebDriverException: it does not answer.
        """

    def keep(self, is_spare: bool) -> None:
        """Note whether the tab can be reused.

        Args:
            is_spare: whether its page has left nothing behind but storage.
        """

    def interrupt(self) -> bool:
        """End the script that the page runs now, without waiting; callable from any thread.

        Returns:
            False if the browser cannot do that.
        """

    def ask(self) -> PendingRequest:
        """Ask the browser for something that it answers at once, whatever its pages do; for any thread."""

    def close(self) -> None:
        """Close the page and the windows that it has opened."""

    def console(self) -> list[dict[str, Any]]:
        """Return the page's messages in the console, each with a `timestamp` in ms."""

    def windows(self) -> int:
        """Return the number of open windows and tabs; without a page, it is 1."""


@dataclass(frozen=True, slots=True)
class Started:
    """A running browser.

    Attributes:
        driver: the client of its driver.
        tab: the tab in which it shows pages.
        driver_url: the address of its driver.
        process: the process of its driver, the browser's parent; None if they run in a grid.
        session: address of its session in a grid; empty on this machine.
        probe: notices that the driver has stopped answering; None if it cannot be asked.
    """

    driver: WebDriver
    tab: Tab
    driver_url: str
    process: subprocess.Popen[Any] | None = None
    session: str = ""
    probe: LivenessProbe | None = None

    @property
    def pid(self) -> int:
        """Process id of the driver; 0 if it runs in a grid."""
        return 0 if self.process is None else self.process.pid

    def limit(self, visit_s: float) -> None:
        """Limit how long commands wait for a driver or a grid that does not answer, to 5 s after the visit.

        Args:
            visit_s: the longest time, in seconds, for the visit.
        """
        connection = self.driver.command_executor
        if isinstance(connection, RemoteConnection):
            connection.client_config.timeout = visit_s + _LATE_S

    def kill(self) -> None:
        """Kill driver and browser on this machine, and wait for the driver; callable from any thread."""
        if self.process is not None:
            _kill(self.process)
        if self.probe is not None:
            self.probe.forget()


@contextmanager
def started_within(service: Service, seconds: float = START_S) -> Iterator[None]:
    """Kill a driver with its browser if the `with` block, which starts them, fails or lasts longer than that.

    Selenium itself waits without end for a driver that does not answer.

    Raises:
        WebDriverException: the block lasted longer than `seconds`; other errors of the block are passed on.
    """
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        kill()

    def kill() -> None:
        process = getattr(service, "process", None)  # missing before its start
        if process is not None:
            _kill(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        kill()
        if is_late.is_set():
            raise WebDriverException(f"the browser did not start within {seconds:g} s") from error
        raise
    finally:
        timer.cancel()


def started_by_grid(url: str, options: ArgOptions, tab_of: Callable[[WebDriver], Tab]) -> Started:
    """Start a browser in a grid; its session is ended if its tab cannot be made.

    Args:
        url: address of the grid.
        options: the browser, and how it is started.
        tab_of: makes the tab in which the browser shows pages.
    Raises:
        WebDriverException: the grid does not start it, or its tab cannot be made.
    """
    client = ClientConfig(remote_server_addr=url, timeout=_GRID_START_S)
    remote = webdriver.Remote(url, options=options, client_config=client)
    try:
        tab = tab_of(remote)
    except BaseException:
        remote.quit()
        raise
    return Started(remote, tab, url, session=session_address(url, str(remote.session_id)))


def _kill(process: subprocess.Popen[Any]) -> None:
    if process.poll() is None:
        kill_tree(process.pid)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
    if process.stdin is not None:
        process.stdin.close()  # Selenium opens it, and never writes to it
