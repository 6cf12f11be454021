"""A member that stands still for longer than a call may take, seen from nodes that join, and that stop."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.model.report.run_report import RunStatus
from scoopi.store.nodes.membership import Membership
from scoopi.store.runs.run_record import RunCancel
from tests.cluster.holding import Still, held, states, still_member, store_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.server import Server

SOON_S = 60.0
"""Far below the 120 s for which a node tries to join."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return build_world(tmp_path / "world", shelves=4, packets=2)


@pytest.fixture(autouse=True)
def joining_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "scoopi")


def frozen_until_tried_again(still: Still, caplog: pytest.LogCaptureFixture) -> None:
    """The member stands still while a node waits for the composing node, until the node starts again."""
    wait_until(lambda: "another node composes the run" in caplog.text, "its waiting", LIMIT_S)
    still.freeze()
    wait_until(lambda: "joining: the store failed, retrying" in caplog.text, "a call that failed", LIMIT_S)


def test_a_node_joins_when_its_member_moves_again(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with still_member(tmp_path) as still:
        with NodeRunner(still.client, world.defs, tmp_path / "out", "again", {}) as runner:
            with held(still.client, runner, "setup"):
                node = runner.start("ann")
                frozen_until_tried_again(still, caplog)
                still.thaw()
            report = node.result(LIMIT_S)
        assert report.status is RunStatus.DONE
        assert runner.rows() == world.rows


def test_a_node_that_tries_again_to_join_hears_that_it_is_to_stop(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        still_member(tmp_path) as still,
        NodeRunner(still.client, world.defs, tmp_path / "out", "stopped", {}) as runner,
        held(still.client, runner, "setup"),
    ):
        node = runner.start("ann")
        frozen_until_tried_again(still, caplog)
        runner.cancel()
        report = node.result(SOON_S)
        assert (report.status, report.run) == (RunStatus.STOPPED, "stopped")
        still.thaw()


def test_a_node_that_tries_again_to_join_hears_that_the_run_was_cancelled_meanwhile(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        still_member(tmp_path) as still,
        NodeRunner(still.client, world.defs, tmp_path / "out", "cancelled", {}) as runner,
        held(still.client, runner, "setup"),
        ThreadPoolExecutor(1) as pool,
    ):
        node = runner.start("ann")
        frozen_until_tried_again(still, caplog)
        asked = pool.submit(RunCancel(store_of(still.client, runner), "other").ask)
        still.thaw()
        asked.result(LIMIT_S)
        assert node.result(LIMIT_S).status is RunStatus.STOPPED


def test_the_first_heartbeat_of_a_run_is_tried_again_for_as_long_as_joining_is(
    runner_of: Callable[..., NodeRunner], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = Membership.beat, iter(range(6))

    def beat(members: Membership, *given: Any, **named: Any) -> bool:
        if next(failures, None) is not None:
            raise StoreError("no answer in time")
        return real(members, *given, **named)

    monkeypatch.setattr(Membership, "beat", beat)
    runner = runner_of()
    assert [report.status for report in runner.run("ann")] == [RunStatus.DONE]
    assert runner.rows() == world.rows


def test_a_node_whose_cluster_does_not_answer_stops_and_nothing_is_lost(
    tmp_path: Path, server: Server
) -> None:
    """How the time that it has is shared out: `tests/store/test_call_timeout.py`."""
    settings = {
        "scoopi.loader.fetch.delay": "100",
        "scoopi.loader.fetch.parallelism": "1",
        "scoopi.shutdown.timeout": "4",
    }
    world = build_world(tmp_path / "slow", 8, 2, server.url(""))
    for page in (tmp_path / "slow" / "pages").iterdir():
        page.rename(tmp_path / "pages" / page.name)
    with (
        still_member(tmp_path) as still,
        NodeRunner(still.client, world.defs, tmp_path / "out", "frozen", settings) as runner,
    ):
        nodes = [ScoopiProcess(runner.arguments(name), tmp_path) for name in ("ann", "bob")]
        try:
            wait_until(lambda: len(states(still.client, runner)) == 2, "both nodes", LIMIT_S, nodes[0])
            wait_until(lambda: len(server.log.all()) >= 5, "the fifth request", LIMIT_S, nodes[0])
            still.freeze()
            for node in nodes:
                node.signal(signal.SIGTERM)
            assert [node.wait(LIMIT_S) for node in nodes] == [143, 143]
        finally:
            for node in nodes:
                node.kill_all()
            still.thaw()
        assert "number left unknown" in (tmp_path / "stderr.txt").read_text()
        assert [report.status for report in runner.run("ann", "bob")] == [RunStatus.DONE] * 2
        assert runner.rows() == world.rows
