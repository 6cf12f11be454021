"""read_schedule: reads the files of a project into validated processes and settings, and a report."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from scoopi.defs.schedule.block_reader import BlockReader
from scoopi.defs.schedule.key_places import KeyPlaces
from scoopi.defs.schedule.keys.settings_keys import SETTINGS
from scoopi.defs.schedule.kinds import QUALIFIED
from scoopi.defs.schedule.name_check import NameCheck
from scoopi.defs.schedule.process_builder import ProcessBuilder
from scoopi.defs.schedule.process_edges import ProcessEdges
from scoopi.defs.schedule.schedule_language import IGNORED, LATER, SECTIONS, is_default
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Node, Table, Text
from scoopi.defs.yaml.report import Report
from scoopi.defs.yaml.source_files import SourceFiles, SourceText
from scoopi.model.inputs import SLOT_PARTS, STAND_IN, Inputs
from scoopi.model.place import Place, source_folder
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_settings import Schedule, ScheduleSettings
from scoopi.model.text.secrets import variable_of
from scoopi.model.text.shown import nearest

SCRAPE_SECTIONS = ("locatorGroups", "taskGroups", "dataDefs", "steps")
"""Top-level keys of scrape definitions, which the scheduler does not read."""

_SECTION = re.compile(r"^([A-Za-z_]+)\s*:", re.MULTILINE)

CheckScrape = Callable[[Path, Inputs], Report]


def is_project(source: Path) -> bool:
    """Whether a folder or file has sections of the scheduler, even misspelt; False if it is unreadable."""
    paths = [source] if source.is_file() else sorted(source.glob("*.y*ml"))
    sections = {section for path in paths for section in _SECTION.findall(_text(path))}
    if sections & {*SECTIONS, *LATER}:
        return True
    if sections & {*SCRAPE_SECTIONS}:
        return False
    return any(nearest(each, (*SECTIONS, *SCRAPE_SECTIONS)) in SECTIONS for each in sections)


def read_schedule(
    source: Path, check_scrape: CheckScrape | None, now: datetime | None = None
) -> tuple[Schedule, Report]:
    """Read and check a project; errors in it are findings of the report and raise nothing.

    Args:
        source: the project's folder, or one file.
        check_scrape: checks a folder of scrape definitions with the inputs of a process; its report
            becomes part of the project's. None for a deployed project, whose names were checked before.
        now: the time for which it is checked; None for a deployed project.
    Returns:
        The processes by qualified name, without the invalid ones; and the report.
    """
    return ScheduleReader(source, check_scrape, now).read()


class ScheduleReader:
    """Reads one project."""

    def __init__(self, source: Path, check_scrape: CheckScrape | None, now: datetime | None) -> None:
        self._source, self._now = source, now
        self._check_scrape = check_scrape
        self._findings = Findings()
        self._builder = ProcessBuilder(self._findings)
        self._processes: dict[str, Process] = {}
        self._places = KeyPlaces()
        self._settings_at: dict[str, Place] = {}
        self._settings: dict[str, Any] = {}
        self._reports: list[Report] = []

    def read(self) -> tuple[Schedule, Report]:
        """See `read_schedule`."""
        found = SourceFiles(self._source, self._findings)
        files = found.find()
        for path in files:
            self._file(path)
        self._warn_of_flows(found.folders)
        if files and not [*self._places] and not self._findings.has_errors:
            self._findings.error(
                Place(str(self._source)),
                "",
                "the project has no processes",
                "write `processes: {NAME: {executes: KIND:WHAT}}`",
            )
        edges = ProcessEdges(self._processes, self._places, self._findings)
        edges.qualify()
        edges.check_cycles()
        if self._check_scrape is not None:
            edges.check_slots()
            self._check_scrapes(self._check_scrape)
            self._check_names()
        self._warn_of_ended()
        schedule = Schedule(self._processes, ScheduleSettings(**self._settings))
        return schedule, self._report(files)

    def _warn_of_flows(self, folders: list[Path]) -> None:
        for path in sorted(each for folder in folders for each in folder.glob("*.sl")):
            what = "files in *.sl hold flows, which this version does not support"
            self._findings.warning(Place(str(path)), "", what, "the file is left out")

    def _warn_of_ended(self) -> None:
        """Warn of triggers whose `until` has passed, as such a process does nothing and looks healthy."""
        for name, process in self._processes.items() if self._now is not None else ():
            trigger = process.trigger
            if trigger is None or trigger.until is None or self._now is None or trigger.after:
                continue
            if trigger.until < self._now and not trigger.source.startswith("python:"):
                place, path = self._places.at(name, "trigger", "until")
                what = "until has passed, so the process gets no further slots"
                self._findings.warning(place, path, what, "write a later time, or remove the process")

    def _file(self, path: Path) -> None:
        from scoopi.defs.yaml.yaml_file import YamlFile  # late: importers of this module may not need it

        text = SourceText(path, self._findings).read()
        if text is None:
            return
        self._findings.add_source(str(path), text)
        documents = YamlFile(text, str(path), self._findings, SECTIONS, is_strict=True).read_all()
        if documents is None:
            return
        places = [(name, place) for document in documents for name, place in document.keys.items()]
        if self._is_schedule(places):
            for document in documents:
                self._sections(document)

    def _is_schedule(self, places: list[tuple[str, Place]]) -> bool:
        """Whether a file belongs to the scheduler; a mixture is a finding, and so is an unknown section.

        Args:
            places: the top-level keys of all of its documents.
        """
        ours = [name for name, _ in places if name in SECTIONS or name in LATER]
        theirs = [(name, place) for name, place in places if name in SCRAPE_SECTIONS]
        if ours and theirs:
            name, place = theirs[0]
            what = f"the file has {ours[0]} of the scheduler and {name} of a scrape"
            self._findings.error(place, "", what, "put them into different files")
        elif not ours and not theirs and places:
            first, place = places[0]
            near = nearest(first, (*SECTIONS, *SCRAPE_SECTIONS))
            hint = f"known are {', '.join(SECTIONS)}"
            self._findings.error(place, "", f"unknown section {first}", hint, near=near)
        return bool(ours) and not theirs

    def _sections(self, table: Table) -> None:
        for name in table.entries:
            if name in LATER:
                if is_default(table.entries[name], LATER[name]):
                    continue
                what = f"{name} is not supported by this version"
                self._findings.error(table.keys[name], name, what, f"supported are {', '.join(SECTIONS)}")
            elif name not in (*SECTIONS, *IGNORED) and not name.startswith("x-"):
                self._findings.unknown(table.keys[name], "", f"unknown section {name}", name, SECTIONS)
        namespace = self._namespace(table)
        processes = table.entries.get("processes")
        if isinstance(processes, Table):
            for name, node in processes.entries.items():
                self._process(namespace, name, node, processes.keys[name])
        elif processes is not None:
            self._findings.error(
                processes.place, "processes", "processes is not a mapping", "write names below it"
            )
        self._read_settings(table)

    def _namespace(self, table: Table) -> str:
        node = table.entries.get("namespace")
        if node is None:
            return ""
        if isinstance(node, Text) and QUALIFIED.fullmatch(node.text):
            return f"{node.text}."
        self._findings.error(
            node.place, "namespace", "namespace is not a dotted name", "write letters, digits, _ and -"
        )
        return ""

    def _process(self, namespace: str, name: str, node: Node, place: Place) -> None:
        qualified = f"{namespace}{name}"
        if not QUALIFIED.fullmatch(name) or "." in name:
            what = f"{name!r} is not a valid name of a process"
            self._findings.error(
                place, f"processes.{name}", what, "begin with a letter; then use letters, digits, _ and -"
            )
            return
        same = next((other for other in self._places if other.lower() == qualified.lower()), None)
        if same is not None:
            what = f"process {qualified} is defined twice"
            if same != qualified:
                what = f"process {qualified} is defined as {same}, too; upper and lower case count as one"
            self._findings.error(
                place, f"processes.{name}", what, "rename one of them", also=self._places.of_name(same)
            )
            return
        self._places.add(qualified, place, node)
        process = self._builder.build(qualified, node, f"processes.{name}", place)
        if process is not None:
            self._processes[qualified] = process

    def _read_settings(self, table: Table) -> None:
        settings = table.table("settings")
        if settings is None:
            if "settings" in table.entries:
                hint = "write names below it, as `settings: {every: 10s}`"
                self._findings.error(table.keys["settings"], "settings", "settings is not a mapping", hint)
            return
        for name, place in settings.keys.items():
            if name in self._settings_at:
                what = f"setting {name} is given twice"
                self._findings.error(
                    place, f"settings.{name}", what, "keep one", also=self._settings_at[name]
                )
            self._settings_at[name] = place
        self._settings |= BlockReader(self._findings).read(settings, SETTINGS, "settings", settings.place)

    def _check_names(self) -> None:
        names = NameCheck(self._root, self._places, self._findings)
        for process in self._processes.values():
            names.check(process)
        for rule in self._settings.get("notify", ()):
            names.check_target(rule.via, self._settings_at["notify"], "settings.notify.via")

    @property
    def _root(self) -> Path:
        return source_folder(self._source)

    def _check_scrapes(self, check_scrape: CheckScrape) -> None:
        root = self._root
        seen: set[tuple[Path, frozenset[str], tuple[str, ...]]] = set()
        for process in self._processes.values():
            if process.executes.kind != "scrape":
                continue
            path = root / process.executes.what[0]
            if not path.resolve().is_relative_to(root.resolve()):
                what = f"{path} is outside of the project"
                at = self._places.at(process.name, "executes", "scrape")
                self._findings.error(*at, what, "name a folder of the project")
            elif not os.path.exists(path):  # also of a name that is too long
                what = f"{path} does not exist"
                near = nearest(path.name, [each.name for each in root.iterdir()])
                at = self._places.at(process.name, "executes", "scrape")
                self._findings.error(*at, what, "put its definitions there", near=near)
            elif (key := (path, frozenset(process.inputs), process.executes.groups)) not in seen:
                seen.add(key)
                self._reports.append(check_scrape(path, known_inputs(process)))

    def _report(self, files: list[Path]) -> Report:
        scrapes = dict.fromkeys(one for report in self._reports for one in report.findings)
        findings = [*self._findings.sorted(), *scrapes]
        named = dict.fromkeys(
            [*map(str, files), *(file for report in self._reports for file in report.files)]
        )
        left_out = dict(self._findings.left_out)
        for report in self._reports:
            for severity, count in report.left_out.items():
                left_out[severity] = left_out.get(severity, 0) + count
        return Report(tuple(findings), tuple(named), left_out)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def known_inputs(process: Process) -> Inputs:
    """Return the inputs of a scrape for a check; those that only a job has get a stand-in as their value."""
    names = [*process.inputs, *(f"slot.{part}" for part in SLOT_PARTS), "start_id", "end_id"]
    values = {name: process.inputs.get(name, "${").replace("${ ", "${").replace(" }", "}") for name in names}
    assumed = frozenset(name for name, value in values.items() if "${" in value and not variable_of(value))
    return Inputs(
        {name: STAND_IN if name in assumed else value for name, value in values.items()},
        f"process {process.name}",
        assumed,
        process.executes.groups,
    )
