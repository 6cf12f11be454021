"""Started: a browser that a grid runs is ended if its tab cannot be made."""

from __future__ import annotations

from typing import Any

import pytest
from selenium import webdriver

from scoopi.browser.pool_messages import PartWanted
from scoopi.browser.started import allow, started_by_grid

GRID = "http://grid.example:4444"


class Remote:
    """A session of a grid."""

    session_id = "s1"

    def __init__(self, url: str, options: object) -> None:
        self.url = url
        self.has_quit = False

    def quit(self) -> None:
        self.has_quit = True


@pytest.fixture
def remotes(monkeypatch: pytest.MonkeyPatch) -> list[Remote]:
    """The sessions that were begun."""
    begun: list[Remote] = []

    def begin(url: str, options: object) -> Remote:
        begun.append(Remote(url, options))
        return begun[-1]

    monkeypatch.setattr(webdriver, "Remote", begin)
    return begun


def test_a_browser_of_a_grid_knows_the_address_of_its_session(remotes: list[Remote]) -> None:
    tab: Any = object()
    started = started_by_grid(GRID, webdriver.ChromeOptions(), lambda driver: tab)
    assert (started.tab, started.driver_url, started.pid) == (tab, GRID, 0)
    assert started.session == f"{GRID}/session/s1"
    (remote,) = remotes
    assert not remote.has_quit


def test_a_session_without_a_tab_is_ended_so_that_the_grid_has_its_place_again(remotes: list[Remote]) -> None:
    def fail(driver: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started_by_grid(GRID, webdriver.ChromeOptions(), fail)
    assert [remote.has_quit for remote in remotes] == [True]


def test_without_a_limit_each_request_is_granted_at_once() -> None:
    granted: list[bool] = []
    wanted: Any = PartWanted
    allow(wanted, granted.append)
    assert granted == [True]
