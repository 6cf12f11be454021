"""Started: a running browser, and the interface of its tab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from selenium import webdriver
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.page_answers import PageAnswers
from scoopi.browser.page.page_wait import Traffic
from scoopi.browser.page.page_windows import PageWindows
from scoopi.browser.pool_messages import PartWanted, Visit
from scoopi.browser.remote_sessions import session_address

Ask = Callable[[PartWanted, Callable[[bool], None]], None]
"""Asks for the grant of a request; its second argument is called once it is known whether it may be sent."""


def allow(wanted: PartWanted, on_grant: Callable[[bool], None]) -> None:
    """Grant each request at once."""
    on_grant(True)


class Cookies(Protocol):
    """The interface of the tab's cookies; see `CookieJar`."""

    def take(self, urls: tuple[str, ...], sent: tuple[str, ...], header: str = "") -> tuple[str, ...]:
        """See `CookieJar.take`."""


class Tab(Protocol):
    """The tab of a visit, isolated from earlier visits.

    Attributes:
        answers: responses to the navigations of this visit.
        traffic: requests of this visit that are in progress.
        opened: the windows that the page of this visit has opened.
        was_used: the tab is reused: it has shown another page before.
    """

    answers: PageAnswers
    traffic: Traffic
    opened: PageWindows
    was_used: bool

    @property
    def cookies(self) -> Cookies: ...

    def open(self, visit: Visit, ask: Ask = allow) -> None:
        """Open an empty tab for a visit, with the cookies of its session."""

    def keep(self, is_spare: bool) -> None:
        """Note whether the tab can be reused; `is_spare` if its page has left nothing behind but storage."""

    def interrupt(self) -> bool:
        """End the script that the page runs now, from any thread, without waiting; False if it cannot."""

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
        driver_url: the address of its driver.
        pid: process id of its driver, which is its parent; 0 if they run in a grid.
        session: address of its session in a grid; empty on this machine.
    """

    driver: WebDriver
    tab: Tab
    driver_url: str
    pid: int = 0
    session: str = ""


def started_by_grid(url: str, options: ArgOptions, tab_of: Callable[[WebDriver], Tab]) -> Started:
    """A browser that a grid runs; its session is ended if its tab cannot be made.

    Args:
        url: of the grid.
    Raises:
        WebDriverException: the grid does not start it, or its tab cannot be made.
    """
    remote = webdriver.Remote(url, options=options)
    try:
        tab = tab_of(remote)
    except BaseException:
        remote.quit()
        raise
    return Started(remote, tab, url, session=session_address(url, str(remote.session_id)))
