"""BootModule: who gets what before a run is known; the run's own injector comes after it."""

from __future__ import annotations

from contextlib import ExitStack

from injector import Injector, Module, provider, singleton

from scoopi.bootstrap.bootstrap import Bootstrap
from scoopi.bootstrap.configs_composer import ConfigsComposer
from scoopi.bootstrap.node_incarnation import NodeIncarnation, new_incarnation
from scoopi.bootstrap.run_request import RunRequest


class BootModule(Module):
    """What one call has: its request, and the incarnation of this start of a node."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request

    @singleton
    @provider
    def request(self) -> RunRequest:
        return self._request

    @singleton
    @provider
    def incarnation(self) -> NodeIncarnation:
        return new_incarnation()

    @singleton
    @provider
    def configs(self, request: RunRequest) -> ConfigsComposer:
        return ConfigsComposer(request)

    @singleton
    @provider
    def bootstrap(self, request: RunRequest, configs: ConfigsComposer, node: NodeIncarnation) -> Bootstrap:
        return Bootstrap(request, configs, node, ExitStack())


def bootstrap_for(request: RunRequest) -> Bootstrap:
    """The Bootstrap of one call; to be entered with `with`."""
    return Injector([BootModule(request)], auto_bind=False).get(Bootstrap)
