"""BootModule: the bindings that exist before a run is known; a run has its own injector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from injector import Binder, Injector, InstanceProvider, Module

from scoopi.configs.groups import WorkerSettings
from scoopi.configs.machine import cores
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.model.job import NodeIncarnation, new_incarnation
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.bootstrap.bootstrap import Bootstrap

WIRE = "scoopi.bootstrap.worker_wiring:wire"
"""The function that makes the parts of a worker process."""


class BootModule(Module):
    """Binds the objects of one call: its request, and the incarnation of this start of the node."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request

    def configure(self, binder: Binder) -> None:
        """Bind the request, the node's incarnation, the composer of settings, and the launcher of workers."""
        binder.bind(RunRequest, to=InstanceProvider(self._request))
        binder.bind(NodeIncarnation, to=InstanceProvider(new_incarnation()))
        binder.bind(ConfigsComposer, to=InstanceProvider(ConfigsComposer(self._request)))
        binder.bind(WorkerLauncher, to=InstanceProvider(WorkerLauncher(WIRE)))


@contextmanager
def bootstrap_for(request: RunRequest) -> Iterator[Bootstrap]:
    """Open the Bootstrap of one call, with its worker processes starting in the background.

    Raises:
        ConfigError: reports all errors of the settings.
    """
    boot = Injector([BootModule(request)], auto_bind=False)
    with boot.get(WorkerLauncher) as launcher:
        workers = 0
        if request.defs is not None:
            workers = WorkerSettings.of(boot.get(ConfigsComposer).compose()).workers
        beside = min(workers, max(1, cores() - 1))
        launcher.start_ahead(beside)
        from scoopi.bootstrap.bootstrap import Bootstrap  # late: slow, and workers start in the meantime

        # The others have no core before: they would only delay this process, and with it the first page.
        launcher.start_ahead(workers - beside)
        with boot.create_object(Bootstrap) as bootstrap:
            yield bootstrap
