"""ClusterAdmin: requests to a cluster from outside its runs: figures, cancel, forget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import RecordError, RunError, UsageError
from scoopi.model.job import new_incarnation
from scoopi.model.report.run_figures import ClusterFigures, RunFigures
from scoopi.runs.cluster.cluster_runs import live_nodes, runs_of
from scoopi.runs.cluster.run_name import RunName, valid_name
from scoopi.runs.cluster.run_survey import RunSurvey
from scoopi.runs.composed import Composed, read_composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunCancel, RunPhase, RunRecord
from scoopi.store.shared_backend import open_backend


class ClusterAdmin:
    """Answers requests to a cluster from outside its runs: figures, cancel, forget.

    Connected within its `with`.

    Args:
        is_guarded: whether all is refused while no majority of the cluster's members is seen.
    Raises:
        UsageError: no cluster was named.
        ClusterError: it does not answer.
    """

    def __init__(self, request: RunRequest, *, is_guarded: bool = False) -> None:
        self._is_guarded = is_guarded
        self._settings = ClusterSettings.of(ConfigsComposer(request).compose(), Path.cwd())
        self._opened = ExitStack()
        self._node = new_incarnation()
        if not self._settings.is_cluster:
            hint = "add --cluster HOST:PORT, or --store postgresql://USER@HOST/DATABASE"
            raise UsageError("no cluster given", hint=hint)

    def __enter__(self) -> ClusterAdmin:
        self._backend = open_backend(self._settings, self._node, is_guarded=self._is_guarded)
        self._opened.callback(self._backend.close)
        self._registry = runs_of(self._backend, self._node, self._settings.heartbeat_ms)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def figures(self, run: str | None) -> ClusterFigures:
        """The figures of one run, or of all runs.

        Raises:
            RunError: the cluster knows no run of that name.
            StoreError: the cluster does not answer.
        """
        heartbeat_ms = self._settings.heartbeat_ms
        kept = self._stores(run)
        kept_s = {
            name: self._registry.keep_alive.seconds(maps) for name, maps in self._registry.kept().items()
        }
        runs = [
            replace(_figures(RunSurvey(store, name, heartbeat_ms), name), kept_s=kept_s.get(name, 0))
            for name, store in kept.items()
        ]
        settings, members = self._settings, tuple(self._backend.members())
        name = settings.name if settings.store is None else settings.store.shown
        is_database = settings.store is not None
        return ClusterFigures(name, members, tuple(runs), self._backend.most_members(), is_database)

    def store(self, run: str) -> Store:
        """The records of a run, valid within this `with`.

        Raises:
            RunError: the cluster knows no run of that name.
            StoreError: the cluster does not answer.
        """
        return self._stores(run)[run]

    def phase(self, run: str) -> RunPhase | None:
        """The phase of the run; None if it was reopened just now.

        Raises:
            RunError: the cluster knows no run of that name.
            StoreError: the cluster does not answer.
        """
        state = RunRecord(self.store(run), self._node).read()
        return None if state is None else state.phase

    def composed(self, run: str) -> Composed:
        """What the run was composed of.

        Raises:
            RunError: the cluster knows no run of that name (any more), or has not composed it.
            StoreError: the cluster does not answer.
        """
        if run not in self._registry.kept():
            what = f"{self._backend.name} knows no run {run!r}, or no longer"
            hint = "it keeps a finished run for scoopi.run.retention: start a new run of the same definitions"
            raise RunError(what, hint=hint)
        before = self._registry.before(run)
        stores = [self.store(run), *([] if before is None else [self._backend.store(before)])]
        found = (Barricade(store, "setup", self._node).composed() for store in stores)
        if (packed := next((each for each in found if each is not None), None)) is None:
            raise RunError(f"the run {run} has not begun, or has just expired", hint="start it again")
        return read_composed(packed)

    def reopen(self, run: str, keep_s: int) -> None:
        """Give a run that is over new maps, so that its failed tasks can run again.

        The first node that joins the run fills the maps (`ReopenedRun`). Nothing changes if the run is not
        over, or if another node has reopened it.

        Args:
            keep_s: how long the run is kept after the last heartbeat of a node, in seconds.
        """
        self._registry.reopen(run, keep_s)

    def cancel(self, run: str) -> bool:
        """Ask all nodes of the run to shut down gracefully.

        Returns:
            False when the run is ending or over.
        Raises:
            RunError: the cluster knows no run of that name.
            StoreError: the cluster does not answer.
        """
        store = self.store(run)
        state = RunRecord(store, self._node).read()
        if state is not None and state.phase is not RunPhase.RUNNING:
            return False
        RunCancel(store, self._node).ask()
        return True

    def forget(self, run: str, is_sure: Callable[[Sequence[str]], bool]) -> bool:
        """Remove all that the cluster keeps of a run; files stay.

        Args:
            is_sure: given the nodes that still work on it, if there are any.
        Returns:
            False when nothing was removed.
        Raises:
            UsageError: it is not a valid name of a run.
            RunError: the cluster knows no run of that name.
            StoreError: the cluster does not answer; call again.
        """
        valid_name(run)
        try:
            self._registry.maps(run)  # read first: a damaged record does not make the run unknown
            nodes = live_nodes(self._stores(run)[run], self._settings.heartbeat_ms)
        except RecordError:
            nodes = []
        if nodes and not is_sure(nodes):
            return False
        self._registry.forget(run)
        RunName(self._backend.store(), lambda _: False, self._node).forget(run)
        return True

    def _stores(self, run: str | None) -> dict[str, Store]:
        """The records of that run, or of all, by their names."""
        kept = self._registry.kept()
        if run is not None and run not in kept:
            known = f"it knows {', '.join([*kept][:10])}" if kept else "it knows none"
            raise RunError(f"{self._backend.name} knows no run {run!r}", hint=known)
        return {name: self._backend.store(maps) for name, maps in kept.items() if run in (None, name)}


def _figures(survey: RunSurvey, run: str) -> RunFigures:
    """The figures of one run; if its records cannot be read, the other runs are still shown."""
    try:
        return survey.figures()
    except RecordError as error:
        return RunFigures(run, "DAMAGED", fault=str(error))
