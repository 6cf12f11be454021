"""group_loaders: the loaders of task groups whose pages Scoopi's HTTP client does not load."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.groups import ScriptLimits
from scoopi.model.scrape.task_def import TaskGroup
from scoopi.plugins.plugin_finder import PluginFinder

if TYPE_CHECKING:
    from scoopi.plugins.loader_port import LoaderPlugin

BROWSER, AUTO = "browser", "auto"
"""Values of `loader` that need a browser; the first is also the name of the loader that uses it."""


def group_loaders(
    groups: Iterable[TaskGroup], finder: PluginFinder, browsers: str
) -> dict[str, tuple[str, LoaderPlugin]]:
    """Task group -> (name of its loader, the loader), for groups that have one.

    Args:
        browsers: socket of the browser pool; empty if no group needs one.
    Raises:
        PluginError: a plugin cannot be created.
    """
    loaders: dict[str, tuple[str, LoaderPlugin]] = {}
    for group in groups:
        for plugin in group.loader_plugins:
            loaders[group.name] = (plugin.name, finder.construct("loaders", plugin))
        if group.browser is not None:
            from scoopi.browser.browser_loader import BrowserLoader  # late: few runs have browsers

            loaders[group.name] = (BROWSER, BrowserLoader(browsers, group.browser))
    return loaders


def plugins_command(current: Path, defs: Path, limits: ScriptLimits) -> tuple[str, ...]:
    """The command of the process that runs script plugins with browsers; see `driver_wiring`.

    Args:
        current: folder in which script files are searched first.
        defs: the definitions, or their folder.
    """
    own = (str(current.absolute()), str(defs.absolute()), str(limits.memory_mb))
    return (sys.executable, "-P", "-m", "scoopi.bootstrap.driver_wiring", *own)


def ensure_library(loader: str) -> None:
    """Check that the library for the `loader` of a task group is installed.

    Raises:
        ConfigError: it is not installed.
    """
    if loader in (BROWSER, AUTO):
        from scoopi.browser.pool_process import ensure_selenium

        ensure_selenium()
