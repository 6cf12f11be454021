"""RunContext: what Bootstrap has opened, for the run's injector to hand out."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec

from scoopi.configs.configs import Configs
from scoopi.configs.groups import BudgetSettings, ClusterSettings
from scoopi.metrics.node_view import JoiningNode
from scoopi.model.downloads import FILES_FOLDER
from scoopi.model.report.progress import Progress
from scoopi.outputs.output_spec import OutputSpec
from scoopi.runs.composed import Composed, WorkerPlan
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.run_request import ignore_notice
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunCancel
from scoopi.store.runs.run_retention import RunRetention


class RunContext(msgspec.Struct, frozen=True):
    """One node's part of one run, opened and composed.

    Attributes:
        node: incarnation of this process.
        run: incarnation of the run.
        resumed: whether an earlier process started the run.
        outputs: the outputs that this node writes.
        stream: where the one output goes instead of a file; None for files.
        stdout: where records go whose output is `-`; None when it is closed.
        limit: the number of pages that the run may load; None for no limit.
        sync_store: makes the store of a run on one machine durable, so that it survives a power failure.
        watch: called with the progress; None when nobody watches.
        notify: called with one-line notices for the user.
        cluster: the settings of the connection to the cluster; None for a run on one machine.
        cancel: reads whether the run was cancelled by `scoopi cancel`; None on one machine.
        was_over: whether the run was ending or over when this node joined.
        returned: whether no run was named, and this node continues one that it had left unfinished.
        plain_outputs: in a cluster, the outputs under the names that they have on one machine.
        retention: gives the run's records in the cluster an expiry time when it is over; None on one machine.
        set_deadline: called with the monotonic time by which the cluster must have answered, and the seconds
            that the node has after it; None on one machine.
        on_seeded: called while this node seeds, with the number of jobs so far.
        keep: called every liveness gap; renews the time for which the cluster keeps the unfinished run.
        joining: answered probes while this node joined the run; None on one machine.
        browsers: the socket of the node's browsers; empty if no page is loaded in one.
        canaries: keys of the records whose loss shows that the run's data is lost.
    """

    node: str
    run: str
    resumed: bool
    composed: Composed
    configs: Configs
    folder: RunFolder | NodeFolder
    store: Store
    outputs: tuple[OutputSpec, ...]
    stream: IO[bytes] | None
    watch: Callable[[Progress], None] | None
    cluster: ClusterSettings | None = None
    canaries: tuple[str, ...] = ("canary",)
    cancel: RunCancel | None = None
    was_over: bool = False
    returned: bool = False
    plain_outputs: tuple[OutputSpec, ...] = ()
    retention: RunRetention | None = None
    joining: JoiningNode | None = None
    set_deadline: Callable[[float, float], None] | None = None
    keep: Callable[[], None] = lambda: None
    notify: Callable[[str], object] = ignore_notice
    stdout: IO[bytes] | None = None
    limit: int | None = None
    sync_store: Callable[[], None] = lambda: None
    on_seeded: Callable[[int], None] = lambda jobs: None
    browsers: str = ""

    @property
    def current_folder(self) -> Path:
        """Where the run was started."""
        return Path(self.composed.current_folder)

    @property
    def table_folder(self) -> Path:
        """What the paths of SQLite files are relative to; each node of a cluster has its own."""
        return self.current_folder if self.cluster is None else Path.cwd()

    def owns(self, incarnation: str) -> bool:
        """Whether an incarnation is one of this node's; on one machine, all are."""
        if self.cluster is None or incarnation == self.node:
            return True
        return (self.folder.segments / f"{incarnation}.seg").exists()

    @property
    def store_timeout_s(self) -> float:
        """How long a cluster that does not answer is retried; 0 on one machine."""
        return 0.0 if self.cluster is None else self.cluster.reconnect_timeout_ms / 1000

    def place_of(self, group: str, task: str) -> str:
        """Where a task is defined, as `file:line:column`; for an unknown task, where its group's first is."""
        tasks = self.composed.definitions.task_groups[group].tasks
        return str(next((each.place for each in tasks if each.name == task), tasks[0].place))

    def tasks_of(self, group: str) -> str:
        """The names of a group's tasks, joined by commas."""
        return ",".join(task.name for task in self.composed.definitions.task_groups[group].tasks)

    def _has_byte_budget(self) -> bool:
        definitions = self.composed.definitions
        return bool(
            BudgetSettings.of(self.configs).bytes
            or any(group.budget.bytes for group in definitions.task_groups.values())
            or any("bytes" in block.values.get("budget", ()) for block in definitions.sites)
        )

    def worker_plan(self) -> WorkerPlan:
        """What each worker of this node is wired from."""
        composed, is_verbose = self.composed, logging.getLogger(__name__).isEnabledFor(logging.INFO)
        return WorkerPlan(
            definitions=composed.definitions,
            configs=self.configs.composed(),
            run_date=composed.run_date,
            current_folder=composed.current_folder,
            defs_source=composed.defs_source,
            is_cluster=self.cluster is not None,
            secrets=self.configs.secrets,
            reports_pages=is_verbose or self._has_byte_budget(),
            times_entries=is_verbose,
            browsers=self.browsers,
            files=str(self.folder.node_folder / FILES_FOLDER),
            process=self.node,
        )

    def resume_command(self) -> str:
        """What the user types to resume the run."""
        if self.cluster is not None:
            return f"the same command again, with --run {shlex.quote(self.folder.path.name)}"
        return self.command("resume")

    def command(self, verb: str) -> str:
        """The command line of a verb that continues the run, in the cluster that keeps it if there is one."""
        folder = self.folder.path
        try:
            shown = folder.absolute().relative_to(Path.cwd())
        except ValueError:
            shown = folder
        stream = " --output -" if self.stream is not None else ""
        return f"scoopi {verb} {shlex.quote(str(shown))}{stream}{self._cluster_words()}"

    def _cluster_words(self) -> str:
        if self.cluster is None:
            return ""
        if self.cluster.store is not None:
            return f" --store {shlex.quote(self.cluster.store.shown)}"
        name = self.cluster.name
        named = "" if name == ClusterSettings(()).name else f" -D scoopi.cluster.name={shlex.quote(name)}"
        return f" --cluster {','.join(self.cluster.addresses)}{named}"
