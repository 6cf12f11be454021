"""RunJoining: finds the run of a connected node, waits for the other nodes, and composes the run once."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from scoopi.configs.configs import Configs
from scoopi.configs.groups import ClusterSettings, OutputSettings
from scoopi.errors import ConfigError, DefsError, RunError, StoreError
from scoopi.metrics.node_view import JoiningNode
from scoopi.model.report.run_report import RunReport
from scoopi.outputs.output_spec import OutputSpec, of_node
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.runs.cluster.left_over_runs import EarlierIncarnations, LeftOverRuns
from scoopi.runs.cluster.reopened_run import ReopenedRun
from scoopi.runs.cluster.run_name import RunName, definitions_digest, unfinished_run
from scoopi.runs.composed import Composed, read_composed
from scoopi.runs.configs_composer import conflicts, merge
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import RunFile
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.quorum import Quorum
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunCancel, RunPhase, RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.runs.run_retention import RunRetention
from scoopi.store.shared_backend import SharedBackend

log = logging.getLogger(__name__)

COMPOSE_TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class _Found:
    """A run of the cluster, before it is known whether this node can take part in it."""

    name: str
    folder: NodeFolder
    backend: SharedBackend
    names: RunName
    registry: RunRegistry
    canaries: tuple[str, ...]


class RunJoining:
    """Finds the run of a connected node, waits for the other nodes, and composes the run once.

    Keeps the run's name, its folder and its cancel records from one attempt to the next.

    Args:
        node: incarnation of this process.
        waits: answers probes with what the node waits for; passed on with the joined run.
    Source: docs/cluster.md, "Which run a node joins"; ARCHITECTURE, protocol rules 8, 9 and 11.
    """

    def __init__(
        self,
        request: RunRequest,
        settings: ClusterSettings,
        node: str,
        waits: JoiningNode,
    ) -> None:
        self._request = request
        self._settings = settings
        self._node = node
        self._joining = waits
        self._name: str | None = None
        self._returned = False
        self._folder: Path | None = None
        self._cancels: dict[str, RunCancel] = {}

    @property
    def folder(self) -> Path | None:
        """The run's folder; None until its name is known."""
        return self._folder

    def join(
        self,
        backend: SharedBackend,
        opened: ExitStack,
        mine: Composed,
        configs: Configs,
        outputs: tuple[OutputSpec, ...],
    ) -> RunContext | RunReport:
        """See `ClusterBoot.join`; when it raises StoreError, it may be called again.

        Args:
            opened: closes what this opens; to be closed before the next attempt.
        """
        found = self._found(backend, opened, mine)
        earlier, record = EarlierIncarnations(found.folder), self._record(found)
        state = None if record is None else record.read()
        now = None if state is None else state.incarnation
        is_torn = record is not None and record.has_lost_any() and not self._has_ended(found)
        if self._request.discard_lost:
            earlier.set_aside(None if is_torn else now, outputs)
            return self._joined(found, mine, configs, outputs)
        if earlier.saw_over(now):
            path = found.folder.path
            return RunFile(path, found.folder.node_folder, True).finished(found.name, path)
        earlier.refuse(now)
        if is_torn:
            raise RunError(
                f"the cluster no longer holds all of the run {found.name}: its data is lost",
                at=str(found.folder.path),
                hint="its files stay as they are; --discard-lost moves them aside and starts the run again",
            )
        return self._joined(found, mine, configs, outputs)

    def _has_ended(self, found: _Found) -> bool:
        """Whether the run's records have expired or were removed; some of them may still be there."""
        return found.registry.maps(found.name) is None

    def _found(self, backend: SharedBackend, opened: ExitStack, mine: Composed) -> _Found:
        """Decide on the run's name, lock this node's folder, and fill the maps of a reopened run."""
        registry = runs_of(backend, self._node, self._settings.heartbeat_ms)
        names = RunName(backend.store(), lambda run: self._is_over(backend, registry.maps(run)), self._node)
        if self._name is None:  # decided once: a run that others complete meanwhile is not started again
            self._name = self._decided(names, mine)
        path = self._request.output / self._name
        folder = opened.enter_context(NodeFolder.join(path, self._settings.node))
        self._folder = path
        reopened = ReopenedRun(backend, registry, self._node, self._settings.liveness_gap_ms)
        reopened.ensure_filled(self._name, self._request.is_stopped)
        return _Found(self._name, folder, backend, names, registry, backend.canaries)

    def _decided(self, names: RunName, mine: Composed) -> str:
        """The given name, else that of the run which this node left unfinished, else a current or new one."""
        request = self._request
        if request.run is None:
            left = unfinished_run(mine, request.output, self._settings.node, request.published)
            self._returned = left is not None
            if left is not None:
                return left
        return names.decide(mine, request.run)

    def _record(self, found: _Found) -> RunRecord | None:
        """Reads and writes the record of the run in its current maps; None if the cluster has no such run."""
        maps = found.registry.maps(found.name)
        return None if maps is None else self._record_in(maps, found)

    def _record_in(self, maps: str, found: _Found) -> RunRecord:
        return RunRecord(found.backend.store(maps), self._node, found.canaries)

    def _joined(
        self, found: _Found, mine: Composed, configs: Configs, outputs: tuple[OutputSpec, ...]
    ) -> RunContext:
        folder, registry = found.folder, found.registry
        maps, over = self._entered(found, OutputSettings.of(configs))
        store = found.backend.store(maps, lambda: registry.is_gone(found.name, maps))
        record, cancel = self._record_in(maps, found), self._listening(store, maps)
        self._request.notify(f"run {found.name}, node {folder.node}")
        composed = self._kept(store, record) if over else self._composed(store, folder, mine, cancel)
        self._compare(mine, composed, configs)
        phase = self._phase(record, composed, over)
        folder.write_state(composed.run)
        log.info("run %s: joined as node %s", found.name, folder.node)
        effective = merge(configs, self._of_run(composed), take_shared=False)
        output = OutputSettings.of(effective)
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
            stdout=self._request.stdout,
            watch=self._request.watch,
            notify=self._request.notify,
            cluster=ClusterSettings.of(effective, Path.cwd()),
            canaries=found.canaries,
            cancel=cancel,
            was_over=phase is not RunPhase.RUNNING,
            returned=self._returned,
            plain_outputs=outputs,
            retention=self._retention(found, mine, store, maps, output.retention_s),
            joining=self._joining,
            keep=lambda: registry.keep_alive.renew(maps, output.unfinished_s),
            set_deadline=found.backend.expedite,
            on_seeded=found.backend.warn_of_jobs,
        )

    def _entered(self, found: _Found, output: OutputSettings) -> tuple[str, bool]:
        """The maps of the run, and whether it is over; ends what crashed runs left behind before."""
        registry = found.registry
        registry.sweep(LeftOverRuns(found.backend, found.names, registry, output.retention_s).end)
        maps, over = registry.enter(found.name, output.unfinished_s)
        if self._request.discard_lost and self._record_in(maps, found).has_lost_any():
            return registry.renew(found.name, maps, output.unfinished_s)
        return maps, over

    def _phase(self, record: RunRecord, composed: Composed, over: bool) -> RunPhase:
        state = record.read() if over else record.create(composed.run)
        if state is None:
            raise self._just_ended()
        return state.phase

    def _retention(
        self, found: _Found, mine: Composed, store: Store, maps: str, seconds: int
    ) -> RunRetention:
        """Once the run is over, keeps nodes from joining it, and gives its records an expiry time."""

        def note_over() -> None:
            found.names.pass_over(mine, found.name)
            found.registry.note_over(found.name, maps)

        return RunRetention(store, seconds, note_over, lambda: found.registry.note_ends(found.name, maps))

    def _listening(self, store: Store, maps: str) -> RunCancel:
        """Reads a cancel of the run in these maps; one since this node's first attempt counts for it, too."""
        if maps not in self._cancels:
            cancel = RunCancel(store, self._node)
            cancel.listen()
            self._cancels[maps] = cancel
        return self._cancels[maps]

    def _waits(self, what: str) -> None:
        self._joining.waits(what)
        log.info("%s", what)

    def _of_run(self, composed: Composed) -> Configs:
        return Configs.from_kept(composed.configs, self._request.environ)

    def _is_over(self, backend: SharedBackend, maps: str | None) -> bool:
        if maps is None:
            return False
        state = RunRecord(backend.store(maps), self._node).read()
        return state is not None and state.phase is not RunPhase.RUNNING

    def _kept(self, store: Store, record: RunRecord) -> Composed:
        """What a run that is over was composed of, as long as it is kept; it is never composed again."""
        packed = self._setup(store).composed()
        if packed is None or record.read() is None:
            raise self._just_ended()
        return read_composed(packed)

    def _just_ended(self) -> StoreError:
        self._name = None
        return StoreError("the cluster's records of this run have just expired", hint="try again")

    def _composed(self, store: Store, folder: NodeFolder, mine: Composed, cancel: RunCancel) -> Composed:
        barricade = self._setup(store)
        packed = barricade.composed()
        if packed is None:
            self._quorum(store, folder).wait(
                lambda: barricade.composed() is not None, lambda: self._is_stopped(cancel)
            )
            self._waits("another node composes the run")
            packed = barricade.compose_once(
                lambda: msgspec.msgpack.encode(mine), COMPOSE_TIMEOUT_MS, lambda: self._is_stopped(cancel)
            )
        return read_composed(packed)

    def _setup(self, store: Store) -> Barricade:
        return Barricade(store, "setup", self._node, self._settings.liveness_gap_ms)

    def _is_stopped(self, cancel: RunCancel) -> bool:
        """Whether this node was asked to stop, or the run was cancelled from elsewhere."""
        try:
            return self._request.is_stopped() or cancel.is_asked()
        except StoreError:
            return False

    def _quorum(self, store: Store, folder: NodeFolder) -> Quorum:
        """The quorum of the run; a run that was composed does not wait for it again."""
        settings = self._settings
        size = settings.quorum_size

        def notify(live: int) -> None:
            self._waits(f"{live} of {size} nodes are there")
            self._request.notify(f"{live} of {size} nodes are there, waiting for the others")

        nodes = Membership(store, self._node, folder.node, settings.heartbeat_ms, settings.liveness_gap_ms)
        return Quorum(nodes, size, settings.quorum_timeout_s, notify)

    def _compare(self, mine: Composed, composed: Composed, configs: Configs) -> None:
        if definitions_digest(mine) != definitions_digest(composed):
            errors, _ = conflicts(configs, self._of_run(composed))
            if errors:
                raise ConfigError("; ".join(errors), hint="give all nodes the same settings")
            raise DefsError(
                "this node's definitions or plugins are not those of the run",
                at=mine.defs_source,
                hint=f"give it those of {composed.defs_source}, or another --run",
            )
        _, warnings = conflicts(configs, self._of_run(composed))
        for warning in warnings:
            log.warning("%s; the run's value counts", warning)
