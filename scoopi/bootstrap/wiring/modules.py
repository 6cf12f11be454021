"""run_modules: all bindings of a run; a provider hands out what Bootstrap has opened, and opens nothing."""

from __future__ import annotations

from collections.abc import Callable

from injector import Binder, InstanceProvider, Module

from scoopi.bootstrap.wiring.engine_module import EngineModule
from scoopi.bootstrap.wiring.jobs_module import JobsModule, StoreModule
from scoopi.bootstrap.wiring.rows_module import RowsModule
from scoopi.bootstrap.wiring.workers_module import WorkersModule
from scoopi.configs.groups import (
    AppenderSettings,
    ArchiveSettings,
    ClusterSettings,
    EngineSettings,
    JobSettings,
    MetricsSettings,
    OutputSettings,
    RetrySettings,
    TaskLimit,
    WorkerSettings,
)
from scoopi.configs.site_defaults import sites_of
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.model.sites import Sites
from scoopi.runs.run_context import RunContext
from scoopi.store.ports import Store


def run_modules(context: RunContext, launch: Callable[[], WorkerLink]) -> tuple[Module, ...]:
    """All that the injector of one node's part of one run is made of.

    Args:
        launch: starts a worker, or hands out one that was started ahead.
    """
    return (
        RunValues(context),
        StoreModule(),
        WorkersModule(launch),
        JobsModule(),
        RowsModule(),
        EngineModule(),
    )


class RunValues(Module):
    """The run's context, its store, and each group of its settings."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    def configure(self, binder: Binder) -> None:
        """Bind them as values."""
        context, configs = self._context, self._context.configs
        binder.bind(RunContext, to=InstanceProvider(context))
        binder.bind(Store, to=InstanceProvider(context.store))  # type: ignore[type-abstract]  # a port
        binder.bind(AppenderSettings, to=AppenderSettings.of(configs))
        binder.bind(ArchiveSettings, to=ArchiveSettings.of(configs, context.current_folder))
        binder.bind(ClusterSettings, to=context.cluster or ClusterSettings(addresses=()))
        binder.bind(EngineSettings, to=EngineSettings.of(configs))
        binder.bind(JobSettings, to=JobSettings.of(configs))
        binder.bind(MetricsSettings, to=MetricsSettings.of(configs))
        binder.bind(OutputSettings, to=OutputSettings.of(configs))
        binder.bind(RetrySettings, to=RetrySettings.of(configs))
        binder.bind(TaskLimit, to=TaskLimit.of(configs))
        binder.bind(Sites, to=sites_of(configs, context.composed.definitions.sites))
        binder.bind(WorkerSettings, to=WorkerSettings.of(configs))
