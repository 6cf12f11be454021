"""The node's side of the pool: nothing of it is left, whichever process ends first."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from contextlib import closing
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

import pytest

from scoopi.browser import pool_process
from scoopi.browser.pool_messages import BrowserReserved, Rendered, Reply, Visit, receive_reply, send
from scoopi.browser.pool_process import PoolProcess
from scoopi.browser.remote_sessions import SESSION, session_address
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import ConfigError
from scoopi.model.scrape.browser_def import BrowserDef
from tests.browser.grid.hung_grid import HungGrid
from tests.browser.processes import connected, programs_below
from tests.engine.workspace import wait_until
from tests.reliability.process import children_of, orphans
from tests.server.server import Server

LONG_S = 60.0
"""The longest that anything takes here on a busy machine."""


def serves(pool: PoolProcess) -> bool:
    """Whether the pool reserves a browser; its socket, or that of a pool before it, exists earlier."""
    try:
        with Client(pool.socket, "AF_UNIX") as connection:
            return receive_reply(connection) == BrowserReserved()
    except (EOFError, OSError):
        return False


def visit(pool: PoolProcess, url: str) -> Reply:
    wait_until(lambda: serves(pool), "the pool's socket", LONG_S)
    with Client(pool.socket, "AF_UNIX") as connection:
        receive_reply(connection)
        send(connection, Visit(url, {}, LONG_S, BrowserDef()))
        return receive_reply(connection)


def test_nothing_is_left_of_a_pool_that_is_closed(
    server: Server, late_table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_process, "END_S", LONG_S)
    pool = PoolProcess(BrowserSettings(browsers=1), tmp_path)
    assert isinstance(visit(pool, server.url(late_table)), Rendered)
    left = [*programs_below(pool.pid, "")]
    assert len(left) > 3
    pool.close()
    assert not orphans(left, within_s=0.0)
    assert not os.path.exists(os.path.dirname(pool.socket))
    pool.close()  # a second time does nothing


@pytest.mark.parametrize("is_above", [True, False])
def test_a_pool_that_is_killed_leaves_nothing_and_is_started_again(
    server: Server, late_table: str, tmp_path: Path, is_above: bool
) -> None:
    with closing(PoolProcess(BrowserSettings(browsers=1), tmp_path)) as pool:
        assert isinstance(visit(pool, server.url(late_table)), Rendered)
        first, left = pool.pid, [*programs_below(pool.pid, "")]
        (below,) = children_of(first)
        os.kill(first if is_above else below, signal.SIGKILL)
        assert not orphans([first, *left], within_s=LONG_S)
        wait_until(lambda: pool.pid != first, "the start of another process", LONG_S)
        assert isinstance(visit(pool, server.url(late_table)), Rendered)
        assert [path.name for path in Path(pool.socket).parent.iterdir() if path.is_dir()] == ["2"]
    assert not os.path.exists(os.path.dirname(pool.socket))


def test_the_socket_has_a_name_that_is_short_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with closing(PoolProcess(BrowserSettings(browsers=1), tmp_path)) as pool:
        connected(pool.socket).close()


def test_a_hung_browser_of_a_grid_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_process, "END_S", 0.5)
    with HungGrid() as hung:
        pool = PoolProcess(BrowserSettings(browsers=1, url=hung.url), tmp_path)
        connected(pool.socket).close()
        profile = Path(pool.socket).parent / "1" / "another"  # the pool makes a profile1 for this loader
        profile.mkdir()
        (profile / SESSION).write_text(session_address(hung.url, "1f"))
        pool.close()
        wait_until(lambda: hung.asked == ["/session/1f"], "the request", LONG_S)
        assert not hung.ended
        os.kill(pool.pid, 0)  # it still waits
        hung.released.set()
        wait_until(lambda: not profile.parent.parent.exists(), "the end of its folder", LONG_S)
    assert not orphans([pool.pid], within_s=LONG_S)


@pytest.mark.parametrize("url", ["grid.example:4444", "nonsense", "http://", "ftp://grid.example/"])
def test_an_address_of_a_grid_that_is_none_is_refused_at_once(tmp_path: Path, url: str) -> None:
    with pytest.raises(
        ConfigError, match=r"scoopi\.webDriver\.url is not the address of a grid; write it as"
    ):
        PoolProcess(BrowserSettings(url=url), tmp_path)


def test_a_pool_that_cannot_be_started_again_at_first_is_started_later(
    server: Server, late_table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PoolProcess(BrowserSettings(browsers=1), tmp_path)) as pool:
        first, popen, tries = pool.pid, subprocess.Popen, iter(range(2))

        def short_of_memory(*given: Any, **named: Any) -> Any:
            if next(tries, None) is not None:
                raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
            return popen(*given, **named)

        monkeypatch.setattr(subprocess, "Popen", short_of_memory)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: pool.pid != first, "the start of another process", LONG_S)
        monkeypatch.undo()
        assert isinstance(visit(pool, server.url(late_table)), Rendered)
