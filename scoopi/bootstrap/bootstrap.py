"""Bootstrap: boots a node: composes settings and definitions, opens the run's folder and store."""

from __future__ import annotations

import functools
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from types import TracebackType

import msgspec
from injector import inject

from scoopi.bootstrap.defs_composer import DefsComposer, ensure_sites_of
from scoopi.bootstrap.group_loaders import plugins_command
from scoopi.bootstrap.wiring.modules import OpenedRun
from scoopi.browser.pool_process import browsers_for
from scoopi.configs.configs import Configs
from scoopi.configs.groups import BrowserSettings, ClusterSettings, ScriptLimits
from scoopi.configs.run_date import compose_run_date
from scoopi.configs.setting import Scope
from scoopi.engine.failed_tasks import find_finished, find_of_cluster, reopen_run
from scoopi.errors import AppenderError, RecordError, RunError, StoppedError, StoreError, UsageError
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.job import NodeIncarnation, new_incarnation
from scoopi.model.report.run_report import RunReport
from scoopi.outputs.output_spec import OutputSpec, output_specs, record_specs
from scoopi.plugins.builtins import finder_of
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.row_tables import RowTables
from scoopi.runs.composed import (
    Composed,
    compare_inputs,
    compare_user_files,
    packed_locators,
    read_composed,
)
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.folders.run_folder import RunFolder, find_unfinished
from scoopi.runs.folders.run_state import KEEP, folder_of_run, node_folder_of, read_state
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import report_of_unbegun
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore, sync_store

COMPOSE_TIMEOUT_MS = 60_000


