"""A POST that may have been sent before a crash is not sent again, unless it is idempotent."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from tests.engine.workspace import TEXT_DEFS, Workspace, wait_until
from tests.reliability.process import ScoopiProcess, kill
from tests.server.answer import Answer
from tests.server.server import Server

LOCATOR = '      - {{ name: o, url: "{url}", method: POST, form: {{ a: b }}{more} }}'


class SlowSite:
    """Answers the first order when it is let go, all others at once."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.orders = 0

    def __call__(self, path: str) -> bytes | Answer | None:
        if path == "/robots.txt":
            return None
        self.orders += 1
        if self.orders == 1:
            self.go.wait(60)
        return b"<p>bread"


@pytest.fixture
def site() -> Iterator[tuple[SlowSite, Server]]:
    pages = SlowSite()
    with Server(pages) as server:
        yield pages, server
        pages.go.set()


@pytest.fixture(autouse=True)
def settings(workspace: Workspace) -> None:
    workspace.settings |= {"scoopi.loader.fetch.delay": 0, "scoopi.retry.delay": 20}


def started(workspace: Workspace, site: tuple[SlowSite, Server], more: str = "") -> ScoopiProcess:
    """A run that has sent the order and waits for its answer."""
    pages, server = site
    locator = LOCATOR.format(url=server.url("/order"), more=more)
    (workspace.folder / "defs.yml").write_text(TEXT_DEFS.format(locators=locator))
    running = workspace.start("run", "defs.yml", "--workers", 1)
    wait_until(lambda: pages.orders, "the order", 60, running)
    return running


@pytest.mark.parametrize("may_repeat", [False, True])
def test_after_a_kill_and_a_resume(
    workspace: Workspace, site: tuple[SlowSite, Server], may_repeat: bool
) -> None:
    running = started(workspace, site, ", idempotent: true" if may_repeat else "")
    running.signal(signal.SIGKILL)
    running.wait(60)
    site[0].go.set()
    ended = workspace.process("resume", "--workers", 1)
    assert site[0].orders == 1 + may_repeat
    assert ended.code == int(not may_repeat), ended.err
    if may_repeat:
        assert workspace.rows().total() == 1
    else:
        assert "the server may have received the request" in ended.err


def test_after_the_death_of_a_worker(workspace: Workspace, site: tuple[SlowSite, Server]) -> None:
    running = started(workspace, site)
    for worker in running.workers():
        kill(worker)
    site[0].go.set()
    assert running.wait(60) == 1
    assert site[0].orders == 1
    (error,) = workspace.run_json()["errors"]
    assert "the worker that loaded the page died" in error["cause"]


def test_a_stop_between_an_order_and_the_page_that_it_leads_to(workspace: Workspace) -> None:
    """The answer of the order is a redirect, whose target has to wait for the delay of its host."""
    orders = []

    def answer(path: str) -> bytes | Answer | None:
        if path == "/order":
            orders.append(path)
            return Answer(status=303, headers=(("Location", "/thanks"),))
        return b"<p>bread" if path == "/thanks" else None

    workspace.settings |= {"scoopi.loader.fetch.delay": 2000}
    with Server(answer) as server:
        (workspace.folder / "defs.yml").write_text(
            TEXT_DEFS.format(locators=LOCATOR.format(url=server.url("/order"), more=""))
        )
        running = workspace.start("run", "defs.yml", "--workers", 1)
        wait_until(lambda: orders, "the order", 60, running)
        running.signal(signal.SIGTERM)
        assert running.wait(60) == 1, "its job has failed, and none is left"
        (error,) = workspace.run_json()["errors"]
        assert "the run was stopped before the redirect of its request was followed" in error["cause"]
        assert workspace.process("resume", "--workers", 1).code == 0
        assert len(orders) == 1, "a resume would have sent it again"
        ended = workspace.process("retry", "--workers", 1)
        assert ended.code == 0, ended.err
        assert (len(orders), workspace.rows().total()) == (2, 1)
