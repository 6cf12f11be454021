"""What nodes do about a run of which the grid has lost all or a part; on a real member."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import RunError
from scoopi.model.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import MapName
from scoopi.store.run_registry import PREFIX
from tests.cluster.crew import LIMIT_S, Crew
from tests.engine.desk import wait_until
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 6, 2
SHARED = {"scoopi.output.durability": "shared"}

CrewOf = Callable[..., Crew]


@pytest.fixture
def world(tmp_path: Path, server: Server) -> World:
    world = build_world(tmp_path / "world", SHELVES, PACKETS, server.url(""))
    for page in (tmp_path / "world" / "pages").iterdir():
        page.rename(tmp_path / "pages" / page.name)
    return world


def stopped(crew: Crew, node: str) -> None:
    """The node works until it has ended jobs, then it is stopped, and has published them."""
    report = crew.start(node, loader_fetch_delay="100", loader_fetch_parallelism="1")
    segments = f".scoopi/{node}/segments/*.seg"
    wait_until(
        lambda: any(file.stat().st_size > 1000 for file in crew.folder.glob(segments)), "rows", LIMIT_S
    )
    crew.cancel()
    assert report.result(LIMIT_S).status is RunStatus.STOPPED
    assert crew.rows(f"data-{node}.txt")


def lose_all(cluster: ClusterClient, crew: Crew) -> None:
    HazelcastStore(cluster, crew.run_name).destroy()
    HazelcastStore(cluster).delete_all(MapName.RUN, [PREFIX + crew.run_name])


def test_begun_anew_a_folder_that_nodes_share_holds_no_rows_of_the_former_life(
    crew_of: CrewOf, cluster: ClusterClient, world: World
) -> None:
    crew = crew_of(**SHARED)
    for node in ("ann", "bob"):
        stopped(crew, node)
    lose_all(cluster, crew)
    with pytest.raises(RunError, match=r"rows here \(of ann, bob\) belong to.* --anew puts them aside"):
        crew.start("cid").result(LIMIT_S)
    assert crew.rows("data-bob.txt")
    crew_of(anew=True, **SHARED).run("ann")
    assert crew.rows() == world.rows
    for node in ("ann", "bob"):
        assert crew.rows(f".scoopi/lost-*/files/data-{node}.txt")
    (back,) = crew.run("bob")
    assert back.publish_note == "the run was already over"
    assert crew.rows() == world.rows


def test_nodes_that_begin_anew_together_put_aside_each_its_own(
    crew_of: CrewOf, cluster: ClusterClient, world: World
) -> None:
    crew = crew_of(**SHARED)
    for node in ("ann", "bob"):
        stopped(crew, node)
    lose_all(cluster, crew)
    crew_of(anew=True, **SHARED).run("ann", "bob")
    assert crew.rows() == world.rows
