"""PluginHarness: plays the loader that begins the calls of a plugin, and gives each the grants it wants."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from msgspec import structs

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.address import host_of
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.hop_results import PluginResult
from scoopi.fetch.request import Request
from scoopi.model.handover import Grant
from scoopi.model.sites import Site, Sites
from scoopi.plugins.loader_port import Answer, Web
from scoopi.worker.plugin_loads import LoadLimits, PluginLoads

LIMIT_S = 30.0
URL = "http://h.example/a"
SETTINGS = WebClientSettings("Scoopi/test", max_bytes=1000, max_redirects=2)
SITES = Sites(Site(user_agent="Scoopi/test", timeout_ms=5000, headers={"X-Bread": "rye"}))
Load = Callable[[str, Web], Any]


class Plugin:
    """A loader of one function."""

    def __init__(self, load: Load) -> None:
        self.load = load


class PluginHarness:
    """Plays the loader that begins the calls, and gives each the grants that it wants."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.results: list[PluginResult] = []
        self.sent: list[str] = []
        self.loads: PluginLoads | None = None

    def plugin(self, load: Load, limits: LoadLimits | None = None) -> PluginLoads:
        limits = limits or LoadLimits(SETTINGS, SITES, PrivateHosts("inside"))
        self.loads = PluginLoads(Plugin(load), "hall", limits, self.woken.set)
        return self.loads

    def begin(self, request: Request, not_after: float = math.inf) -> None:
        assert self.loads is not None
        grant = Grant(host_of(request.url), not_after)
        self.loads.begin(request, grant, self.results.append, self.sent.append)

    def next(self) -> PluginResult:
        """The next result of the call under way."""
        assert self.loads is not None
        end = time.monotonic() + LIMIT_S
        while not self.results:
            assert time.monotonic() < end, "nothing came of the call"
            self.woken.wait(0.05)
            self.woken.clear()
            self.loads.turn()
        return self.results.pop(0)

    def load(self, load: Load, request: Request | None = None) -> PluginResult:
        self.plugin(load)
        self.begin(request or Request(URL))
        return self.next()

    def error(self, load: Load) -> FetchError:
        result = self.load(load)
        assert isinstance(result, FetchError), result
        return result


def answering(**fields: Any) -> Load:
    """A loader that sends one request, and has this answer."""

    def load(url: str, web: Web) -> Answer:
        with web.grant(url):
            return structs.replace(Answer(url, b"<p>page"), **fields)

    return load


def raising(error: BaseException) -> Load:
    def load(url: str, web: Web) -> Answer:
        with web.grant(url):
            raise error

    return load
