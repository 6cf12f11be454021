"""OutputChecker: checks that the files that tasks name can be written, each in one format."""

from __future__ import annotations

from typing import NamedTuple

from scoopi.defs.scrape.defs_groups import WrittenTask
from scoopi.defs.scrape.step_sets import SetStep
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.text.output_path import output_path

_FILE_APPENDER = "FileAppender"
ENCODER_DEFAULTS = {
    "CsvEncoder": {
        "delimiter": ",",
        "includeTags": "false",
        "header": "false",
        "quote": "minimal",
        "missing": "null",
    },
    "JsonlEncoder": {"includeTags": "false", "notFound": ""},
}
_LEADING = ("name", "group")
_TAGS = ("page", "index", "item")
"""The columns of a header before those of a data definition; the tags only if they are included."""

_MEANINGS = {
    "name": "locator's name",
    "group": "task group",
    "page": "page's position in the chain of links",
    "index": "tag index",
    "item": "tag item",
}
_TRUTHS = {"true": "true", "false": "false"}


class _Written(NamedTuple):
    """The first task that writes a file, with its appender."""

    settings: tuple[str, dict[str, object]]
    columns: tuple[str, ...]
    task: str
    place: Place


class OutputChecker:
    """Checks that the files that tasks name can be written, each in one format.

    Several tasks may write to one file, so one checker sees all tasks.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._files: dict[str, _Written] = {}

    def check(self, task: WrittenTask, step: SetStep, columns: tuple[str, ...] = ()) -> None:
        """Check the appenders of one step of a task.

        Args:
            columns: the names of the columns of a row, as in a header; empty if unknown.
        """
        for number, plugin in enumerate(step.step.plugins):
            key = f"{step.key or task.key}.plugins.{plugin.name}"
            place = plugin.place if plugin.place != NOWHERE else task.place
            if len(plugin.plugins) > 1:
                what = f"appender {plugin.name} has {len(plugin.plugins)} encoders, but it takes only one"
                self._findings.error(place, key, what, "give each encoder an appender of its own")
            elif is_refused(plugin):
                what = f"file {plugin.fields['file']!r} {_path_of(plugin)[1]}"
                hint = "give a path below the folder of the run, as in data.txt"
                self._findings.error(_place_of_file(step, number) or place, f"{key}.file", what, hint)
            elif plugin.class_name == _FILE_APPENDER and not plugin.plugins:
                what = f"appender {plugin.name} has no encoder: nothing is written"
                hint = "add `plugins: [ plugin: { name: csv, class: CsvEncoder } ]`"
                self._findings.error(place, key, what, hint)
            elif plugin.class_name == _FILE_APPENDER:
                self._check_file(task, plugin, key, place, columns)

    def _check_file(
        self, task: WrittenTask, plugin: PluginDef, key: str, place: Place, columns: tuple[str, ...]
    ) -> None:
        path, _ = _path_of(plugin)
        if not path:
            return
        self._check_folders(task, path, key, place)
        settings = _settings(plugin.plugins[0])
        if settings[1].get("header") == "true":
            leading = _LEADING + (_TAGS if settings[1].get("includeTags") == "true" else ())
            for name in (each for each in leading if each in columns):
                what = f"the header of {path} has two columns {name!r}: one is the {_MEANINGS[name]}"
                hint = f"rename the entry {name!r} of the data definition"
                self._findings.warning(place, key, what, hint)
        written = _Written(settings, columns, f"{task.group}.{task.name}", place)
        first = self._files.setdefault(path, written)
        if first.settings != settings:
            what = f"tasks {first.task} and {written.task} write {path} with different encoder settings"
            self._findings.error(place, key, what, "use the same settings, or two files", also=first.place)
        elif settings[1].get("header") == "true" and columns and first.columns:
            self._check_header(path, key, first, written)

    def _check_header(self, path: str, key: str, first: _Written, written: _Written) -> None:
        """Report a header that does not fit the rows of both tasks: a file has only one."""
        if written.columns == first.columns:
            return
        one, other = ", ".join(first.columns), ", ".join(written.columns)
        tasks = f"tasks {first.task} and {written.task}"
        what = f"{tasks} write {path} with one header, but their columns differ: {one}; and {other}"
        fits = len(written.columns) == len(first.columns)
        note = self._findings.warning if fits else self._findings.error
        hint = "use two files, or the same names" if fits else "use two files, or leave the header out"
        note(written.place, key, what, hint, also=first.place)

    def _check_folders(self, task: WrittenTask, path: str, key: str, place: Place) -> None:
        """Report a path that is a folder of another file, or the other way round."""
        if path in self._files:
            return
        for other, first in self._files.items():
            if f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/"):
                tasks = f"tasks {first.task} and {task.group}.{task.name}"
                what = f"{tasks} write {other} and {path}: one name cannot be a file and a folder"
                self._findings.error(place, f"{key}.file", what, "rename one of them", also=first.place)
                return


def _place_of_file(step: SetStep, number: int) -> Place | None:
    """Where the file of an appender is written; None for one that is built in."""
    return None if step.node is None else step.node.tables("plugins", "plugin")[number].at("file")


def is_refused(plugin: PluginDef) -> bool:
    """Whether the file of an appender is invalid, as OutputChecker reports."""
    return bool(_path_of(plugin)[1])


def _path_of(plugin: PluginDef) -> tuple[str, str]:
    """The path of an appender's file in the run's folder, empty if it has none; and what is wrong with it."""
    file = plugin.fields.get("file")
    if plugin.class_name != _FILE_APPENDER or not isinstance(file, str):
        return "", ""
    try:
        return output_path(file), ""
    except ValueError as error:
        return "", str(error)


def _settings(encoder: PluginDef) -> tuple[str, dict[str, object]]:
    """The class and the fields, with defaults filled in, so that a default equals an omitted field."""
    fields: dict[str, object] = dict(ENCODER_DEFAULTS.get(encoder.class_name, {}))
    for name, value in encoder.fields.items():
        fields[name] = _TRUTHS.get(value.lower(), value) if isinstance(value, str) else value
    return encoder.class_name, fields
