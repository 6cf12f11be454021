"""check_definitions: what `scoopi check` asks for."""

from __future__ import annotations

from pathlib import Path

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.defs.yaml.report import Report
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.composed import plugin_folders
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest


def check_definitions(request: RunRequest, strict: bool) -> Report:
    """Everything that is wrong with the request's definitions.

    Raises:
        ConfigError: the settings are wrong.
    """
    assert request.defs is not None, "definitions are what is checked"
    configs = ConfigsComposer(request).compose()
    current = Path.cwd()
    finder = PluginFinder(plugin_folders(current, request.defs.absolute()), BUILTINS)
    _, report = DefsComposer(configs, finder, current).check(request.defs, strict, with_pages=True)
    return report
