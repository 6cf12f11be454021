"""EngineModule: who may seed, which server shows the node's figures, and for how long a store is retried."""

from __future__ import annotations

import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.appenders.appender import STORE_TIMEOUT_S
from scoopi.bootstrap.wiring import engine_module
from scoopi.engine.engine import Engine, EngineCalls
from scoopi.engine.job_seeder import JobSeeder
from scoopi.engine.node_watch import NodeWatch
from scoopi.engine.run_completion import RunLimits
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_view import JOINING, JoiningNode
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.runs.composed import packed_locators
from tests.bootstrap.wired_run import NODE, RUN, WiredRun

SERVED = {"scoopi.metrics.server.enable": "true", "scoopi.metrics.server.port": "0"}


class Noted:
    """Notes what a class is constructed with, in place of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.given: tuple[Any, ...] = ()
        monkeypatch.setattr(engine_module, name, self)

    def __call__(self, *given: Any) -> Noted:
        self.given = given
        return self


@pytest.mark.parametrize("is_on_nodes", [False, True])
def test_a_dead_seeder_is_replaced_soon_on_one_machine_and_after_the_liveness_gap_in_a_cluster(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch, is_on_nodes: bool
) -> None:
    barricade = Noted(monkeypatch, "Barricade")
    run = WiredRun(tmp_path, opened, is_on_nodes=is_on_nodes)
    run.get(JobSeeder)
    lease_ms = 1000 if run.context.cluster is None else run.context.cluster.liveness_gap_ms
    assert barricade.given == (run.context.store, f"seed/{RUN}", NODE, lease_ms)


def test_the_figures_of_a_run_on_one_machine_are_served_if_the_settings_say_so(
    tmp_path: Path, opened: ExitStack
) -> None:
    server = opened.enter_context(WiredRun(tmp_path, opened, SERVED).get(MetricsServer))
    assert server.address is not None
    with urllib.request.urlopen(f"http://127.0.0.1:{server.address[1]}/metrics", timeout=60) as answer:
        assert b"scoopi" in answer.read()


def test_a_node_of_a_cluster_is_served_by_the_server_that_was_started_for_joining(
    tmp_path: Path, opened: ExitStack
) -> None:
    joining = JoiningNode()
    assert joining.view().state == JOINING
    run = WiredRun(tmp_path, opened, SERVED, is_on_nodes=True, joining=joining)
    server = opened.enter_context(run.get(MetricsServer))
    assert server.address is None
    assert joining.view().state == run.get(NodeWatch).view().state != JOINING
    assert joining.view().node == "ann"


def test_the_engine_unpacks_the_locators_of_the_run_when_it_seeds(tmp_path: Path, opened: ExitStack) -> None:
    group = LocatorGroup("page", (LocatorDef("one", "/one.html"),))
    run = WiredRun(tmp_path, opened)
    packed = packed_locators([group])
    run = WiredRun(tmp_path, opened, composed=replace(run.context.composed, locators=tuple(packed)))
    calls = run.get(EngineCalls)
    assert [each.name for each in calls.locators()] == ["page"]
    assert not calls.adds_pages, "no task of it follows links"


@pytest.mark.parametrize("is_on_nodes", [False, True])
def test_an_engine_retries_a_store_that_does_not_answer_in_each_mode(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch, is_on_nodes: bool
) -> None:
    run = WiredRun(tmp_path, opened, is_on_nodes=is_on_nodes)
    monkeypatch.setattr(Engine, "__init__", lambda engine, *given: setattr(engine, "given", given))
    limits = run.get(Engine).given[-1]  # type: ignore[attr-defined]
    assert isinstance(limits, RunLimits)
    cluster = run.context.cluster
    assert limits.store_timeout_s == (
        STORE_TIMEOUT_S if cluster is None else cluster.reconnect_timeout_ms / 1000
    )
