"""What a cluster keeps of a run that is over, and for how long; on a real member."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.store.cluster.cluster_backend import ClusterBackend
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import ENDED, HOSTS, NODES, RUN, RUN_MAPS, StoreMap
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.runs.run_retention import RunRetention
from tests.cluster.grids import plain_client
from tests.cluster.holding import phase_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.world import World

SHELVES, PACKETS = 8, 2
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}

RunnerOf = Callable[..., NodeRunner]


def kept_records(cluster: ClusterClient, run: str) -> list[Any]:
    """The records of the map that ends first, as the grid sees them."""
    kept = cluster.map(f"scoopi.{run}.run")
    return [kept.get_entry_view(key).result() for key in sorted(kept.key_set().result())]


def kept_of(client: ClusterClient, run: str) -> list[str]:
    """The keys of all that the grid holds of a run."""
    return [key for name in RUN_MAPS for key in client.map(f"scoopi.{run}.{name}").key_set().result()]


def maps_of(client: ClusterClient, run: str) -> list[str]:
    """The names of the maps that the grid has for a run, be they empty or not."""
    with plain_client(client) as plain:
        names = [one.name for one in plain.get_distributed_objects()]
    return [name for name in names if name.startswith(f"scoopi.{run}.")]


def run_as(runner: NodeRunner, run: str) -> RunReport:
    """A node that is given the name of a run."""
    runner.run_name = run
    (report,) = runner.run("ann")
    return report


def test_what_a_finished_run_keeps_ends_after_the_retention_and_not_before(
    runner_of: RunnerOf, cluster: ClusterClient
) -> None:
    runner = runner_of(**{"scoopi.run.retention": "100"})
    runner.run("ann")
    left: dict[StoreMap, set[int]] = {}
    for name in (RUN, ENDED, NODES, HOSTS):
        kept = cluster.map(f"scoopi.{runner.run_name}.{name}")
        views = [kept.get_entry_view(key).result() for key in kept.key_set().result()]
        left[name] = {round(view.ttl / 1000) for view in views}
    assert left.pop(RUN) == {100}
    assert {each for lives in left.values() for each in lives} == {200}


@pytest.mark.parametrize("done", [0, 4], ids=["before it began with it", "before the last part of it"])
def test_if_the_last_node_dies_over_it_the_next_one_of_any_run_gives_the_records_an_end(
    cluster: ClusterClient, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    expire, parts = RunRetention.expire, iter(range(done))

    def dies(retention: RunRetention, store_map: StoreMap, seconds: int) -> None:
        if next(parts, None) is None:
            raise StoreError("the node dies here")
        expire(retention, store_map, seconds)

    def one_run(name: str) -> None:
        runner = NodeRunner(
            cluster, world.defs, tmp_path / "out", name, {"scoopi.run.retention": retention_s[name]}
        )
        with runner:
            runner.run("ann")

    left, others = f"left-{done}", [f"after-{done}-{number}" for number in range(2)]
    retention_s = {left: "100", others[0]: "60", others[1]: "60"}
    with monkeypatch.context() as dying:
        dying.setattr(RunRetention, "expire", dies)
        one_run(left)
    assert min(view.ttl for view in kept_records(cluster, left)) > 10**12
    one_run(others[0])
    ends = [view.expiration_time for view in kept_records(cluster, left)]
    assert {round(view.ttl / 1000) for view in kept_records(cluster, left)} == {100}
    one_run(others[1])
    assert [view.expiration_time for view in kept_records(cluster, left)] == ends, "it was done once"


def test_after_the_retention_nothing_is_left_of_a_run_and_the_next_one_is_new(
    cluster: ClusterClient, world: World, tmp_path: Path
) -> None:
    with NodeRunner(cluster, world.defs, tmp_path / "out", "", {}) as runner:
        (first,) = runner.run("ann")
        RunRetention(HazelcastStore(cluster, first.run), 1).begin()
        wait_until(lambda: not kept_of(cluster, first.run), "the end of all records", LIMIT_S)
        assert first.run not in runs_of(ClusterBackend(cluster, "test"), "test").kept()
        assert maps_of(cluster, first.run)
        (second,) = runner.run("ann")
        assert second.run != first.run
        assert not maps_of(cluster, first.run), "a later node has removed the maps: each costs memory"
        assert maps_of(cluster, second.run)
        assert (second.status, second.publish_note) == (RunStatus.DONE, "")
        assert sum(second.rows.values()) == world.rows.total()
        again = run_as(runner, first.run)
        assert (again.status, again.publish_note) == (RunStatus.DONE, "the run was already over")


def test_a_run_that_was_stopped_keeps_its_records(runner_of: RunnerOf, cluster: ClusterClient) -> None:
    runner = runner_of(**SLOW, **{"scoopi.run.retention": "60"})
    node = runner.start("ann", loader_fetch_delay="500")
    wait_until(lambda: phase_of(cluster, runner.run_name) is RunPhase.RUNNING, "the run", LIMIT_S)
    runner.cancel()
    assert node.result(LIMIT_S).status is RunStatus.STOPPED
    assert min(view.ttl for view in kept_records(cluster, runner.run_name)) > 10**12
