"""WiredRun: the objects of a run that is composed and opened, but neither begun nor joined to a cluster."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from injector import Injector

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.wiring.modules import run_modules
from scoopi.configs.groups import ClusterSettings
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.composed import Composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

DEFINITIONS = """\
locatorGroups: { page: { locators: [ { name: one, url: "/one.html" } ] } }
taskGroups: { page: { task: { dataDef: titles } } }
dataDefs: { titles: { query: { block: body, selector: h1 }, items: [ item: { name: title, value: title } ] } }
"""
NODE, RUN = "1" * 16, "0" * 16
Part = TypeVar("Part")


class WiredRun:
    """The objects of a run, with an injector that starts no worker.

    Args:
        opened: closes what the run opens.
        more: further definitions, as YAML.
        is_on_nodes: whether it is a run of a cluster.
        values: further values of its context.
    """

    def __init__(
        self,
        output: Path,
        opened: ExitStack,
        settings: dict[str, str] | None = None,
        more: str = "",
        is_on_nodes: bool = False,
        **values: Any,
    ) -> None:
        context = context_of(output, opened, settings or {}, more)
        if is_on_nodes:
            folder = opened.enter_context(NodeFolder.join(output / "run", "ann"))
            cluster = ClusterSettings(("127.0.0.1:1",))
            context = msgspec.structs.replace(context, folder=folder, cluster=cluster)
        self.context = msgspec.structs.replace(context, **values)
        self._graph = Injector(run_modules(self.context, _launch_nothing), auto_bind=False)

    def get(self, kind: type[Part]) -> Part:
        """The run's object of this type."""
        return self._graph.get(kind)


def context_of(output: Path, opened: ExitStack, settings: dict[str, str], more: str = "") -> RunContext:
    """The context of a new run on one machine; arguments as of `WiredRun`."""
    defs = output / "defs.yml"
    defs.write_text(DEFINITIONS + more)
    configs = ConfigsComposer(RunRequest(overrides=settings)).compose()
    definitions = DefsComposer(configs, PluginFinder((), BUILTINS), output).compose(defs)
    composed = Composed(
        definitions=msgspec.structs.replace(definitions, locator_groups={}),
        locators=(),
        configs=configs.kept(),
        run_date=datetime.now(UTC),
        current_folder=str(output),
        defs_source=str(defs),
        plugin_digests={},
        given={},
        run=RUN,
    )
    folder = opened.enter_context(RunFolder.make_hidden(output))
    store = SettlingStore(SqliteStore(folder.store_file))
    opened.callback(store.close)
    return RunContext(NODE, RUN, False, composed, configs, folder, store, (), None, None)


def _launch_nothing() -> WorkerLink:
    raise AssertionError("no worker is started before the engine runs")
