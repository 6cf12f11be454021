"""Fixtures of the tests with nodes in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.cluster.grids import SharedMember
from tests.cluster.hammers.forgotten_run import forget_run
from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.node_runner import NodeRunner
from tests.reliability.file_rounds import FileWorld
from tests.reliability.world import World, served_world
from tests.server.server import Server


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, server: Server) -> World:
    """A world of the size that the test file names; a file with another kind of world makes its own."""
    size = request.module.SHELVES, request.module.PACKETS
    return served_world(tmp_path, server.url(""), *size)


@pytest.fixture
def runner_of(cluster: ClusterClient, world: World, tmp_path: Path) -> Iterator[Callable[..., NodeRunner]]:
    """Makes runners of nodes of this test's run; nodes that still run at its end are stopped."""
    with ExitStack() as runners:

        def make(
            output: str = "out",
            client: ClusterClient = cluster,
            discard_lost: bool = False,
            defs: Path | None = None,
            **changes: str,
        ) -> NodeRunner:
            run = f"{tmp_path.name}-run"
            return runners.enter_context(
                NodeRunner(client, defs or world.defs, tmp_path / output, run, changes, discard_lost)
            )

        yield make


@pytest.fixture
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileWorld]:
    """A site of as many pages with files as the test file names."""
    files = FileWorld(tmp_path / "world", request.module.PAGES)
    with files.server:
        yield files


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HammerGrid]:
    """Members that a test file may stop."""
    with HammerGrid(tmp_path_factory.mktemp("grid")) as grid:
        yield grid


@pytest.fixture
def member(cluster: ClusterClient, tmp_path: Path) -> Iterator[SharedMember]:
    """The member of all tests; the run that has the name of the test's folder is forgotten at the end."""
    yield SharedMember(cluster.settings)
    forget_run(cluster.settings, tmp_path.name)
