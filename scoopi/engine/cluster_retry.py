"""ClusterRetry: has a node take part in a cluster's run once more, to run its failed tasks again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from scoopi.configs.groups import ClusterSettings, OutputSettings
from scoopi.engine.failed_tasks import FailedTasks
from scoopi.model.report.run_report import RunReport
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.row_tables import RowTables
from scoopi.runs.cluster.cluster_admin import ClusterAdmin
from scoopi.runs.cluster.cluster_boot import ClusterBoot, ensure_fits
from scoopi.runs.composed import Composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.folders.node_folder import segments_of_all
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from scoopi.store.retries import retried
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.runs.shared_counts import forget_counts


class ClusterRetry:
    """Has a node take part in a cluster's run once more, to run its failed tasks again.

    A run that is over is reopened under its name, as long as the cluster keeps it. The failed tasks are those
    whose frames are in the run's folder here.

    Args:
        configs: the settings given to this node.
        node: incarnation of this process.
        opened: closes what this opens.
        checked: compares a composed run with what is on this machine, and returns its outputs.
    """

    def __init__(
        self,
        request: RunRequest,
        configs: ConfigsComposer,
        node: str,
        opened: ExitStack,
        checked: Callable[[Composed], tuple[OutputSpec, ...]],
    ) -> None:
        self._request = request
        self._configs = configs
        self._node = node
        self._opened = opened
        self._checked = checked

    def join(self, path: Path) -> RunContext | RunReport | None:
        """Reopen and join the run of a folder, and put its failed tasks into the store.

        Args:
            path: the run's folder.

        Returns:
            The context or report of `ClusterBoot.join`; None if none of its failed tasks can be run again
            here.

        Raises:
            UsageError: no cluster was named.
            RunError: the cluster does not know the run, or has removed it.
            As `ClusterBoot.join`.
        """
        ensure_fits(self._request)
        request = replace(self._request, run=path.name, output=path.parent)
        timeout_s = ClusterSettings.of(self._configs.compose(), Path.cwd()).reconnect_timeout_ms / 1000
        with ClusterAdmin(request, is_guarded=True) as admin:
            composed = retried(
                "looking for failed tasks",
                lambda: self._reopened(admin, path),
                timeout_s,
                request.is_stopped,
            )
        if composed is None:
            return None
        configs, outputs = self._configs.joining(composed), self._checked(composed)
        RowTables([spec for spec in outputs if spec.is_shared_table], Path.cwd()).ensure()
        settings = ClusterSettings.of(configs, Path.cwd())
        context = ClusterBoot(request, settings, self._opened, self._node).join(composed, configs, outputs)
        if isinstance(context, RunContext) and not context.was_over:
            failed = FailedTasks(context.store, self._node, segments_of_all(path))
            retried(
                "putting failed tasks",
                lambda: failed.put(failed.jobs()),
                context.store_timeout_s,
                request.is_stopped,
            )
        return context

    def _reopened(self, admin: ClusterAdmin, path: Path) -> Composed | None:
        """What the run was composed of, once it can be joined; None: it is over, and nothing failed here."""
        composed = admin.composed(path.name)
        if admin.phase(path.name) is RunPhase.OVER:
            if not FailedTasks(admin.store(path.name), self._node, segments_of_all(path)).jobs():
                return None
            forget_counts(admin.store(path.name))
            admin.reopen(path.name, OutputSettings.of(self._configs.joining(composed)).unfinished_s)
        return composed
