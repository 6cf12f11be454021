"""DriverPlugins, and the process that runs script plugins with the driver of a browser.

Reads orders from stdin, one JSON object per line, and writes a reply to each on stdout; ends at the end of
stdin.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from scoopi.browser.scripts.driver_calls import AttachedDriver, DriverCalls
from scoopi.browser.scripts.script_messages import ScriptFailed, ScriptOrder
from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScoopiError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.decoders import json_decoder
from scoopi.model.definitions import PluginDef
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_files import fault_of
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.composed import defs_folder, plugin_folders

Run = Callable[[AttachedDriver], object]
"""Runs a plugin; the result is ignored."""


class DriverPlugins:
    """Runs script plugins with the driver of a browser.

    Args:
        current: folder in which script files are searched first.
        defs: the definitions, or their folder.
        limits: limits of JavaScript; the caller limits the time.
    """

    def __init__(self, current: Path, defs: Path, limits: ScriptLimits) -> None:
        self._finder = PluginFinder(plugin_folders(current, defs), BUILTINS)
        self._files = FileFinder(current, defs_folder(defs))
        self._limits = limits
        self._made: dict[bytes, Run] = {}

    def run(self, order: ScriptOrder) -> ScriptFailed | None:
        """Run the plugins of an order; returns the first failure, or None."""
        driver = AttachedDriver(order.driver_url, order.session, order.browser, order.hidden)
        try:
            for plugin in order.plugins:
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

    def _runnable(self, plugin: PluginDef) -> Run:
        made: Any = self._finder.construct("scripts", plugin)
        if not isinstance(made, BasicScript):
            function: Run = made
            return function
        from scoopi.script.driver_script import DriverScript  # late: Python functions do not need it

        inline = [made.script] if made.script.strip() else []
        files = [self._files.find(name).read_text(encoding="utf-8") for name in made.scripts]
        return partial(_run_script, DriverScript([*inline, *files], made.entry_point, self._limits))


def _run_script(script: Callable[[Callable[[str, str], str]], None], driver: AttachedDriver) -> None:
    script(DriverCalls(driver))


def main() -> None:
    """Serve orders until the end of stdin."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a plugin prints must not mix with the replies
    current, defs, memory_mb = sys.argv[1:]
    plugins = DriverPlugins(Path(current), Path(defs), ScriptLimits(memory_mb=int(memory_mb)))
    decoder = json_decoder(ScriptOrder)
    for line in orders:
        answers.write(msgspec.json.encode(plugins.run(decoder.decode(line))) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
