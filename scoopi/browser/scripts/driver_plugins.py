"""DriverPlugins: runs script plugins with the driver of a browser, in a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import msgspec

from scoopi.browser.scripts.driver_calls import AttachedDriver, DriverCalls
from scoopi.browser.scripts.script_messages import ScriptFailed, ScriptRequest
from scoopi.errors import ScoopiError
from scoopi.model.decoders import json_decoder
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.plugin_files import fault_of
from scoopi.plugins.plugin_finder import PluginFinder

DriverCall = Callable[[AttachedDriver], object]
"""Runs a plugin; the result is ignored."""
CompiledScript = Callable[[Callable[[str, str], str]], None]
"""Runs JavaScript, which calls its host with the name of an operation and arguments as JSON."""


class DriverPlugins:
    """Runs script plugins with the driver of a browser.

    Args:
        finder: finds the plugins.
        compiled: makes the JavaScript of a plugin runnable.
    """

    def __init__(self, finder: PluginFinder, compiled: Callable[[BasicScript], CompiledScript]) -> None:
        self._finder = finder
        self._compiled = compiled
        self._made: dict[bytes, DriverCall] = {}

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Read requests, a line of JSON each, until the input ends; write the result of `run` for each."""
        decoder = json_decoder(ScriptRequest)
        for line in requests:
            answers.write(msgspec.json.encode(self.run(decoder.decode(line))) + b"\n")
            answers.flush()

    def run(self, request: ScriptRequest) -> ScriptFailed | None:
        """Run the plugins of a request up to the first that fails; return its failure, or None."""
        driver = AttachedDriver(request.driver_url, request.session, request.browser, request.hidden)
        try:
            for plugin in request.plugins:
                failed = self._failure(plugin, driver)
                if failed is not None:
                    return failed
            return None
        finally:
            driver.implicitly_wait(0)  # others use the session, too

    def _failure(self, plugin: PluginDef, driver: AttachedDriver) -> ScriptFailed | None:
        cause = f"the script plugin {plugin.name} at {plugin.place} failed"
        try:
            key = msgspec.json.encode(plugin)
            if key not in self._made:
                self._made[key] = self._runnable(plugin)
            self._made[key](driver)
        except ScoopiError as error:
            return ScriptFailed(f"{cause}: {error.what}", cause, error.hint)
        except Exception as error:  # raised by the user's function
            fault = fault_of(error, lambda file: file in self._finder.digests())
            where = f" ({fault.at})" if fault.at else ""
            return ScriptFailed(f"{cause}: {fault.what.splitlines()[0]}{where}", cause)
        return None

    def _runnable(self, plugin: PluginDef) -> DriverCall:
        made: Any = self._finder.construct("scripts", plugin)
        if isinstance(made, BasicScript):
            return partial(_run_script, self._compiled(made))
        function: DriverCall = made
        return function


def _run_script(script: CompiledScript, driver: AttachedDriver) -> None:
    script(DriverCalls(driver))
