"""Bootstrap: boots a node: composes configs and definitions, opens the run's folder and store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from types import TracebackType

import msgspec
from injector import Injector, inject

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.modules import RunModule
from scoopi.configs.configs import Configs
from scoopi.configs.groups import ClusterSettings, WorkerSettings
from scoopi.configs.run_date import compose_run_date
from scoopi.configs.setting import Scope
from scoopi.engine.engine import Engine
from scoopi.errors import AppenderError, RecordError, RunError, StoreError, UsageError
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.model.definitions import Definitions
from scoopi.model.run_report import RunReport, RunStatus
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.ports import LIST_PREFIX
from scoopi.publishing.output_file import OutputSpec
from scoopi.publishing.outputs import output_specs
from scoopi.runs.composed import (
    Composed,
    compare_user_files,
    has_scripts,
    packed_locators,
    plugin_folders,
    read_composed,
)
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.node_incarnation import NodeIncarnation, new_incarnation
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_folder import RunFolder, find_unfinished, point_latest
from scoopi.runs.run_request import RunRequest
from scoopi.runs.run_state import KEEP
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

COMPOSE_TIMEOUT_MS = 60_000


class Bootstrap:
    """What it opens is closed by its `with`, last opened first."""

    @inject
    def __init__(
        self, request: RunRequest, configs: ConfigsComposer, node: NodeIncarnation, launcher: WorkerLauncher
    ) -> None:
        self._request = request
        self._configs = configs
        self._node = node
        self._launcher = launcher
        self._open = ExitStack()
        self._context: RunContext | None = None
        self._finished: RunReport | None = None
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

    def setup(self) -> bool:
        """Compose a new run, or find the one to go on with.

        Returns:
            False when there is no run to go on with.
        Raises:
            BootError: what is wrong, before anything was begun.
            UsageError: the options do not fit the definitions.
        """
        if self._request.defs is not None:
            begun = self._begin(self._request.defs)
            if isinstance(begun, RunReport):
                self._finished = begun
            else:
                self._context = begun
            return True
        folder = self._unfinished()
        if folder is not None:
            self._context = self._go_on(folder)
        return folder is not None

    @property
    def finished(self) -> RunReport | None:
        """The report of a run that is over, and forgotten by its cluster: there is no engine for it."""
        return self._finished

    def engine(self) -> Engine:
        """The engine of what `setup` has opened."""
        assert self._context is not None, "setup comes first"
        launch = self._launch_of(self._context.configs, self._context.composed.definitions)
        return Injector([RunModule(self._context, launch)], auto_bind=False).get(Engine)

    def note(self, report: RunReport) -> None:
        """Remember in the node's folder that the run is over, so that `resume` passes it over."""
        assert self._context is not None, "setup comes first"
        if report.status is RunStatus.DONE:
            try:
                self._context.folder.write_state(self._context.run, over=True)
            except OSError as error:
                raise RunError(
                    f"all rows are published, but that the run is over cannot be noted: {error.strerror}",
                    at=str(self._context.folder.path),
                    hint="make room or fix the folder; `scoopi resume` notes it",
                ) from error
            if not self._request.to_stdout:
                point_latest(self._context.folder.path)

    def has_made_up(self, report: RunReport) -> bool:
        """Whether this only published the rows of a run that this node had left unfinished, and that is over.

        Nobody asked for that run by its name: the node goes on with the current one.
        """
        assert self._context is not None, "setup comes first"
        done = self._context.returned and self._context.was_over and report.status is RunStatus.DONE
        if done and not report.missing:
            rows = sum(report.rows.values())
            self._request.tell(f"run {report.run} was over: its {rows} rows of this node are published now")
        return done and not report.missing

    # A new run

    def _begin(self, defs: Path) -> RunContext | RunReport:
        configs = self._configs.compose()
        packed, outputs = self._composed(defs, configs)
        composed = msgspec.msgpack.decode(packed, type=Composed)
        settings = ClusterSettings.of(configs, Path.cwd())
        if settings.addresses:
            return self._join(settings, composed, configs, outputs)
        if self._request.run is not None:
            raise UsageError(
                "--run names a run of a cluster", hint="add --cluster HOST:PORT, or leave it out"
            )
        if self._request.anew:
            raise UsageError("--anew is for runs of a cluster", hint="a run on one machine is always new")
        folder = self._solo = self._built_folder(packed, composed.run)
        return self._opened(folder, composed, configs, outputs, resumed=False)

    def _join(
        self,
        settings: ClusterSettings,
        composed: Composed,
        configs: Configs,
        outputs: tuple[OutputSpec, ...],
    ) -> RunContext | RunReport:
        if self._request.to_stdout:
            raise UsageError("--output - is for runs on one machine", hint="name a folder with --output")
        from scoopi.runs.cluster_boot import ClusterBoot

        boot = ClusterBoot(self._request, settings, self._open, self._node)
        return boot.join(composed, configs, outputs)

    def _composed(self, defs: Path, configs: Configs) -> tuple[bytes, tuple[OutputSpec, ...]]:
        """What the run is made from, packed: decoded anew it takes a third of the memory that the
        reading of many locators leaves in pieces behind."""
        source, current = defs.absolute(), Path.cwd()
        finder = PluginFinder(plugin_folders(current, source), BUILTINS)
        composer = DefsComposer(configs, finder, current)
        definitions = composer.compose(defs)
        outputs = self._outputs(output_specs(definitions, finder))
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
        )
        return msgspec.msgpack.encode(composed), outputs

    def _built_folder(self, packed: bytes, run: str) -> RunFolder:
        """The run's folder, complete under its own name; a process that is killed before leaves none."""
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

    # A run to go on with

    def _unfinished(self) -> Path | None:
        if self._request.run is None:
            return find_unfinished(self._request.output)
        for path in (Path(self._request.run), self._request.output / self._request.run):
            if path.is_dir():
                return path
        raise RunError("there is no such run", at=self._request.run, hint="name its folder, or its id")

    def _go_on(self, path: Path) -> RunContext:
        folder = self._solo = self._open.enter_context(RunFolder.open(path))
        folder.ensure_store()
        with closing(SettlingStore(SqliteStore(folder.store_file))) as store:
            kept = Barricade(store, "setup", self._node).composed()
            state = RunRecord(store, self._node).read()
        if kept is None or state is None or state.incarnation != folder.state().run:
            raise folder.lost()
        composed = read_composed(kept)
        configs = self._configs.go_on(composed)
        compare_user_files(composed)
        finder = PluginFinder(
            plugin_folders(Path(composed.current_folder), Path(composed.defs_source)), BUILTINS
        )
        outputs = self._outputs(output_specs(composed.definitions, finder))
        return self._opened(folder, composed, configs, outputs, resumed=True)

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
            watch=self._request.watch,
            tell=self._request.tell,
        )

    def _launch_of(self, configs: Configs, definitions: Definitions) -> Callable[[], WorkerLink]:
        """With 0 workers tasks run in a thread, but not scripts: one could hold the interpreter."""
        if WorkerSettings.of(configs).workers or has_scripts(definitions):
            return self._launcher.launch
        from scoopi.bootstrap.worker_wiring import wire  # late: a worker process has its own

        return self._launcher.thread_first(wire)

    def _outputs(self, outputs: tuple[OutputSpec, ...]) -> tuple[OutputSpec, ...]:
        stdout = self._request.stdout
        if self._request.to_stdout and (stdout is None or not stdout.writable()):
            raise AppenderError("stdout is closed", hint="leave it open, or name a folder with --output")
        files = [spec.file for spec in outputs if not spec.output.startswith(LIST_PREFIX)]
        if self._request.to_stdout and len(files) != 1:
            names = ", ".join(files) or "none"
            raise UsageError(
                f"--output - wants definitions with one output file, and these have {len(files)} ({names})",
                hint="name a folder with --output",
            )
        return outputs


def _not_made(output: Path, error: OSError | StoreError) -> RunError:
    said = error.what if isinstance(error, StoreError) else error.strerror
    return RunError(
        f"the run's folder cannot be made: {said}",
        at=str(output),
        hint="look after the space and rights there, or choose another folder with --output",
    )
