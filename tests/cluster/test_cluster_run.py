"""A run over nodes: whatever is killed, its rows come out once, and a site sees the promised rate."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.hammers.hammer import POSTGRESQL, Hammer
from tests.cluster.hammers.hammer_database import HammerDatabase
from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.hammers.hammer_round import node_arguments, node_processes, read_nodes_rows
from tests.engine.politeness.pace import Pace
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.server import Server

DELAY_MS = 150
ONE = {"scoopi.loader.fetch.parallelism": 1}
LIMIT_S = 120.0
SHELVES, PACKETS = 10, 2
REQUESTS = 40


@pytest.fixture(scope="module")
def hammer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hammer]:
    with Hammer(tmp_path_factory.mktemp("hammer"), shelves=60, seed=1) as hammer:
        yield hammer


@contextmanager
def three_nodes(
    grid: HammerGrid | HammerDatabase, world: World, folder: Path, run: str
) -> Iterator[list[ScoopiProcess]]:
    """Nodes that ask their host for a page each 150 ms, all together."""
    arguments = node_arguments(grid, world, run, {"scoopi.loader.fetch.delay": DELAY_MS, **ONE})
    with node_processes(arguments, folder, 3) as nodes:
        yield nodes


@pytest.mark.parametrize(("number", "blow"), [(0, "node SIGKILL"), (1, "member")])
def test_a_run_that_is_hit_is_finished_with_each_row_once(hammer: Hammer, number: int, blow: str) -> None:
    assert hammer.strike(number, blow, REQUESTS).hit


@pytest.mark.parametrize(("number", "blow"), [(0, "node SIGKILL"), (1, "member")])
def test_so_is_a_run_whose_nodes_share_a_database(
    tmp_path_factory: pytest.TempPathFactory, number: int, blow: str
) -> None:
    with Hammer(tmp_path_factory.mktemp("hammer"), shelves=30, store=POSTGRESQL) as hammer:
        assert hammer.strike(number, blow, REQUESTS // 4).hit


def test_three_nodes_together_keep_the_delay(
    hammer: Hammer, world: World, server: Server, tmp_path: Path
) -> None:
    with Pace(server) as pace, three_nodes(hammer.grid, world, tmp_path, "polite") as nodes:
        assert [node.wait(LIMIT_S) for node in nodes] == [0, 0, 0]
    assert len(server.log.pages()) == world.jobs
    pace.assert_kept(DELAY_MS, parallelism=1)
    assert read_nodes_rows(tmp_path, "polite") == world.rows


def test_the_delay_is_kept_when_a_node_is_killed(
    hammer: Hammer, world: World, server: Server, tmp_path: Path
) -> None:
    with Pace(server) as pace, three_nodes(hammer.grid, world, tmp_path, "killed") as nodes:
        wait_until(lambda: len(server.log.all()) >= 5, "the fifth request", LIMIT_S)
        nodes[0].signal(signal.SIGKILL)
        assert [node.wait(LIMIT_S) for node in nodes] == [-signal.SIGKILL, 0, 0]
        again = ScoopiProcess(nodes[0].arguments, tmp_path / "node-0")
        nodes.append(again)
        assert again.wait(LIMIT_S) == 0
    assert len(server.log.all()) >= world.jobs
    pace.assert_kept(DELAY_MS, parallelism=1)
    assert read_nodes_rows(tmp_path, "killed") == world.rows
