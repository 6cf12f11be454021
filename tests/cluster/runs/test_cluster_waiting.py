"""A node that waits, for members, for other nodes or for what they do, hears that it is to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from scoopi.cli.exit_codes import code_of_report
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.settling_store import SettlingStore
from tests.cluster.grids import free_port
from tests.cluster.holding import GAP_MS, held, states, store_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.metrics.asking import ask
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world

TOGETHER = {"scoopi.cluster.quorum.size": "2"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return build_world(tmp_path / "world", shelves=4, packets=2)


def test_probes_are_answered_while_a_node_waits_for_others_and_sigterm_is_heard(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, tmp_path: Path
) -> None:
    port = free_port()
    metrics = {"scoopi.metrics.server.enable": "true", "scoopi.metrics.server.port": str(port)}
    runner = runner_of(**TOGETHER, **metrics)
    node = ScoopiProcess(runner.arguments("ann"), tmp_path)
    try:
        wait_until(lambda: states(cluster, runner), "its heartbeat", LIMIT_S, node)
        wait_until(lambda: "1 of 2 nodes are there" in ask(port, "/readyz").text, "its waiting", LIMIT_S)
        assert ask(port, "/healthz").status == 200
        assert ask(port, "/readyz").status == 503
        assert '"state": "JOINING"' in ask(port, "/api/status").text
        assert "scoopi_node_ready 0" in ask(port, "/metrics").text
        node.signal(signal.SIGTERM)
        assert node.wait(LIMIT_S) == 143
    finally:
        node.kill_all()
    said = (tmp_path / "stderr.txt").read_text()
    assert f"run {runner.run_name}, node ann" in said
    assert "1 of 2 nodes are there, waiting for the others" in said
    assert "stopped by SIGTERM" in said
    assert states(cluster, runner) == [NodeStatus.LEFT]
    assert runner.ask("status", runner.run_name, "--json")[1].count('"ABANDONED"') == 1
    assert {report.status for report in runner_of().run("ann", "bob")} == {RunStatus.DONE}


def test_nodes_that_wait_for_others_hear_that_the_run_is_cancelled(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient
) -> None:
    runner = runner_of(**TOGETHER)
    node = runner.start("ann")
    wait_until(lambda: states(cluster, runner), "its heartbeat", LIMIT_S)
    assert runner.ask("cancel", runner.run_name)[0] == 0
    report = node.result(LIMIT_S)
    assert (report.status, code_of_report(report)) == (RunStatus.STOPPED, 130)
    assert report.publish_note == "it was stopped before this node began"


def test_a_node_that_waits_for_the_composing_node_hears_it(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient
) -> None:
    runner = runner_of()
    with held(cluster, runner, "setup"):
        node = runner.start("ann")
        wait_until(lambda: (runner.folder / ".scoopi/ann/lock").exists(), "its folder", LIMIT_S)
        runner.cancel()
        assert node.result(LIMIT_S).status is RunStatus.STOPPED
    assert RunRecord(store_of(cluster, runner), "test").read() is None


@pytest.mark.parametrize("cancelled_by", ["signal", "verb"])
def test_a_node_that_waits_for_the_seeding_node_lives_and_hears_it(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, cancelled_by: str
) -> None:
    runner = runner_of()
    with held(cluster, runner, f"seed/{runner.precompose(cluster)}"):
        node = runner.start("ann")
        wait_until(lambda: NodeStatus.LIVE in states(cluster, runner), "its heartbeat", LIMIT_S)
        if cancelled_by == "signal":
            runner.cancel()
        else:
            assert runner.ask("cancel", runner.run_name)[0] == 0
        assert node.result(LIMIT_S).status is RunStatus.STOPPED
    assert states(cluster, runner) == [NodeStatus.LEFT]


@pytest.mark.parametrize(
    ("settings", "published"),
    [({}, True), ({"scoopi.output.merge": "true"}, False)],
    ids=["others publish", "another merges"],
)
def test_a_node_that_waits_for_what_others_write_hears_it(
    runner_of: Callable[..., NodeRunner],
    cluster: ClusterClient,
    world: World,
    settings: dict[str, str],
    published: bool,
) -> None:
    runner = runner_of(**{"scoopi.output.durability": "shared"}, **settings)
    store = store_of(cluster, runner)
    other = Membership(store, "other", "bob", 100, GAP_MS)
    with held(cluster, runner, f"merge/{runner.precompose(cluster)}"), beating(other):
        node = runner.start("ann")
        wait_until(lambda: _phase(store) is RunPhase.ENDING, "the end of its jobs", LIMIT_S)
        if published:
            wait_until(lambda: NodeStatus.LEFT in states(cluster, runner), "its files", LIMIT_S)
        runner.cancel()
        report = node.result(LIMIT_S)
    assert (report.status, report.published) == (RunStatus.STOPPED, published)
    assert "other nodes were still writing" in report.publish_note
    assert _phase(store) is RunPhase.ENDING
    (last,) = runner.run("ann")
    assert last.status is RunStatus.DONE
    assert runner.rows() == world.rows


def test_a_node_that_finds_no_member_hears_it(world: World, tmp_path: Path) -> None:
    changes = {
        "scoopi.cluster.addresses": f"127.0.0.1:{free_port()}",
        "scoopi.cluster.connect.timeout": "3600000",
    }
    scoopi = Scoopi(world.defs, changes, output=tmp_path / "out", environ={})
    with ThreadPoolExecutor(1) as pool:
        node = pool.submit(scoopi.run)
        scoopi.cancel()
        report: RunReport = node.result(LIMIT_S)
    assert (report.status, report.run) == (RunStatus.STOPPED, "")
    assert not (tmp_path / "out").exists()


@contextmanager
def beating(node: Membership) -> Iterator[None]:
    """A node that only beats, and is idle."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(0.1):
            node.beat(NodeLoad(0, True))

    node.beat(NodeLoad(0, True))
    with ThreadPoolExecutor(1) as pool:
        beats = pool.submit(beat)
        try:
            yield
        finally:
            ended.set()
            beats.result(LIMIT_S)
            node.beat(NodeLoad(0, True), NodeStatus.LEFT)


def _phase(store: SettlingStore) -> RunPhase | None:
    state = RunRecord(store, "test").read()
    return None if state is None else state.phase
