"""ClusterBoot: a node finds its run in the cluster, waits for the others, and composes with them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from scoopi.appenders.output_file import OutputSpec
from scoopi.bootstrap.cluster_runs import runs_of
from scoopi.bootstrap.composed import Composed
from scoopi.bootstrap.node_folder import NodeFolder
from scoopi.bootstrap.outputs import of_node
from scoopi.bootstrap.run_context import RunContext
from scoopi.bootstrap.run_name import RunName, definitions_digest
from scoopi.bootstrap.run_request import RunRequest
from scoopi.configs.comparison import conflicts, merge
from scoopi.configs.configs import Configs
from scoopi.configs.groups import ClusterSettings, MetricsSettings, OutputSettings
from scoopi.engine.finished import finished_report
from scoopi.engine.run_file import RunFile
from scoopi.errors import ConfigError, DefsError, RunError, StoreError
from scoopi.mediator.worker_link import WorkerLink
from scoopi.metrics.joining_node import JoiningNode
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.model.run_report import JobCounts, RunReport, RunStatus
from scoopi.store.barricade import Barricade
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.membership import Membership
from scoopi.store.ports import Store
from scoopi.store.quorum import Quorum
from scoopi.store.run_cancel import RunCancel
from scoopi.store.run_record import RunPhase, RunRecord
from scoopi.store.run_registry import RunRegistry
from scoopi.store.run_retention import RunRetention
from scoopi.store.settling_store import SettlingStore
from scoopi.store.stopped import StoppedError

log = logging.getLogger(__name__)

COMPOSE_TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class _Found:
    """A run of the cluster, before it is known whether this node can take part in it."""

    name: str
    folder: NodeFolder
    client: ClusterClient
    names: RunName
    registry: RunRegistry
    canaries: tuple[str, ...]


class ClusterBoot:
    """Source: design, "Name of a cluster run" and "Protocol", rules 8, 9 and 11.

    Args:
        opened: closes what this opens.
        node: incarnation of this process.
        launch: see `RunContext`.
    """

    def __init__(
        self,
        request: RunRequest,
        settings: ClusterSettings,
        opened: ExitStack,
        node: str,
        launch: Callable[[], WorkerLink],
    ) -> None:
        self._request = request
        self._settings = settings
        self._opened = opened
        self._node = node
        self._launch = launch
        self._began = datetime.now().astimezone()
        self._joining = JoiningNode()
        self._folder: NodeFolder | None = None

    def join(
        self, mine: Composed, configs: Configs, outputs: tuple[OutputSpec, ...]
    ) -> RunContext | RunReport:
        """Join the run; the first node that comes composes it, the others take what it composed.

        Args:
            mine: what this node would compose.
            outputs: under the names that they have on one machine.
        Returns:
            The report alone, of a run that this node saw over and the grid has forgotten since.
        Raises:
            ClusterError: the cluster cannot be reached, or the quorum did not come together.
            DefsError, ConfigError: this node's definitions, plugins or given settings are not the run's.
            RunError: the grid has lost the run, or its folder cannot be used.
        """
        _ensure_seen_by_all(OutputSettings.of(configs))
        self._opened.enter_context(MetricsServer(MetricsSettings.of(configs), self._joining))
        try:
            return self._found_and_joined(mine, configs, outputs)
        except StoppedError:
            return self._stopped()

    def _found_and_joined(
        self, mine: Composed, configs: Configs, outputs: tuple[OutputSpec, ...]
    ) -> RunContext | RunReport:
        found = self._found(mine)
        known, record = found.folder.known_state(), self._record(found)
        state = None if record is None else record.read()
        if known is not None and (state is None or state.incarnation != known.run):
            if known.over and not self._request.anew:
                path = found.folder.path
                return finished_report(found.name, path, RunFile(path, found.folder.node_folder, True))
            self._set_aside(found.folder, outputs)
        if record is not None and state is not None and record.lost(state.incarnation):
            raise RunError(
                f"the cluster has lost a part of the run {found.name}",
                at=str(found.folder.path),
                mend="its files stay as they are; begin under another name",
            )
        return self._joined(found, mine, configs, outputs)

    def _found(self, mine: Composed) -> _Found:
        """The run under its name, in the cluster and in the output folder."""
        client = self._connected()
        canaries = tuple(client.canary_keys())
        grid = SettlingStore(HazelcastStore(client))
        registry = runs_of(client, self._node)
        names = RunName(grid, lambda run: self._is_over(client, registry.maps(run)), self._node)
        name = names.decide(mine, self._request.output, self._request.run)
        folder = self._opened.enter_context(NodeFolder.join(self._request.output / name, self._settings.node))
        self._folder = folder
        return _Found(name, folder, client, names, registry, canaries)

    def _record(self, found: _Found) -> RunRecord | None:
        """The record of the run as it was when this node came; None of a run that is not known."""
        maps = found.registry.maps(found.name)
        return None if maps is None else self._record_in(maps, found)

    def _record_in(self, maps: str, found: _Found) -> RunRecord:
        return RunRecord(SettlingStore(HazelcastStore(found.client, maps)), self._node, found.canaries)

    def _connected(self) -> ClusterClient:
        self._waits(f"it looks for members of the cluster {self._settings.name}")
        client = ClusterClient(self._settings, self._request.is_stopped)
        self._opened.callback(client.close)
        return client

    def _joined(
        self, found: _Found, mine: Composed, configs: Configs, outputs: tuple[OutputSpec, ...]
    ) -> RunContext:
        folder, registry = found.folder, found.registry
        registry.sweep()
        maps, over = registry.enter(found.name)
        store = SettlingStore(HazelcastStore(found.client, maps))
        record, cancel = self._record_in(maps, found), RunCancel(store, self._node)
        cancel.listen()
        if over and record.read() is None:
            raise RunError("what the cluster kept of this run has just ended", mend="start this node again")
        self._request.tell(f"run {found.name}, node {folder.node}")
        composed = self._composed(store, folder, mine, cancel)
        self._compare(mine, composed, configs)
        state = record.create(composed.run)
        folder.write_state(composed.run)
        log.info("run %s: joined as node %s", found.name, folder.node)
        effective = merge(configs, self._of_run(composed), take_shared=False)
        output = OutputSettings.of(effective)

        def note_over() -> None:
            found.names.pass_over(mine, found.name)
            registry.note_over(found.name)

        return RunContext(
            node=self._node,
            run=composed.run,
            resumed=False,
            composed=composed,
            configs=effective,
            folder=folder,
            store=store,
            outputs=outputs if output.merge else of_node(outputs, folder.node),
            stream=None,
            launch=self._launch,
            watch=self._request.watch,
            cluster=ClusterSettings.of(effective, Path.cwd()),
            canaries=found.canaries,
            cancel=cancel,
            was_over=state.phase is not RunPhase.RUNNING,
            plain_outputs=outputs,
            retention=RunRetention(store, output.retention_s, note_over),
            joining=self._joining,
            hurry=found.client.hurry,
        )

    def _waits(self, what: str) -> None:
        self._joining.waits(what)
        log.info("%s", what)

    def _stopped(self) -> RunReport:
        """Before the run began on this node: there is nothing to hand back or to publish."""
        now = datetime.now().astimezone()
        path = self._request.output if self._folder is None else self._folder.path
        return RunReport(
            run="" if self._folder is None else path.name,
            folder=str(path),
            status=RunStatus.STOPPED,
            started=self._began,
            ended=now,
            seconds=(now - self._began).total_seconds(),
            jobs=JobCounts(left=None),
            publish_note="it was stopped before this node had begun",
        )

    def _of_run(self, composed: Composed) -> Configs:
        return Configs.from_kept(composed.configs, self._request.environ)

    def _is_over(self, client: ClusterClient, maps: str | None) -> bool:
        if maps is None:
            return False
        state = RunRecord(SettlingStore(HazelcastStore(client, maps)), self._node).read()
        return state is not None and state.phase is not RunPhase.RUNNING

    def _set_aside(self, folder: NodeFolder, outputs: tuple[OutputSpec, ...]) -> None:
        """This node's segments belong to one incarnation of the run (design, rule 11)."""
        if not self._request.anew:
            raise RunError(
                "the cluster does not know the run that this node's rows belong to: it was lost, or is older "
                "than the retention",
                at=str(folder.path),
                mend="its files stay as they are; --anew puts them aside and begins anew",
            )
        files = [spec.file for spec in (*of_node(outputs, folder.node), *outputs)]
        log.warning("what the run had before is in %s now", folder.set_aside(files))

    def _composed(self, store: Store, folder: NodeFolder, mine: Composed, cancel: RunCancel) -> Composed:
        barricade = Barricade(store, "setup", self._node, self._settings.liveness_gap_ms)
        packed = barricade.composed()
        if packed is None:
            self._quorum(store, folder).wait(
                lambda: barricade.composed() is not None, lambda: self._is_stopped(cancel)
            )
            self._waits("another node composes the run")
            packed = barricade.compose_once(
                lambda: msgspec.msgpack.encode(mine), COMPOSE_TIMEOUT_MS, lambda: self._is_stopped(cancel)
            )
        return msgspec.msgpack.decode(packed, type=Composed)

    def _is_stopped(self, cancel: RunCancel) -> bool:
        """By a signal here, or cancelled from elsewhere."""
        try:
            return self._request.is_stopped() or cancel.is_asked()
        except StoreError:
            return False

    def _quorum(self, store: Store, folder: NodeFolder) -> Quorum:
        """A run that was composed never waits for it again."""
        settings = self._settings
        size = settings.quorum_size

        def tell(live: int) -> None:
            self._waits(f"{live} of {size} nodes are there")
            self._request.tell(f"{live} of {size} nodes are there, waiting for the others")

        members = Membership(store, self._node, folder.node, settings.heartbeat_ms, settings.liveness_gap_ms)
        return Quorum(members, size, settings.quorum_timeout_s, tell)

    def _compare(self, mine: Composed, composed: Composed, configs: Configs) -> None:
        if definitions_digest(mine) != definitions_digest(composed):
            errors, _ = conflicts(configs, self._of_run(composed))
            if errors:
                raise ConfigError("; ".join(errors), mend="give all nodes the same settings")
            raise DefsError(
                "this node's definitions or plugins are not those of the run",
                at=mine.defs_source,
                mend=f"give it those of {composed.defs_source}, or another --run",
            )
        _, warnings = conflicts(configs, self._of_run(composed))
        for warning in warnings:
            log.warning("%s; the run's value counts", warning)


def _ensure_seen_by_all(output: OutputSettings) -> None:
    if output.merge and output.durability != "shared":
        raise ConfigError(
            "one file of all rows needs a folder that all nodes see",
            at="scoopi.output.merge",
            mend="set scoopi.output.durability to shared, or leave merge out",
        )
