"""The pool as its loaders see it, over its socket."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection, wait
from pathlib import Path

import pytest

from scoopi.browser import browser_pool
from scoopi.browser.browser_pool import BrowserPool
from scoopi.browser.pool_messages import (
    BrowserReserved,
    Rendered,
    Reply,
    Visit,
    VisitFailed,
    receive_reply,
    send,
)
from scoopi.browser.pool_process import SOCKET, PoolProcess
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import NO_BROWSER
from scoopi.model.scrape.browser_def import BrowserDef, Until
from tests.browser.processes import connected, interrupted, programs_below
from tests.server.answer import Answer
from tests.server.server import Server


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoolProcess]:
    """A pool of one browser, which is replaced after three pages."""
    with closing(PoolProcess(BrowserSettings(browsers=1, pages=3), tmp_path_factory.mktemp("shots"))) as made:
        yield made


def visit(
    pool: PoolProcess,
    url: str,
    timeout_s: float = 60.0,
    how: BrowserDef = BrowserDef(),  # noqa: B008 - frozen
) -> Reply:
    with connected(pool.socket) as connection:
        assert receive_reply(connection) == BrowserReserved()
        send(connection, Visit(url, {}, timeout_s, how))
        return receive_reply(connection)


def test_a_browser_is_lent_to_one_loader_at_a_time(pool: PoolProcess) -> None:
    with connected(pool.socket) as first, connected(pool.socket) as second:
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
    def kill_browser() -> None:
        for pid in programs_below(pool.pid, "chromium"):
            os.kill(pid, signal.SIGKILL)

    failed = interrupted(pool, server, 30.0, kill_browser)
    assert isinstance(failed, VisitFailed)
    assert (failed.cause, failed.reason) == ("the browser has ended", NO_BROWSER)
    assert isinstance(visit(pool, server.url(late_table)), Rendered)


@pytest.mark.parametrize(
    ("timeout_s", "cause"),
    [(8.0, "the browser hangs"), (3600.0, "the driver of the browser stopped answering")],
    ids=["in its time", "long before"],
)
def test_a_browser_whose_driver_freezes_is_killed(
    pool: PoolProcess, server: Server, late_table: str, timeout_s: float, cause: str
) -> None:
    """Also long before the timeout of its page ends, as its host waits until then."""

    def stop_driver() -> None:
        for pid in programs_below(pool.pid, "chromedriver"):
            os.kill(pid, signal.SIGSTOP)

    failed = interrupted(pool, server, timeout_s, stop_driver)
    assert isinstance(failed, VisitFailed)
    assert (failed.cause, failed.reason) == (cause, NO_BROWSER)
    assert isinstance(visit(pool, server.url(late_table)), Rendered)


def test_a_tab_stays_as_long_as_loaders_wait_and_its_browser_is_small(tmp_path: Path) -> None:
    """A context of Chromium keeps files in its cache, so the script is asked for by each new context."""
    shared = Answer(b"1", content_type="text/javascript", headers=(("Cache-Control", "max-age=600"),))
    page = b"<script src=/shared.js></script>"
    with (
        Server(lambda path: shared if path == "/shared.js" else Answer(page)) as server,
        closing(PoolProcess(BrowserSettings(browsers=1), tmp_path)) as pool,
    ):
        waiting = {connected(pool.socket) for _ in range(22)}
        while waiting:
            for connection in wait([*waiting]):
                assert isinstance(connection, Connection)
                assert receive_reply(connection) == BrowserReserved()
                send(connection, Visit(server.url(f"/{len(waiting)}"), {}, 60.0, BrowserDef()))
                assert isinstance(receive_reply(connection), Rendered)
                connection.close()
                waiting.discard(connection)
        assert server.log.paths().count("/shared.js") == 1


LEAK = """<p>leaks</p><script>const kept = []; setInterval(() => {
  for (let each = 0; each < 4; each++) kept.push(new Array(1e6).fill(kept.length + 0.5)); }, 20)</script>"""


def test_a_page_that_leaks_memory_fails_and_costs_no_other(
    server: Server, pages: Path, late_table: str, tmp_path: Path
) -> None:
    (pages / "leak.html").write_text(LEAK)
    settings = BrowserSettings(browsers=1, memory_mb=600)
    with closing(PoolProcess(settings, tmp_path)) as pool:
        failed = visit(
            pool, server.url("/leak.html"), how=BrowserDef(Until(selector="#x"), timeout_ms=60_000)
        )
        assert isinstance(failed, VisitFailed)
        assert failed.what.startswith("the page needs more than 600 MB of memory")
        assert not failed.reason, "another attempt would need it too"
        assert isinstance(visit(pool, server.url(late_table)), Rendered)


def test_without_a_browser_the_page_fails_with_a_hint(tmp_path: Path) -> None:
    settings = BrowserSettings(driver="/nowhere/chromedriver")
    with closing(PoolProcess(settings, tmp_path)) as pool, connected(pool.socket) as connection:
        failed = receive_reply(connection)
        (profiles,) = (each for each in Path(pool.socket).parent.iterdir() if each.is_dir())
        assert not [*profiles.iterdir()], "nothing is left of a browser that did not start"
    assert isinstance(failed, VisitFailed)
    assert failed.what == "no browser can be started: there is no program /nowhere/chromedriver"
    assert "scoopi.webDriver.driverPath" in failed.hint
    assert not failed.reason


@pytest.mark.parametrize("fails_at_start", [True, False])
def test_an_error_that_nobody_expects_fails_its_page_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails_at_start: bool
) -> None:
    killed = threading.Event()

    class Odd:
        def __init__(self, settings: BrowserSettings, profile: Path, *others: object) -> None:
            if fails_at_start:
                raise KeyError("goog:chromeOptions")
            self.profile, self.pages, self.has_ended = profile, 0, True

        def load(self, *given: object) -> object:
            raise KeyError("goog:chromeOptions")

        def kill(self) -> None:
            killed.set()

    monkeypatch.setattr(browser_pool, "Browser", Odd)
    pool = BrowserPool(BrowserSettings(browsers=1), tmp_path, tmp_path, tmp_path / "shots")
    threading.Thread(target=pool.serve, daemon=True).start()
    with connected(str(tmp_path / SOCKET)) as connection:
        reply = receive_reply(connection)
        if not fails_at_start:
            assert reply == BrowserReserved()
            send(connection, Visit("http://a.example/", {}, 60.0, BrowserDef()))
            reply = receive_reply(connection)
            assert killed.wait(60)
    assert isinstance(reply, VisitFailed)
    assert "KeyError: 'goog:chromeOptions'" in reply.what
    assert "please report it" in reply.hint
    assert "Traceback" in caplog.text
