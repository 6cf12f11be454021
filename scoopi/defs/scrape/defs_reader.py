"""read_definitions: files of definitions become checked definitions and a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from scoopi.defs.records.short_forms import expanded
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_checker import DefsChecker
from scoopi.defs.scrape.language import LANGUAGE
from scoopi.defs.sites.site_reader import read_site_files
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.input_filler import InputFiller, names_inputs
from scoopi.defs.yaml.merger import Merger
from scoopi.defs.yaml.node import Table
from scoopi.defs.yaml.report import Report
from scoopi.defs.yaml.shape_checker import ShapeChecker
from scoopi.defs.yaml.source_files import SourceFiles, SourceText
from scoopi.defs.yaml.tree_text import tree_lines
from scoopi.errors import UsageError
from scoopi.model.definitions import Definitions
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest


def read_definitions(
    source: Path,
    *,
    default_steps: str = "jsoupDefault",
    checkers: Checkers | None = None,
    strict: bool = False,
    site_files: Sequence[str] = (),
    inputs: Inputs = NO_INPUTS,
) -> tuple[Definitions, Report]:
    """Read and check definitions; nothing is raised for what is wrong with them.

    Args:
        source: a folder, or one file.
        default_steps: the steps set of tasks that name none (`scoopi.defs.defaultSteps`).
        checkers: what other rooms know; without it selectors, scripts, plugins … are not checked.
        strict: warnings are errors.
        site_files: conf files with a section `sites`, which wins over that of the definitions.
        inputs: what `%{input.NAME}` stands for.
    Returns:
        What a run needs, empty when the report holds errors; and the report.
    Source: defs/README.md, 1.
    """
    return DefsReader(default_steps, checkers or Checkers(), strict, site_files, inputs).read(source)


def shown_definitions(source: Path, task: str = "") -> tuple[list[str], Report]:
    """The definitions without short forms, as lines of YAML with the place of each value.

    Args:
        task: `NAME` or `GROUP.NAME` of the only one to show, with what it uses; empty for all.
    Returns:
        The lines, and the report of what could not be read.
    Raises:
        UsageError: there is no such task.
    """
    reader = DefsReader("", Checkers(), False)
    root, report = reader.expanded(source)
    return list(tree_lines(_of_task(root, task) if task else root)), report


def _of_task(root: Table, wanted: str) -> Table:
    """The part of the definitions that one task needs."""
    groups = root.table("taskGroups") or Table({}, {}, root.place)
    for group, tasks in groups.entries.items():
        for name, node in tasks.entries.items() if isinstance(tasks, Table) else ():
            if wanted in (name, f"{group}.{name}") and isinstance(node, Table) and isinstance(tasks, Table):
                used = {"locatorGroups": group, "taskGroups": group, "dataDefs": node.text("dataDef") or ""}
                sections = {each: _only(root.table(each), entry) for each, entry in used.items()}
                only = Table({group: _only(tasks, name)}, {}, tasks.place)
                sections["taskGroups"] = only
                return Table(
                    {each: found for each, found in sections.items() if found.entries}, {}, root.place
                )
    known = [
        f"{g}.{n}" for g, tasks in groups.entries.items() if isinstance(tasks, Table) for n in tasks.entries
    ]
    near = nearest(wanted, [*known, *(name.partition(".")[2] for name in known)])
    raise UsageError(
        f"there is no task {wanted}",
        hint=f"did you mean {near}?" if near else f"known are {', '.join(known)}",
    )


def _only(section: Table | None, name: str) -> Table:
    if section is None or name not in section.entries:
        return Table({}, {}, Place())
    return Table({name: section.entries[name]}, {}, section.place)


class DefsReader:
    """One reading of definitions, from files to the report."""

    def __init__(
        self,
        default_steps: str,
        checkers: Checkers,
        strict: bool,
        site_files: Sequence[str] = (),
        inputs: Inputs = NO_INPUTS,
    ) -> None:
        self._default_steps = default_steps
        self._checkers = checkers
        self._findings = Findings(strict)
        self._is_whole = True
        self._site_files = site_files
        self._inputs = inputs
        self._names_inputs = False

    def read(self, source: Path) -> tuple[Definitions, Report]:
        """See `read_definitions`."""
        files = self._files(source)
        root = self._merged(files, source)
        root = self._filled(root)
        nothing = Definitions({}, {}, {})
        if not root.entries:
            if self._is_whole:
                what = "the files hold no definitions"
                self._findings.error(Place(str(source)), "", what, "begin with locatorGroups:")
            return nothing, self._report(files)
        shapes = ShapeChecker(self._findings)
        shapes.check_record(root, LANGUAGE, "", root.place, whole=self._is_whole)
        if not self._is_whole:
            # What a file that cannot be read defines would be missed everywhere.
            return nothing, self._report(files)
        checker = DefsChecker(root, self._default_steps, self._checkers, self._findings)
        checker.check()
        above = read_site_files(self._site_files, self._checkers, self._findings)
        if self._findings.has_errors:
            return nothing, self._report(files)
        definitions = checker.definitions()
        return replace(definitions, sites=(*definitions.sites, *above)), self._report(files)

    def _filled(self, root: Table) -> Table:
        filler = InputFiller(self._inputs, self._findings)
        filled = filler.filled(root) if self._names_inputs else root
        if self._is_whole:
            filler.report_unknown()
        return filled

    def expanded(self, source: Path) -> tuple[Table, Report]:
        """The definitions of all files without short forms, unchecked; and what cannot be read."""
        files = self._files(source)
        return self._merged(files, source), self._report(files)

    def _files(self, source: Path) -> list[Path]:
        finder = SourceFiles(source, self._findings)
        files = finder.find()
        self._is_whole = finder.is_whole and bool(files)
        return files

    def _merged(self, files: list[Path], source: Path) -> Table:
        from scoopi.defs.yaml.yaml_file import YamlFile  # The YAML library is not needed to know this room.

        merger = Merger(str(source), self._findings, LANGUAGE.names)
        for path in files:
            text = SourceText(path, self._findings).read()
            if text is not None:
                self._findings.add_source(str(path), text)
                self._names_inputs |= names_inputs(text)
            table = None if text is None else YamlFile(text, str(path), self._findings).read()
            if table is None:
                self._is_whole = False
            else:
                merger.add(expanded(table))
        return merger.merged()

    def _report(self, files: list[Path]) -> Report:
        return Report(self._findings.sorted(), tuple(map(str, files)), self._findings.left_out)
