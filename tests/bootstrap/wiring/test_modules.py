"""run_modules: every part of a node can be made, and each mode gets the parts that are its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from injector import Injector

from scoopi.appenders.appender import Appender
from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.wiring.modules import run_modules
from scoopi.configs.groups import ClusterSettings
from scoopi.engine.engine import Engine
from scoopi.engine.shutdown import StopTime
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.metrics.node_counts import NodeCounts
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.politeness.host_clocks import HostClocks
from scoopi.politeness.host_sharing import HostSharing
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.run_rows import OwnRows, RunRows
from scoopi.publishing.shared_rows import MergedRows, SharedRows
from scoopi.runs.composed import Composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.departure import Departure
from scoopi.store.pages.job_store import JobStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

DEFINITIONS = """\
locatorGroups: { page: { locators: [ { name: one, url: "/one.html" } ] } }
taskGroups: { page: { task: { dataDef: titles } } }
dataDefs: { titles: { query: { block: body, selector: h1 }, items: [ item: { name: title, value: title } ] } }
"""
SHARED = {"scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def context_of(output: Path, opened: ExitStack, settings: dict[str, str]) -> RunContext:
    defs = output / "defs.yml"
    defs.write_text(DEFINITIONS)
    configs = ConfigsComposer(RunRequest(overrides=settings)).compose()
    finder = PluginFinder((), BUILTINS)
    definitions = DefsComposer(configs, finder, output).compose(defs)
    composed = Composed(
        definitions=msgspec.structs.replace(definitions, locator_groups={}),
        locators=(),
        configs=configs.kept(),
        run_date=datetime.now(UTC),
        current_folder=str(output),
        defs_source=str(defs),
        plugin_digests={},
        given={},
        run="0" * 16,
    )
    folder = opened.enter_context(RunFolder.make_hidden(output))
    store = SettlingStore(SqliteStore(folder.store_file))
    opened.callback(store.close)
    return RunContext("1" * 16, composed.run, False, composed, configs, folder, store, (), None, None)


def on_nodes(context: RunContext, output: Path, opened: ExitStack) -> RunContext:
    folder = opened.enter_context(NodeFolder.join(output / "run", "ann"))
    return msgspec.structs.replace(context, folder=folder, cluster=ClusterSettings(("127.0.0.1:1",)))


def injector_of(context: RunContext) -> Injector:
    def launch() -> WorkerLink:
        raise AssertionError("no worker is started before the engine runs")

    return Injector(run_modules(context, launch), auto_bind=False)


@pytest.mark.parametrize("workers", ["3", "0"])
def test_a_run_on_one_machine_has_an_engine_and_shares_no_host(
    tmp_path: Path, opened: ExitStack, workers: str
) -> None:
    graph = injector_of(context_of(tmp_path, opened, {"scoopi.workers": workers}))
    assert isinstance(graph.get(Engine), Engine)
    assert isinstance(graph.get(RunRows), OwnRows)  # type: ignore[type-abstract]
    assert graph.get(HostSharing).shares is None


@pytest.mark.parametrize(("settings", "rows"), [({}, OwnRows), (SHARED, SharedRows), (MERGED, MergedRows)])
def test_a_node_writes_its_own_rows_or_those_of_dead_nodes_or_all_as_the_settings_say(
    tmp_path: Path, opened: ExitStack, settings: dict[str, str], rows: type[RunRows]
) -> None:
    graph = injector_of(on_nodes(context_of(tmp_path, opened, settings), tmp_path, opened))
    assert isinstance(graph.get(Engine), Engine)
    assert isinstance(graph.get(RunRows), rows)  # type: ignore[type-abstract]
    assert graph.get(HostSharing).shares is not None


PARTS = (Appender, Departure, HeldJobs, HostClocks, JobStore, NodeCounts, Publisher, StopTime, TaskMediator)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_same_one_for_all_that_need_it(
    tmp_path: Path, opened: ExitStack, part: type[object]
) -> None:
    graph = injector_of(context_of(tmp_path, opened, {}))
    assert graph.get(part) is graph.get(part)
