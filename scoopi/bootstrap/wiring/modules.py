"""The modules of a run's injector, and OpenedRun: the run that Bootstrap has opened on this node."""

from __future__ import annotations

import time
from collections.abc import Callable

from injector import Binder, Injector, InstanceProvider, Module

from scoopi.bootstrap.wiring.engine_module import EngineModule
from scoopi.bootstrap.wiring.jobs_module import JobsModule, StoreModule
from scoopi.bootstrap.wiring.rows_module import RowsModule
from scoopi.bootstrap.wiring.workers_module import WorkersModule
from scoopi.configs.groups import (
    AppenderSettings,
    ArchiveSettings,
    BudgetSettings,
    ClusterSettings,
    EngineSettings,
    JobSettings,
    MetricsSettings,
    OutputSettings,
    PolitenessSettings,
    RetrySettings,
    TaskLimit,
    WorkerSettings,
)
from scoopi.configs.site_defaults import sites_of
from scoopi.engine.engine import Engine
from scoopi.errors import RunError
from scoopi.mediator.budgets.page_limit import PageLimit
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.mediator.workers.watchdog import Watchdog
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.sites import Sites
from scoopi.runs.composed import has_scripts
from scoopi.runs.folders.run_folder import point_latest
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from scoopi.store.ports import Store


def run_modules(context: RunContext, launch: Callable[[], WorkerLink]) -> tuple[Module, ...]:
    """The modules of the injector for one node's part of a run.

    Args:
        launch: starts a worker, or returns one that was started in advance.
    """
    return (
        RunValues(context),
        StoreModule(context),
        WorkersModule(launch),
        JobsModule(),
        RowsModule(),
        EngineModule(),
    )


class RunValues(Module):
    """The run's context, its store, the groups of its settings, and what is made of these values alone."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    def configure(self, binder: Binder) -> None:
        """Bind the context, its store, the groups of its settings, and what is made of these."""
        context, configs, limit = self._context, self._context.configs, TaskLimit.of(self._context.configs)
        binder.bind(RunContext, to=InstanceProvider(context))
        binder.bind(Store, to=InstanceProvider(context.store))  # type: ignore[type-abstract]  # a port
        binder.bind(AppenderSettings, to=AppenderSettings.of(configs))
        binder.bind(ArchiveSettings, to=ArchiveSettings.of(configs, context.current_folder))
        binder.bind(BudgetSettings, to=BudgetSettings.of(configs))
        binder.bind(ClusterSettings, to=context.cluster or ClusterSettings(addresses=()))
        binder.bind(EngineSettings, to=EngineSettings.of(configs))
        binder.bind(JobSettings, to=JobSettings.of(configs))
        binder.bind(MetricsSettings, to=MetricsSettings.of(configs))
        binder.bind(OutputSettings, to=OutputSettings.of(configs))
        binder.bind(PolitenessSettings, to=PolitenessSettings.of(configs))
        binder.bind(TaskLimit, to=limit)
        binder.bind(Sites, to=sites_of(configs, context.composed.definitions.sites))
        binder.bind(WorkerSettings, to=WorkerSettings.of(configs))
        binder.bind(Definitions, to=InstanceProvider(context.composed.definitions))
        binder.bind(PageLimit, to=InstanceProvider(PageLimit(context.limit)))
        binder.bind(RetryBudget, to=InstanceProvider(RetryBudget(RetrySettings.of(configs).per_run)))
        binder.bind(Watchdog, to=InstanceProvider(Watchdog(limit.limit_s, time.monotonic)))


class OpenedRun:
    """The run that Bootstrap has opened on this node. Valid until its Bootstrap is closed."""

    def __init__(self, request: RunRequest, context: RunContext, launcher: WorkerLauncher) -> None:
        self._request = request
        self._context = context
        self._launcher = launcher

    def engine(self) -> Engine:
        """Make the engine that runs this node's part of the run; call it once."""
        return Injector(run_modules(self._context, self._launch()), auto_bind=False).get(Engine)

    def note(self, report: RunReport) -> None:
        """If the run is over, record that in the node's folder, so that `resume` skips it.

        Raises:
            RunError: the folder cannot be written.
        """
        if report.status is not RunStatus.DONE:
            return
        folder = self._context.folder
        try:
            folder.write_state(self._context.run, over=True)
        except OSError as error:
            raise RunError(
                f"all rows are published, but the end of the run cannot be recorded: {error.strerror}",
                at=str(folder.path),
                hint="free some space or fix the folder; `scoopi resume` records it",
            ) from error
        if not self._request.to_stdout:
            point_latest(folder.path)

    def was_left_over(self, report: RunReport) -> bool:
        """Whether this only published the rows of an earlier run that this node had left unfinished.

        That run was not requested by name, so the node then continues with the current one, and the user is
        notified.
        """
        context = self._context
        done = context.returned and context.was_over and report.status is RunStatus.DONE
        if done and not report.missing:
            rows = sum(report.rows.values())
            self._request.notify(f"run {report.run} was over: its {rows} rows of this node are published now")
        return done and not report.missing

    def _launch(self) -> Callable[[], WorkerLink]:
        """With 0 workers tasks run in a thread, except scripts, which could block the interpreter."""
        context = self._context
        if WorkerSettings.of(context.configs).workers or has_scripts(context.composed.definitions):
            return self._launcher.launch
        from scoopi.bootstrap.worker_wiring import wire  # late: worker processes import it themselves

        return self._launcher.thread_first(wire)