class Bootstrap:
    """Boots a node: composes settings and definitions, opens the run's folder and store.

    A context manager: its exit closes everything that `open` opened, in reverse order.
    """

    @inject
    def __init__(
        self, request: RunRequest, configs: ConfigsComposer, node: NodeIncarnation, launcher: WorkerLauncher
    ) -> None:
        self._request = request
        self._configs = configs
        self._node = node
        self._launcher = launcher
        self._open = ExitStack()
        self._solo: RunFolder | None = None

    def __enter__(self) -> Bootstrap:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        if isinstance(error, RecordError) and self._solo is not None:
            what = f"the run's store is damaged: {error.what}"
            raise RunError(what, at=f"{self._solo.store_file}, {error.at}", hint=KEEP) from error

    def open(self) -> OpenedRun | RunReport | None:
        """Compose a new run, join a run of a cluster, or find the run to resume.

        Returns:
            The opened run; only the report of a run that its cluster has removed, or that was stopped before
            this node started; None if there is no run to resume.
        Raises:
            BootError: the run cannot start; nothing has been started.
            UsageError: the options do not fit the definitions.
        """
        context = self._resumed() if self._request.defs is None else self._begin(self._request.defs)
        if not isinstance(context, RunContext):
            return context
        return OpenedRun(self._request, self._with_browsers(context), self._launcher)

    def _with_browsers(self, context: RunContext) -> RunContext:
        """The context with a pool of browsers, if any page of the run is still to be loaded in a browser."""
        solo = self._solo if context.resumed and not self._request.failed else None
        if context.was_over or (solo is not None and solo.state().over):
            return context
        groups, settings = context.composed.definitions.task_groups, BrowserSettings.of(context.configs)
        defs, limits = Path(context.composed.defs_source), ScriptLimits.of(context.configs)
        scripts = plugins_command(context.current_folder, defs, limits)
        pool = browsers_for(groups.values(), settings, context.folder.path, scripts)
        socket = self._open.enter_context(pool)
        return msgspec.structs.replace(context, browsers=socket)

    # A new run

    def _begin(self, defs: Path) -> RunContext | RunReport:
        configs, began = self._configs.compose(), datetime.now().astimezone()
        try:
            packed, outputs = self._composed(defs, configs)
        except StoppedError:
            return report_of_unbegun(began, self._request.output)
        composed = msgpack_decoder(Composed).decode(packed)
        settings = ClusterSettings.of(configs, Path.cwd())
        if settings.is_cluster:
            return self._join(settings, composed, configs, outputs)
        if self._request.run is not None:
            raise UsageError(
                "--run names a run of a cluster",
                hint="add --cluster HOST:PORT or --store URL, or leave it out",
            )
        if self._request.discard_lost:
            raise UsageError(
                "--discard-lost is for runs of a cluster", hint="a run on one machine is always new"
            )
        RowTables(outputs, Path.cwd()).ensure()
        folder = self._solo = self._built_folder(packed, composed.run)
        return self._opened(folder, composed, configs, outputs, resumed=False)

    def _join(
        self,
        settings: ClusterSettings,
        composed: Composed,
        configs: Configs,
        outputs: tuple[OutputSpec, ...],
    ) -> RunContext | RunReport:
        from scoopi.runs.cluster.cluster_boot import ClusterBoot, ensure_fits

        ensure_fits(self._request)
        RowTables([spec for spec in outputs if spec.is_shared_table], Path.cwd()).ensure()
        boot = ClusterBoot(self._request, settings, self._open, self._node)
        return boot.join(composed, configs, outputs)

    def _composed(self, defs: Path, configs: Configs) -> tuple[bytes, tuple[OutputSpec, ...]]:
        """The composed run, encoded, and its outputs.

        Reading many locators fragments the heap: a run decoded from its bytes takes a third of the memory.
        """
        source, current = defs.absolute(), Path.cwd()
        finder = finder_of(source, current)
        composer = DefsComposer.of(self._request, configs, finder)
        definitions = composer.compose(defs)
        outputs = self._outputs((*output_specs(definitions, finder), *record_specs(definitions)))
        composed = Composed(
            definitions=msgspec.structs.replace(definitions, locator_groups={}),
            locators=packed_locators(definitions.locator_groups.values()),
            configs=configs.kept(),
            run_date=compose_run_date(configs, datetime.now().astimezone()),
            current_folder=str(current),
            defs_source=str(source),
            plugin_digests=composer.user_files(),
            given=configs.given_of(Scope.RUN),
            run=new_incarnation(),
            inputs=dict(self._request.inputs.values),
        )
        return msgspec.msgpack.encode(composed), outputs

    def _built_folder(self, packed: bytes, run: str) -> RunFolder:
        """The complete run folder under its final name; a process killed before that leaves no folder."""
        folder = RunFolder.make_hidden(self._request.output)
        try:
            store = SettlingStore(SqliteStore(folder.store_file))
            barricade = Barricade(store, "setup", self._node)
            barricade.compose_once(lambda: packed, COMPOSE_TIMEOUT_MS)
            RunRecord(store, self._node).create(run)
            store.close()
            folder.write_state(run)
            folder.reveal(datetime.now())  # noqa: DTZ005 - the run's id is in local time
        except BaseException as error:
            folder.remove()
            folder.close()
            if isinstance(error, OSError | StoreError):
                raise _not_made(self._request.output, error) from error
            raise
        self._open.enter_context(folder)
        return folder

    # A run to resume

    def _unfinished(self) -> Path | None:
        if self._request.run is None:
            if self._request.failed and ClusterSettings.of(self._configs.compose(), Path.cwd()).is_cluster:
                return find_of_cluster(self._request.output)
            found = None if self._request.failed == "finished" else find_unfinished(self._request.output)
            return found or (find_finished(self._request.output) if self._request.failed else None)
        return folder_of_run(self._request.run, self._request.output)

    def _resumed(self) -> RunContext | RunReport | None:
        path = self._unfinished()
        if path is None:
            return None
        if self._request.failed and _is_of_cluster(path):
            from scoopi.engine.cluster_retry import ClusterRetry

            retry = ClusterRetry(self._request, self._configs, self._node, self._open, self._checked)
            return retry.join(path)
        folder = self._solo = self._open.enter_context(RunFolder.open(path))
        folder.ensure_store()
        with closing(SettlingStore(SqliteStore(folder.store_file))) as store:
            kept = Barricade(store, "setup", self._node).composed()
            state = RunRecord(store, self._node).read()
        if kept is None or state is None or state.incarnation != folder.state().run:
            raise folder.lost()
        composed = read_composed(kept)
        configs = self._configs.resumed(composed)
        outputs = self._checked(composed)
        RowTables(outputs, Path(composed.current_folder)).ensure()
        context = self._opened(folder, composed, configs, outputs, resumed=True)
        if self._request.failed and not reopen_run(context, folder) and folder.state().over:
            return None
        return context

    def _checked(self, composed: Composed) -> tuple[OutputSpec, ...]:
        """The outputs of a composed run, after checking that its files, inputs and sites are unchanged."""
        compare_user_files(composed)
        compare_inputs(composed, self._request.inputs.values)
        ensure_sites_of(composed.definitions.sites, self._configs.compose().site_files)
        finder = finder_of(Path(composed.defs_source), Path(composed.current_folder))
        return self._outputs(
            (*output_specs(composed.definitions, finder), *record_specs(composed.definitions))
        )

    # Both

    def _opened(
        self,
        folder: RunFolder,
        composed: Composed,
        configs: Configs,
        outputs: tuple[OutputSpec, ...],
        *,
        resumed: bool,
    ) -> RunContext:
        store = SettlingStore(SqliteStore(folder.store_file))
        self._open.callback(store.close)
        return RunContext(
            node=self._node,
            run=folder.state().run,
            resumed=resumed,
            composed=composed,
            configs=configs,
            folder=folder,
            store=store,
            outputs=outputs,
            stream=self._request.stdout if self._request.to_stdout else None,
            stdout=self._request.stdout,
            limit=self._request.limit,
            sync_store=functools.partial(sync_store, folder.store_file),
            watch=self._request.watch,
            notify=self._request.notify,
        )

    def _outputs(self, outputs: tuple[OutputSpec, ...]) -> tuple[OutputSpec, ...]:
        stdout = self._request.stdout
        if self._request.to_stdout and (stdout is None or not stdout.writable()):
            raise AppenderError("stdout is closed", hint="leave it open, or name a folder with --output")
        files = [
            spec.file
            for spec in outputs
            if spec.is_file and not spec.optional and not spec.output.startswith(LIST_PREFIX)
        ]
        if self._request.to_stdout and len(files) != 1:
            names = ", ".join(files) or "none"
            raise UsageError(
                f"--output - needs definitions with one output file, but these have {len(files)} ({names})",
                hint="name a folder with --output",
            )
        return outputs


def _is_of_cluster(path: Path) -> bool:
    node_folder = node_folder_of(path)
    return node_folder is not None and read_state(node_folder).cluster


def _not_made(output: Path, error: OSError | StoreError) -> RunError:
    why = error.what if isinstance(error, StoreError) else error.strerror
    return RunError(
        f"the run's folder cannot be created: {why}",
        at=str(output),
        hint="check the free space and permissions there, or choose another folder with --output",
    )
