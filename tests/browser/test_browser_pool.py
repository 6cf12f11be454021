"""The pool as its loaders see it, over its socket."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Client
from pathlib import Path

import pytest

from scoopi.browser.pool_messages import (
    BrowserReserved,
    Rendered,
    Reply,
    Visit,
    VisitFailed,
    receive_reply,
    send,
)
from scoopi.browser.pool_process import PoolProcess
from scoopi.configs.groups import BrowserSettings
from scoopi.model.definitions import BrowserDef
from tests.browser.processes import programs_below
from tests.engine.desk import wait_until
from tests.server.server import Server


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoolProcess]:
    """A pool of one browser, which is replaced after three pages."""
    with closing(PoolProcess(BrowserSettings(browsers=1, pages=3), tmp_path_factory.mktemp("shots"))) as made:
        wait_until(lambda: os.path.exists(made.socket), "the pool's socket")
        yield made


def visit(pool: PoolProcess, url: str, timeout_s: float = 30.0) -> Reply:
    with Client(pool.socket, "AF_UNIX") as connection:
        assert receive_reply(connection) == BrowserReserved()
        send(connection, Visit(url, {}, timeout_s, BrowserDef()))
        return receive_reply(connection)


def test_a_browser_is_lent_to_one_loader_at_a_time(pool: PoolProcess) -> None:
    with Client(pool.socket, "AF_UNIX") as first, Client(pool.socket, "AF_UNIX") as second:
        assert receive_reply(first) == BrowserReserved()
        assert not second.poll(0.3)
        first.close()
        assert receive_reply(second) == BrowserReserved()


def test_a_browser_is_replaced_after_its_pages(pool: PoolProcess, server: Server, late_table: str) -> None:
    drivers = set()
    for _ in range(4):
        assert isinstance(visit(pool, server.url(late_table)), Rendered)
        drivers |= {*programs_below(pool.pid, "chromedriver")}
    assert len(drivers) == 2


def test_a_browser_that_dies_fails_its_page_and_is_replaced(
    pool: PoolProcess, server: Server, late_table: str
) -> None:
    with Client(pool.socket, "AF_UNIX") as connection:
        receive_reply(connection)
        send(connection, Visit(server.url("/bad/never-answers"), {}, 30.0, BrowserDef()))
        wait_until(lambda: "/bad/never-answers" in server.log.paths(), "the request")
        for pid in programs_below(pool.pid, "chromium"):
            os.kill(pid, signal.SIGKILL)
        failed = receive_reply(connection)
    assert isinstance(failed, VisitFailed)
    assert (failed.cause, failed.reason) == ("the browser has ended", "reset")
    assert isinstance(visit(pool, server.url(late_table)), Rendered)


def test_a_browser_that_hangs_is_killed(pool: PoolProcess, server: Server, late_table: str) -> None:
    with Client(pool.socket, "AF_UNIX") as connection:
        receive_reply(connection)
        send(connection, Visit(server.url("/bad/never-answers"), {}, 8.0, BrowserDef()))
        wait_until(lambda: "/bad/never-answers" in server.log.paths(), "the request")
        for pid in programs_below(pool.pid, "chromedriver"):
            os.kill(pid, signal.SIGSTOP)
        failed = receive_reply(connection)
    assert isinstance(failed, VisitFailed)
    assert (failed.cause, failed.reason) == ("the browser hangs", "timeout")


def test_without_a_browser_the_page_fails_with_a_hint(tmp_path: Path) -> None:
    settings = BrowserSettings(driver="/nowhere/chromedriver")
    with closing(PoolProcess(settings, tmp_path)) as pool:
        wait_until(lambda: os.path.exists(pool.socket), "the pool's socket")
        with Client(pool.socket, "AF_UNIX") as connection:
            failed = receive_reply(connection)
    assert isinstance(failed, VisitFailed)
    assert failed.what.startswith("no browser can be started")
    assert "scoopi.webDriver.browserPath" in failed.hint
    assert not failed.reason
