"""OutputChecker: whether the files that tasks write to are in the run's folder, each with one format."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from scoopi.defs.findings import Findings
from scoopi.defs.groups import WrittenTask
from scoopi.defs.step_builder import SetStep
from scoopi.model.place import NOWHERE, Place
from scoopi.model.step_def import PluginDef

_FILE_APPENDER = "FileAppender"
_ENCODER_DEFAULTS = {
    "CsvEncoder": {"delimiter": ",", "includeTags": "false", "header": "false", "quote": "minimal"},
    "JsonlEncoder": {"includeTags": "false"},
}
_TRUTHS = {"true": "true", "false": "false"}


class _Written(NamedTuple):
    """Who wrote a file first, and how."""

    settings: tuple[str, dict[str, object]]
    task: str
    place: Place


class OutputChecker:
    """Remembers the files of all tasks. Source: language, A8, A9."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._files: dict[str, _Written] = {}

    def check(self, task: WrittenTask, step: SetStep) -> None:
        """Check the appenders of one step of a task."""
        for plugin in step.step.plugins:
            key = f"{step.key or task.key}.plugins.{plugin.name}"
            place = plugin.place if plugin.place != NOWHERE else task.place
            if len(plugin.plugins) > 1:
                what = f"appender {plugin.name} has {len(plugin.plugins)} encoders, it takes one"
                self._findings.error(place, key, what, "give each encoder an appender of its own")
            elif is_outside(plugin):
                what = f"file {plugin.fields['file']!r} is not inside the folder of the run"
                self._findings.error(place, f"{key}.file", what, "give a path below it, as in data.txt")
            elif plugin.class_name == _FILE_APPENDER and not plugin.plugins:
                what = f"appender {plugin.name} has no encoder: nothing is written"
                mend = "add `plugins: [ plugin: { name: csv, class: CsvEncoder } ]`"
                self._findings.warning(place, key, what, mend)
            elif plugin.class_name == _FILE_APPENDER:
                self._check_file(task, plugin, key, place)

    def _check_file(self, task: WrittenTask, plugin: PluginDef, key: str, place: Place) -> None:
        file = plugin.fields.get("file")
        path = output_path(file) if isinstance(file, str) else None
        if path is None:
            return
        settings = _settings(plugin.plugins[0])
        first = self._files.setdefault(path, _Written(settings, f"{task.group}.{task.name}", place))
        if first.settings != settings:
            tasks = f"tasks {first.task} and {task.group}.{task.name}"
            what = f"{tasks} write {path} with different encoder settings"
            self._findings.error(place, key, what, "use the same settings, or two files", also=first.place)


def is_outside(plugin: PluginDef) -> bool:
    """Whether the file of an appender is not inside the run's folder (a finding of OutputChecker)."""
    file = plugin.fields.get("file")
    return plugin.class_name == _FILE_APPENDER and isinstance(file, str) and output_path(file) is None


def output_path(file: str) -> str | None:
    """Relative to the run's folder, a leading `output/` dropped; None when it is not inside, or hidden."""
    text = file.strip()
    path = posixpath.normpath(text).removeprefix("output/")
    parts = path.split("/")
    is_kept = any(part.startswith(".") for part in parts) or path in ("run.json", "output")
    return None if not text or text.endswith("/") or path.startswith("/") or is_kept else path


def _settings(encoder: PluginDef) -> tuple[str, dict[str, object]]:
    """Class and fields, defaults filled in, so that what is said and what is left out are equal."""
    fields: dict[str, object] = dict(_ENCODER_DEFAULTS.get(encoder.class_name, {}))
    for name, value in encoder.fields.items():
        fields[name] = _TRUTHS.get(value.lower(), value) if isinstance(value, str) else value
    return encoder.class_name, fields
