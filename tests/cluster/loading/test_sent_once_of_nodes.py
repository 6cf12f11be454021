"""A POST whose node was killed while it waited for the answer is not sent again by another node (rule 16)."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import TEXT_DEFS, wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.answer import Answer
from tests.server.server import Server

ORDER = '      - {{ name: o, url: "{url}", method: POST, form: {{ a: b }} }}'


class OrderSite:
    """Answers no order before it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.orders = 0

    def __call__(self, path: str) -> bytes | Answer | None:
        if path != "/order":
            return None
        self.orders += 1
        self.go.wait(LIMIT_S)
        return b"<p>bread"


@pytest.fixture
def site() -> OrderSite:
    return OrderSite()


@pytest.fixture
def server(site: OrderSite) -> Iterator[Server]:
    with Server(site) as server:
        yield server
        site.go.set()


@pytest.fixture
def world(tmp_path: Path, server: Server) -> World:
    (tmp_path / "defs").mkdir()
    locators = ORDER.format(url=server.url("/order"))
    (tmp_path / "defs" / "defs.yml").write_text(TEXT_DEFS.format(locators=locators))
    return World(tmp_path / "defs", Counter(), 1)


def test_another_node_fails_it_without_a_request(
    runner_of: Callable[..., NodeRunner], site: OrderSite, tmp_path: Path
) -> None:
    runner = runner_of()
    (tmp_path / "ann").mkdir()
    ann = ScoopiProcess(runner.arguments("ann"), tmp_path / "ann")
    try:
        wait_until(lambda: site.orders, "the order", LIMIT_S, ann)
        ann.signal(signal.SIGKILL)
        assert ann.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        ann.kill_all()
    site.go.set()
    (report,) = runner.run("bob")
    assert (site.orders, report.jobs.failed, report.jobs.done) == (1, 1, 0)
    assert "the server may have received the request" in report.errors[0].example.message
