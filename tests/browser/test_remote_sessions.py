"""Browsers of a real Selenium Grid load pages, and are given back whatever happens to the node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bootstrap.pages.test_driver_plugins import DEFS, TABLE
from tests.browser.selenium_grid import SeleniumGrid
from tests.browser.test_browser_loader import SETTINGS, write
from tests.engine.desk import Desk, wait_until
from tests.server.server import Server

ENDS_S = 30.0


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeleniumGrid]:
    with SeleniumGrid(tmp_path_factory.mktemp("grid")) as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "desk" / "defs").mkdir(parents=True)
    made = Desk(tmp_path / "desk")
    made.settings = dict(SETTINGS)
    return made


def test_pages_are_loaded_by_the_browsers_of_a_grid(
    desk: Desk, grid: SeleniumGrid, server: Server, late_table: str
) -> None:
    write(desk, server.url(late_table), server.url("/gone.html"))
    desk.settings["scoopi.webDriver.url"] = grid.url
    ended = desk.process("run", "defs")
    assert ended.code == 1, ended.err
    assert [*desk.rows()] == ["p0|bread|Rye|4.20"]
    assert "status 404" in ended.err
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_script_plugins_drive_the_browsers_of_a_grid(
    desk: Desk, grid: SeleniumGrid, server: Server, late_table: str
) -> None:
    """They attach themselves to the session of the grid, from a process of their own."""
    (desk.folder / "defs" / "bread.yml").write_text(
        DEFS.format(url=server.url(late_table), body=f'driver.executeScript("{TABLE}");')
    )
    desk.settings["scoopi.webDriver.url"] = grid.url
    ended = desk.process("run", "defs")
    assert ended.code == 0, ended.err
    assert (desk.run_folder() / "data.txt").read_text() == "p|bread|Rye|4.20\n"
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_a_killed_run_leaves_no_browser_in_the_grid(desk: Desk, grid: SeleniumGrid, server: Server) -> None:
    write(desk, server.url("/bad/never-answers"))
    desk.settings |= {"scoopi.webDriver.url": grid.url, "scoopi.webClient.timeout": 5000}
    run = desk.start("run", "defs")
    try:
        wait_until(lambda: "/bad/never-answers" in server.log.paths(), "the request", 60.0, run)
        assert grid.sessions() == 1
    finally:
        run.kill_all()
    # Its driver ends it when it no longer waits for the page.
    wait_until(lambda: grid.sessions() == 0, "the end of the session", ENDS_S)


def test_a_grid_that_is_not_there_is_named(desk: Desk, server: Server, late_table: str) -> None:
    write(desk, server.url(late_table))
    desk.settings |= {"scoopi.webDriver.url": "http://127.0.0.1:1", "scoopi.retry.attempts": 1}
    ended = desk.process("run", "defs")
    assert ended.code == 1, ended.err
    assert "no browser can be started by the grid" in ended.err
    assert "scoopi.webDriver.url" in ended.err
