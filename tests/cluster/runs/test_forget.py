"""What a cluster keeps of an unfinished run is removed by `scoopi forget`, and by itself after a while."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi.cli.exit_codes import code_of_error
from scoopi.errors import RunError
from scoopi.model.report.run_report import RunStatus
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.store.cluster.cluster_backend import ClusterBackend
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import ENDED, JOBS, NODES, RUN
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_keep_alive import PREFIX
from scoopi.store.runs.run_record import RunPhase, RunRecord
from tests.cluster.holding import phase_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.cluster.runs.test_cluster_retention import SLOW, maps_of
from tests.engine.workspace import wait_until
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 8, 2

RunnerOf = Callable[..., NodeRunner]


def stopped(runner: NodeRunner, client: ClusterClient) -> None:
    """The run is begun, and its node is stopped long before its end."""
    node = runner.start("ann", loader_fetch_delay="500")
    wait_until(
        lambda: node.done() or phase_of(client, runner.run_name) is RunPhase.RUNNING, "the run", LIMIT_S
    )
    runner.cancel()
    assert node.result(LIMIT_S).status is RunStatus.STOPPED


def figures_of(runner: NodeRunner) -> Any:
    code, out, _ = runner.ask("status", runner.run_name, "--json")
    assert code == 0
    return json.loads(out)["runs"][0]


def end_keep_alive(client: ClusterClient, run: str) -> None:
    """As the members do when its time is over."""
    ClusterBackend(client, "test").store().delete_all(RUN, [PREFIX + run])


def start_another(client: ClusterClient, world: World, tmp_path: Path) -> None:
    with NodeRunner(client, world.defs, tmp_path / "other", f"{tmp_path.name}-other", {}) as runner:
        runner.run("bob")


def test_a_stopped_run_is_forgotten_without_a_question_and_nothing_of_it_stays(
    runner_of: RunnerOf, cluster: ClusterClient
) -> None:
    runner = runner_of(**SLOW)
    stopped(runner, cluster)
    assert maps_of(cluster, runner.run_name)
    code, out, err = runner.ask("forget", runner.run_name)
    assert (code, out, err) == (0, "", f"run {runner.run_name}: removed from the cluster\n")
    assert not maps_of(cluster, runner.run_name)
    assert PREFIX + runner.run_name not in ClusterBackend(cluster, "test").store().get_all(
        RUN, [PREFIX + runner.run_name]
    )
    code, _, err = runner.ask("status", runner.run_name)
    assert (code, "knows no run" in err) == (5, True)
    code, _, err = runner.ask("forget", runner.run_name)
    assert (code, "knows no run" in err) == (5, True)


@pytest.mark.parametrize("phase", ["ENDING", "OVER"])
def test_a_run_at_its_end_is_forgotten_too(runner_of: RunnerOf, cluster: ClusterClient, phase: str) -> None:
    runner = runner_of(**SLOW)
    stopped(runner, cluster)
    record = RunRecord(ClusterBackend(cluster, "test").store(runner.run_name), "test")
    record.to_ending()
    if phase == "OVER":
        record.to_over()
    assert figures_of(runner)["phase"] == phase
    assert runner.ask("forget", runner.run_name)[0] == 0
    assert not maps_of(cluster, runner.run_name)


def test_a_run_that_never_began_is_forgotten(runner_of: RunnerOf, cluster: ClusterClient) -> None:
    runner = runner_of()
    runs_of(ClusterBackend(cluster, "test"), "test").enter(runner.run_name)
    Membership(ClusterBackend(cluster, "test").store(runner.run_name), "test", "ann").beat(NodeLoad(0, True))
    assert figures_of(runner)["phase"] == "ABANDONED"
    assert runner.ask("forget", runner.run_name)[0] == 0
    assert not maps_of(cluster, runner.run_name)


def test_while_a_node_works_on_a_run_it_is_forgotten_with_yes_only_and_the_node_ends(
    runner_of: RunnerOf, cluster: ClusterClient, world: World, server: Server
) -> None:
    runner = runner_of(**SLOW)
    node = runner.start("ann", loader_fetch_delay="500")
    wait_until(lambda: len(server.log.all()) >= 2, "the second request", LIMIT_S)
    code, _, err = runner.ask("forget", runner.run_name)
    assert code == 2
    assert "nodes still work on the run" in err
    assert "(ann)" in err
    assert "--yes" in err
    assert maps_of(cluster, runner.run_name)
    assert runner.ask("forget", runner.run_name, "--yes")[0] == 0
    error = node.exception(LIMIT_S)
    assert error is not None
    assert code_of_error(error) == 5


def test_a_name_that_is_a_path_is_wrong_usage(runner_of: RunnerOf) -> None:
    code, _, err = runner_of().ask("forget", "../../x")
    assert code == 2
    assert "invalid run name" in err


def test_without_a_name_a_forgotten_run_is_not_begun_again(
    cluster: ClusterClient, world: World, tmp_path: Path
) -> None:
    with NodeRunner(cluster, world.defs, tmp_path / "out", "", SLOW) as runner:
        node = runner.start("ann")
        wait_until(lambda: any((tmp_path / "out").glob("*")), "the folder", LIMIT_S)
        (folder,) = (tmp_path / "out").glob("*")
        wait_until(lambda: phase_of(cluster, folder.name) is RunPhase.RUNNING, "the run", LIMIT_S)
        runner.cancel()
        node.result(LIMIT_S)
        assert runner.ask("forget", folder.name)[0] == 0
    with NodeRunner(cluster, world.defs, tmp_path / "elsewhere", "", {}) as runner:
        (report,) = runner.run("bob")
    assert report.run != folder.name


def test_status_shows_how_long_an_unfinished_run_is_kept(runner_of: RunnerOf, cluster: ClusterClient) -> None:
    runner = runner_of(**SLOW, **{"scoopi.run.unfinishedRetention": "7200"})
    stopped(runner, cluster)
    kept = cluster.map("scoopi.run").get_entry_view(PREFIX + runner.run_name).result()
    assert round(kept.ttl / 1000) == 7200
    assert figures_of(runner)["kept_s"] == 7200
    assert "it is removed 2 hours after its last heartbeat" in runner.ask("status", runner.run_name)[1]
    end_keep_alive(cluster, runner.run_name)
    assert "its retention period is over" in runner.ask("status", runner.run_name)[1]


def test_an_unfinished_run_whose_time_is_over_is_removed_by_the_next_start_and_its_node_says_so(
    runner_of: RunnerOf, cluster: ClusterClient, world: World, tmp_path: Path
) -> None:
    runner = runner_of(**SLOW)
    stopped(runner, cluster)
    start_another(cluster, world, tmp_path)
    assert maps_of(cluster, runner.run_name), "its time is not over"
    end_keep_alive(cluster, runner.run_name)
    start_another(cluster, world, tmp_path)
    assert not maps_of(cluster, runner.run_name)
    error = runner.start("ann").exception(LIMIT_S)
    assert error is not None
    assert code_of_error(error) == 5
    assert "--discard-lost" in str(error)


def test_a_run_whose_nodes_have_heartbeats_is_kept_even_when_its_keep_alive_is_lost(
    runner_of: RunnerOf,
    cluster: ClusterClient,
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asking, may_end, checks = threading.Event(), threading.Event(), list[CompletionCheck]()
    is_over = CompletionCheck.is_over

    def held(check: CompletionCheck) -> bool:
        """The first node to ask, which is ann, has a run that does not end."""
        checks.append(check)
        asking.set()
        return (check is not checks[0] or may_end.is_set()) and is_over(check)

    monkeypatch.setattr(CompletionCheck, "is_over", held)
    runner = runner_of()
    node = runner.start("ann")
    assert asking.wait(LIMIT_S)
    end_keep_alive(cluster, runner.run_name)
    start_another(cluster, world, tmp_path)
    may_end.set()
    assert node.result(LIMIT_S).status is RunStatus.DONE
    assert runner.rows() == world.rows


def test_a_node_at_work_renews_the_time_of_its_run(
    runner_of: RunnerOf, cluster: ClusterClient, server: Server
) -> None:
    runner = runner_of(**{**SLOW, "scoopi.cluster.liveness.gap": "1000", "scoopi.loader.fetch.delay": "300"})
    node = runner.start("ann")
    wait_until(server.log.pages, "the first page's request", LIMIT_S)
    end_keep_alive(cluster, runner.run_name)
    wait_until(
        lambda: runs_of(ClusterBackend(cluster, "test"), "test").keep_alive.seconds(runner.run_name) > 0,
        "the renewal",
        LIMIT_S,
    )
    runner.cancel()
    node.result(LIMIT_S)


def test_a_node_that_enters_while_its_run_is_being_removed_keeps_it(cluster: ClusterClient) -> None:
    name = "entered-meanwhile"
    registry = runs_of(ClusterBackend(cluster, "test"), "test")
    maps, _ = registry.enter(name)
    end_keep_alive(cluster, name)

    def enters(_: str) -> bool:
        registry.keep_alive.renew(maps, 3600)  # the first thing that an entering node does
        return False

    registry.is_alive = enters
    registry.sweep(lambda run, maps: None)
    assert registry.maps(name) == maps
    registry.forget(name)
    assert registry.maps(name) is None


def test_a_node_that_wakes_up_does_not_create_the_maps_of_a_removed_run_again(
    cluster: ClusterClient,
) -> None:
    name, now = "slept-over", [0.0]
    registry = runs_of(ClusterBackend(cluster, "test"), "test")
    maps, _ = registry.enter(name)
    store = HazelcastStore(cluster, maps, is_gone=lambda: registry.is_gone(name, maps), clock=lambda: now[0])
    store.put_if_absent_all(JOBS, [("k", b'{"state_key":"R/a"}')])
    now[0] = 60.0
    assert store.count(JOBS) == 1, "it was away, and its run is there"
    registry.forget(name)
    now[0] = 120.0
    for call in (
        lambda: store.count(JOBS),
        lambda: store.get_all(RUN, ["run"]),
        lambda: store.put_if_absent_all(NODES, [("k", b"{}")]),
        lambda: store.delete_all(ENDED, ["k"]),
    ):
        with pytest.raises(RunError, match=r"the run.s data is lost"):
            call()
    assert not maps_of(cluster, name)
