"""Started: a browser that runs, and what it promises of the tab of a visit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.page_answers import PageAnswers
from scoopi.browser.page.page_wait import Traffic
from scoopi.browser.pool_messages import PartWanted, Visit

Ask = Callable[[PartWanted, Callable[[bool], None]], None]
"""Asks for the grant of a request; its second argument is called once it is known whether it may be sent."""


def allow(wanted: PartWanted, on_grant: Callable[[bool], None]) -> None:
    """Let each request be sent at once."""
    on_grant(True)


class Cookies(Protocol):
    """The cookies of the tab; see `CookieJar`."""

    def take(self, urls: tuple[str, ...], sent: tuple[str, ...], header: str = "") -> tuple[str, ...]:
        """The lines of the cookies that are there now, for the hosts of the addresses."""


class Tab(Protocol):
    """The tab of a visit, which knows nothing of the pages before.

    Attributes:
        answers: to the navigations of this visit.
        traffic: the requests of this visit that are under way.
        was_used: another page was in it before.
    """

    answers: PageAnswers
    traffic: Traffic
    was_used: bool

    @property
    def cookies(self) -> Cookies: ...

    def open(self, visit: Visit, ask: Ask = allow) -> None:
        """Show an empty tab for a visit, with the cookies of its session."""

    def keep(self, is_spare: bool) -> None:
        """Note whether the page that is shown has left nothing that another page could see."""

    def close(self) -> None:
        """Close the page, and the windows that it has opened."""

    def console(self) -> list[dict[str, Any]]:
        """What the page has said in the console; each with a `timestamp` in ms."""

    def windows(self) -> int:
        """How many windows and tabs are open; without a page there is one."""


@dataclass(frozen=True, slots=True)
class Started:
    """A browser that runs.

    Attributes:
        pid: of its driver, which is its parent; 0 if they run elsewhere.
        session: the address of a session that runs elsewhere; empty if none does.
    """

    driver: WebDriver
    tab: Tab
    pid: int = 0
    session: str = ""
