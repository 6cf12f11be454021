"""What nodes do about a run of which the grid has lost all or a part; on a real member."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.errors import RunError
from scoopi.model.report.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import ENDED, HOSTS, JOBS, RUN, StoreMap
from scoopi.store.runs.known_run import PREFIX
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 6, 2
SHARED = {"scoopi.output.durability": "shared"}
RUN_KEY = "run"

RunnerOf = Callable[..., NodeRunner]


def stopped(runner: NodeRunner, node: str) -> None:
    """The node works until it has ended jobs, then it is stopped, long before its last one."""
    report = runner.start(node, loader_fetch_delay="500", loader_fetch_parallelism="1")
    segments = f".scoopi/{node}/segments/*.seg"
    wait_until(
        lambda: any(file.stat().st_size > 1000 for file in runner.folder.glob(segments)), "rows", LIMIT_S
    )
    runner.cancel()
    assert report.result(LIMIT_S).status is RunStatus.STOPPED
    assert runner.rows(f"data-{node}.txt")


def keys(cluster: ClusterClient, runner: NodeRunner, store_map: StoreMap) -> list[str]:
    return [str(key) for key in cluster.map(f"scoopi.{runner.run_name}.{store_map}").key_set().result()]


def lose(cluster: ClusterClient, runner: NodeRunner, store_map: StoreMap, *lost: str) -> None:
    HazelcastStore(cluster, runner.run_name).delete_all(store_map, lost)


def lose_all(cluster: ClusterClient, runner: NodeRunner) -> None:
    HazelcastStore(cluster, runner.run_name).destroy()
    HazelcastStore(cluster).delete_all(RUN, [PREFIX + runner.run_name])


def lose_all_of_two(cluster: ClusterClient, runner: NodeRunner) -> None:
    """After two nodes, ann and bob, were stopped one after the other."""
    for node in ("ann", "bob"):
        stopped(runner, node)
    lose_all(cluster, runner)


def lose_a_third(cluster: ClusterClient, runner: NodeRunner) -> None:
    """With the run record; what was composed stays."""
    lost = [key for key in keys(cluster, runner, RUN) if key.startswith("canary/")][::3]
    lose(cluster, runner, RUN, RUN_KEY, *lost)
    for name in (JOBS, ENDED, HOSTS):
        lose(cluster, runner, name, *keys(cluster, runner, name)[::3])


def test_a_run_whose_record_is_lost_with_a_third_of_its_jobs_is_reported_to_a_node_that_comes_then(
    runner_of: RunnerOf, cluster: ClusterClient
) -> None:
    runner = runner_of()
    stopped(runner, "ann")
    lose_a_third(cluster, runner)
    with pytest.raises(RunError, match=r"no longer holds all of the run .* --discard-lost moves them aside"):
        runner_of("elsewhere").start("bob").result(LIMIT_S)
    assert RUN_KEY not in keys(cluster, runner, RUN)


def test_a_run_of_which_a_part_is_lost_is_restarted_and_its_rows_are_put_aside(
    runner_of: RunnerOf, cluster: ClusterClient, world: World
) -> None:
    runner = runner_of()
    stopped(runner, "ann")
    published = runner.rows()
    lose(cluster, runner, RUN, next(k for k in keys(cluster, runner, RUN) if "canary/" in k))
    with pytest.raises(RunError, match=r"no longer holds all of the run .* --discard-lost moves them aside"):
        runner.start("ann").result(LIMIT_S)
    reports = runner_of(discard_lost=True).run("ann", "bob")
    assert {report.status for report in reports} == {RunStatus.DONE}
    assert runner.rows() == world.rows
    assert runner.rows(".scoopi/lost-*/files/data-ann.txt") == published


def test_a_run_that_its_registry_does_not_know_either_is_restarted(
    runner_of: RunnerOf, cluster: ClusterClient, world: World
) -> None:
    runner = runner_of()
    stopped(runner, "ann")
    lose_a_third(cluster, runner)
    HazelcastStore(cluster).delete_all(RUN, [PREFIX + runner.run_name])
    with pytest.raises(RunError, match=r"data is lost; .* --discard-lost moves them aside"):
        runner_of("elsewhere").start("bob").result(LIMIT_S)
    HazelcastStore(cluster).delete_all(RUN, [PREFIX + runner.run_name])
    runner_of(discard_lost=True).run("ann")
    assert runner.rows() == world.rows


def test_jobs_whose_records_are_lost_are_not_reported_as_ended_by_another_node(
    runner_of: RunnerOf, cluster: ClusterClient, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    runner = runner_of()
    report = runner.start("ann", loader_fetch_delay="50", loader_fetch_parallelism="1")
    wait_until(lambda: len(server.log.all()) >= 3, "pages", LIMIT_S)
    cluster.remove(f"scoopi.{runner.run_name}.{RUN}")  # first: members that end lose all at once
    lose_all(cluster, runner)
    with pytest.raises(RunError, match="data is lost"):
        report.result(LIMIT_S)
    assert "ended by another node" not in caplog.text


def test_a_node_that_composed_and_died_before_the_run_record_is_followed_by_another(
    runner_of: RunnerOf, cluster: ClusterClient, world: World
) -> None:
    runner = runner_of()
    runner.precompose(cluster)
    runner.run("ann", "bob")
    assert runner.rows() == world.rows


def test_restarted_a_folder_that_nodes_share_holds_no_rows_of_the_earlier_incarnation(
    runner_of: RunnerOf, cluster: ClusterClient, world: World
) -> None:
    runner = runner_of(**SHARED)
    lose_all_of_two(cluster, runner)
    with pytest.raises(
        RunError, match=r"rows here \(of ann, bob\) belong to.* --discard-lost moves them aside"
    ):
        runner.start("cid").result(LIMIT_S)
    assert runner.rows("data-bob.txt")
    runner_of(discard_lost=True, **SHARED).run("ann")
    assert runner.rows() == world.rows
    for node in ("ann", "bob"):
        assert runner.rows(f".scoopi/lost-*/files/data-{node}.txt")
    (back,) = runner.run("bob")
    assert back.publish_note == "the run was already over"
    assert runner.rows() == world.rows


def test_nodes_that_restart_together_put_aside_each_its_own(
    runner_of: RunnerOf, cluster: ClusterClient, world: World
) -> None:
    runner = runner_of(**SHARED)
    lose_all_of_two(cluster, runner)
    runner_of(discard_lost=True, **SHARED).run("ann", "bob")
    assert runner.rows() == world.rows
