"""Browsers of a real Selenium Grid load pages, and are given back whatever happens to the node."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from selenium.webdriver.chrome.service import Service

from scoopi.browser import remote_sessions
from scoopi.browser.pool_messages import VisitFailed
from scoopi.browser.pool_process import PoolProcess
from scoopi.browser.remote_sessions import SESSION, end_sessions, has_ended_soon, session_address
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import kill_tree
from scoopi.errors import NO_BROWSER
from tests.bootstrap.test_driver_wiring import DEFS, TABLE
from tests.browser.grid.hung_grid import HungGrid
from tests.browser.grid.selenium_grid import SeleniumGrid
from tests.browser.processes import interrupted
from tests.browser.test_browser_loader import write
from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

ENDS_S = 30.0


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeleniumGrid]:
    with SeleniumGrid(tmp_path_factory.mktemp("grid")) as made:
        yield made


def test_pages_are_loaded_by_the_browsers_of_a_grid(
    workspace: Workspace, grid: SeleniumGrid, server: Server, late_table: str
) -> None:
    write(workspace, server.url(late_table), server.url("/gone.html"))
    workspace.settings["scoopi.webDriver.url"] = grid.url
    ended = workspace.process("run", "defs")
    assert ended.code == 1, ended.err
    assert [*workspace.rows()] == ["p0|bread|Rye|4.20"]
    assert "status 404" in ended.err
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_script_plugins_drive_the_browsers_of_a_grid(
    workspace: Workspace, grid: SeleniumGrid, server: Server, late_table: str
) -> None:
    """They attach themselves to the session of the grid, from a process of their own."""
    (workspace.folder / "defs" / "bread.yml").write_text(
        DEFS.format(url=server.url(late_table), body=f'driver.executeScript("{TABLE}");')
    )
    workspace.settings["scoopi.webDriver.url"] = grid.url
    ended = workspace.process("run", "defs")
    assert ended.code == 0, ended.err
    assert (workspace.run_folder() / "data.txt").read_text() == "p|bread|Rye|4.20\n"
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_a_killed_run_leaves_no_browser_in_the_grid(
    workspace: Workspace, grid: SeleniumGrid, server: Server
) -> None:
    write(workspace, server.url("/bad/never-answers"))
    workspace.settings |= {"scoopi.webDriver.url": grid.url, "scoopi.webClient.timeout": 5000}
    run = workspace.start("run", "defs")
    try:
        wait_until(lambda: "/bad/never-answers" in server.log.paths(), "the request", 60.0, run)
        assert grid.sessions() == 1
    finally:
        run.kill_all()
    # Its driver ends it when it no longer waits for the page.
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_a_grid_that_is_not_there_is_named(workspace: Workspace, server: Server, late_table: str) -> None:
    write(workspace, server.url(late_table))
    workspace.settings |= {"scoopi.webDriver.url": "http://127.0.0.1:1", "scoopi.retry.attempts": 2}
    ended = workspace.process("run", "defs")
    assert ended.code == 1, ended.err
    assert "no browser can be started by the grid: [Errno 111] Connection refused" in ended.err
    assert "scoopi.webDriver.url" in ended.err
    run = json.loads(workspace.process("politeness", "--json").out)
    assert [host for host in run["hosts"] if host["errors"]] == [], "it is not the fault of the page's host"


def test_a_hung_browser_is_not_waited_for_and_ends_when_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    with HungGrid() as hung:
        address = session_address(hung.url, "1f")
        assert not has_ended_soon(address)
        assert hung.asked == ["/session/1f"]
        hung.released.set()
        wait_until(lambda: hung.ended == ["/session/1f"], "the end of the session", ENDS_S)
        monkeypatch.setattr(remote_sessions, "SOON_S", ENDS_S)
        assert has_ended_soon(address)


def test_sessions_are_ended_all_at_once(tmp_path: Path) -> None:
    with HungGrid() as hung:
        for name in ("a", "b", "c"):
            (tmp_path / name).mkdir()
            (tmp_path / name / SESSION).write_text(session_address(hung.url, name))
        ending = Thread(target=end_sessions, args=(tmp_path,))
        ending.start()
        wait_until(lambda: len(hung.asked) == 3, "three requests", ENDS_S)
        hung.released.set()
        ending.join()
        assert sorted(hung.ended) == ["/session/a", "/session/b", "/session/c"]


def test_a_profile_that_is_removed_meanwhile_keeps_no_session_of_others_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Path.read_text

    def read_or_missing(path: Path) -> str:
        if path.parent.name == "a":
            raise FileNotFoundError(path)
        return read(path)

    with HungGrid() as hung:
        hung.released.set()
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / SESSION).write_text(session_address(hung.url, name))
        monkeypatch.setattr(Path, "read_text", read_or_missing)
        end_sessions(tmp_path)
        assert hung.ended == ["/session/b"]


def test_a_grid_that_stops_answering_costs_a_page_its_timeout_only(tmp_path: Path, server: Server) -> None:
    """A driver whose address is given as that of a grid freezes, so it does not close the connection."""
    service = Service(BrowserSettings().driver, log_output=str(tmp_path / "driver.log"))
    service.start()
    assert service.process is not None
    driver = service.process
    settings = BrowserSettings(browsers=1, url=service.service_url)
    with closing(PoolProcess(settings, tmp_path)) as pool:
        try:
            failed = interrupted(pool, server, 3.0, lambda: os.kill(driver.pid, signal.SIGSTOP))
        finally:
            kill_tree(driver.pid)
            driver.wait()
    assert isinstance(failed, VisitFailed)
    assert (failed.cause, failed.reason) == ("the browser hangs", NO_BROWSER)
