"""Members that are restarted one after another, and members that are all gone, seen from the nodes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.hammers.hammer_round import node_arguments, node_processes, read_nodes_rows
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 40, 2
PAGE_S = 0.8
LIMIT_S = 60.0
RECONNECT_MS = 3000


@dataclass(frozen=True)
class SlowSite:
    """A site that takes its time for a page, until `expedite` is set."""

    server: Server
    world: World
    expedite: threading.Event

    def await_requests(self, number: int) -> None:
        """Wait for `number` further requests."""
        asked = len(self.server.log.all())
        wait_until(lambda: len(self.server.log.all()) >= asked + number, "requests", LIMIT_S)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SlowSite]:
    expedite, folder = threading.Event(), tmp_path / "world"

    def page(path: str) -> bytes:
        expedite.wait(PAGE_S)
        return (folder / "pages" / path.lstrip("/")).read_bytes()

    with Server(page) as server:
        yield SlowSite(server, build_world(folder, SHELVES, PACKETS, server.url("")), expedite)
        expedite.set()


@contextmanager
def two_nodes(
    grid: HammerGrid, world: World, folder: Path, run: str, changes: Mapping[str, object] | None = None
) -> Iterator[list[ScoopiProcess]]:
    """Two nodes of one run, as processes, each with a folder of its own."""
    with node_processes(node_arguments(grid, world, run, changes), folder, 2) as nodes:
        yield nodes


def test_members_are_restarted_one_after_another_and_the_run_goes_on(
    grid: HammerGrid, site: SlowSite, tmp_path: Path
) -> None:
    with two_nodes(grid, site.world, tmp_path, "rolling") as nodes:
        for number in range(len(grid)):
            site.await_requests(3)
            grid.shut_down(number)
            grid.restart(number)
            assert [node.process.poll() for node in nodes] == [None, None]
        site.expedite.set()
        assert [node.wait(LIMIT_S) for node in nodes] == [0, 0]
    assert read_nodes_rows(tmp_path, "rolling") == site.world.rows


def test_nodes_wait_for_members_that_are_all_gone_and_then_give_up(
    grid: HammerGrid, site: SlowSite, tmp_path: Path
) -> None:
    changes = {"scoopi.cluster.reconnect.timeout": RECONNECT_MS}
    with two_nodes(grid, site.world, tmp_path, "alone", changes) as nodes:
        site.await_requests(3)
        for number in range(len(grid)):
            grid.kill(number)
        gone_at = time.monotonic()
        assert [node.wait(LIMIT_S) for node in nodes] == [5, 5]
        assert time.monotonic() - gone_at >= RECONNECT_MS / 1000
    for number in range(2):
        said = (tmp_path / f"node-{number}" / "stderr.txt").read_text(encoding="utf-8")
        assert "scoopi: 127.0.0.1:" in said
        assert "no member of the cluster" in said
        assert "start its members again, then this node" in said
        assert re.search(r"reachable for \d+ s: this node gave up", said.splitlines()[-1]), "the last line"
    assert read_nodes_rows(tmp_path, "alone").total() == 0
