"""Started: a browser whose start fails or takes too long leaves nothing behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

from scoopi.browser.pool_messages import PartRequested
from scoopi.browser.started import allow, started_by_grid, started_within
from scoopi.configs.groups import BrowserSettings

GRID = "http://grid.example:4444"


class Remote:
    """A session of a grid."""

    session_id = "s1"

    def __init__(self, url: str, options: object, client_config: Any) -> None:
        self.url = url
        self.waits_s = client_config.timeout
        self.has_quit = False

    def quit(self) -> None:
        self.has_quit = True


@pytest.fixture
def remotes(monkeypatch: pytest.MonkeyPatch) -> list[Remote]:
    """The sessions that were begun."""
    begun: list[Remote] = []

    def begin(url: str, options: object, client_config: object) -> Remote:
        begun.append(Remote(url, options, client_config))
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
    assert remote.waits_s > 300, "a grid keeps a request in its queue for so long"


def test_a_session_without_a_tab_is_ended_so_that_the_grid_has_its_place_again(remotes: list[Remote]) -> None:
    def fail(driver: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started_by_grid(GRID, webdriver.ChromeOptions(), fail)
    assert [remote.has_quit for remote in remotes] == [True]


def test_without_a_limit_each_request_is_granted_at_once() -> None:
    granted: list[bool] = []
    wanted: Any = PartRequested
    allow(wanted, granted.append)
    assert granted == [True]


def started_service(folder: Path) -> Service:
    settings = BrowserSettings()
    service = Service(settings.driver, log_output=str(folder / "driver.log"))
    service.start()
    return service


def test_a_driver_that_freezes_while_it_starts_is_killed(tmp_path: Path) -> None:
    service = started_service(tmp_path)
    assert service.process is not None
    os.kill(service.process.pid, signal.SIGSTOP)
    late = pytest.raises(WebDriverException, match=r"the browser did not start within 0\.5 s")
    with late, started_within(service, 0.5):
        webdriver.Remote(service.service_url, options=webdriver.ChromeOptions())
    assert service.process.returncode == -signal.SIGKILL


def test_a_driver_whose_browser_cannot_be_used_is_killed(tmp_path: Path) -> None:
    service = started_service(tmp_path)
    with pytest.raises(ZeroDivisionError), started_within(service):
        raise ZeroDivisionError
    assert service.process is not None
    assert service.process.returncode == -signal.SIGKILL
    assert service.process.stdin is not None
    assert service.process.stdin.closed, "each browser would leave a descriptor behind"
