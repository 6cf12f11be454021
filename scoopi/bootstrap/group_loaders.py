"""group_loaders: what loads the pages of task groups in place of Scoopi's HTTP client."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.groups import ScriptLimits
from scoopi.model.definitions import TaskGroup
from scoopi.plugins.plugin_finder import PluginFinder

if TYPE_CHECKING:
    from scoopi.plugins.loader_port import LoaderPlugin

BROWSER, AUTO = "browser", "auto"
"""Loaders that need a browser; the first is the name of what loads pages in it."""


def group_loaders(
    groups: Iterable[TaskGroup], finder: PluginFinder, browsers: str
) -> dict[str, tuple[str, LoaderPlugin]]:
    """Task group -> the name of what loads its pages, and the plugin; without groups that have none.

    Args:
        browsers: the socket of the pool of browsers; empty if no group needs one.
    Raises:
        PluginError: a plugin cannot be made.
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
    """The command of the process that runs script plugins of browsers.

    Args:
        current: the folder in which script files are looked for first.
        defs: the definitions, or their folder.
    """
    own = (str(current.absolute()), str(defs.absolute()), str(limits.memory_mb))
    return (sys.executable, "-P", "-m", "scoopi.bootstrap.driver_plugins", *own)


def ensure_library(loader: str) -> None:
    """That what a task group's `loader` needs is installed.

    Raises:
        ConfigError: it is not.
    """
    if loader in (BROWSER, AUTO):
        from scoopi.browser.pool_process import ensure_selenium

        ensure_selenium()
