"""read_definitions: reads files of definitions into checked definitions and a report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from scoopi.defs.locators.listed_pages import SOURCES
from scoopi.defs.records.made_keys import made_keys, written_only
from scoopi.defs.records.short_forms import expanded
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_checker import DefsChecker
from scoopi.defs.scrape.language import LANGUAGE
from scoopi.defs.sites.site_reader import read_site_files
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.hints import key_meant, where_it_belongs
from scoopi.defs.yaml.input_filler import InputFiller, names_inputs
from scoopi.defs.yaml.merger import Merger
from scoopi.defs.yaml.node import Table
from scoopi.defs.yaml.report import Report
from scoopi.defs.yaml.shape_checker import ShapeChecker
from scoopi.defs.yaml.source_files import SourceFiles, SourceText
from scoopi.defs.yaml.tree_text import tree_lines
from scoopi.errors import UsageError
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.model.place import Place
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.text.shown import did_you_mean

_LOCATOR_GROUPS, _DATA_DEFS = "locatorGroups", "dataDefs"
_WITHOUT_DATA_DEFS = replace(LANGUAGE, keys=tuple(each for each in LANGUAGE.keys if each.name != _DATA_DEFS))
"""For definitions whose data definitions are all made from short forms of tasks."""


def read_definitions(
    source: Path,
    *,
    default_steps: str = "jsoupDefault",
    checkers: Checkers | None = None,
    strict: bool = False,
    site_files: Sequence[str] = (),
    inputs: Inputs = NO_INPUTS,
) -> tuple[Definitions, Report]:
    """Read and check definitions; errors in them are findings of the report and raise nothing.

    Args:
        source: a folder, or one file.
        default_steps: the steps set of tasks that name none (`scoopi.defs.defaultSteps`).
        checkers: checks that other rooms make; without them selectors, scripts, plugins … are not checked.
        strict: count warnings as errors.
        site_files: conf files with a section `sites`, which takes precedence over that of the definitions.
        inputs: the values of `%{input.NAME}`, and the names of the groups to read.
    Returns:
        The definitions, empty if the report has errors; and the report.
    Source: defs/README.md, 1.
    """
    return DefsReader(default_steps, checkers or Checkers(), strict, site_files, inputs).read(source)


def shown_definitions(source: Path, task: str = "") -> tuple[list[str], Report]:
    """Return the definitions without short forms, as lines of YAML with the place of each value.

    Args:
        task: the only task to show, with all that it uses, as `NAME` or `GROUP.NAME`; empty for all tasks.
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
    names = [*known, *(name.partition(".")[2] for name in known)]
    raise UsageError(
        f"there is no task {wanted}",
        hint=did_you_mean(wanted, names, f"known are {', '.join(known)}"),
    )


def _only(section: Table | None, name: str) -> Table:
    if section is None or name not in section.entries:
        return Table({}, {}, Place())
    return Table({name: section.entries[name]}, {}, section.place)


class DefsReader:
    """Reads one set of definitions, from its files to the report."""

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
        self._filler = InputFiller(inputs, self._findings)

    def read(self, source: Path) -> tuple[Definitions, Report]:
        """See `read_definitions`."""
        files = self._files(source)
        root = self._merged(files, source, self._prepared)
        for made, shown in made_keys(root):
            self._findings.alias(made, shown)
        root = self._filled(root)
        nothing = Definitions({}, {}, {})
        if not root.entries:
            if self._is_whole:
                what = "the files hold no definitions"
                hint = "begin with locatorGroups:, or with processes: for the scheduler"
                self._findings.error(Place(str(source)), "", what, hint)
            return nothing, self._report(files)
        shapes, written = ShapeChecker(self._findings), written_only(root)
        is_made = _DATA_DEFS in root.entries.keys() - written.entries.keys()
        language = _WITHOUT_DATA_DEFS if is_made else LANGUAGE
        shapes.check_record(written, language, "", root.place, whole=self._is_whole)
        if not self._is_whole:
            # The names that an unreadable file defines would be reported as missing everywhere.
            return nothing, self._report(files)
        checker = DefsChecker(root, self._default_steps, self._checkers, self._findings)
        checker.check()
        self._check_groups(root)
        above = read_site_files(self._site_files, self._checkers, self._findings)
        if self._findings.has_errors:
            return nothing, self._report(files)
        definitions = self._selected(root) if self._inputs.groups else checker.definitions()
        return replace(definitions, sites=(*definitions.sites, *above)), self._report(files)

    def _check_groups(self, root: Table) -> None:
        known = _read_as(root)
        for name in self._inputs.groups:
            if name not in known:
                place = root.keys.get(_LOCATOR_GROUPS, root.place)
                what = f"there is no locator group {name}"
                self._findings.unknown(place, _LOCATOR_GROUPS, what, name, [*known])

    def _selected(self, root: Table) -> Definitions:
        """The definitions of the groups that are read; all of them were checked before."""
        groups = root.table(_LOCATOR_GROUPS)
        assert groups is not None, "the names were checked"
        known = _read_as(root)
        read = {known[name] for name in self._inputs.groups}
        selected = self._definitions_of(root, groups, read)
        others = self._definitions_of(root, groups, groups.entries.keys() - read)
        shared = selected.task_groups.keys() & others.task_groups.keys()
        return replace(selected, is_selection=bool(others.locator_groups), is_partial=bool(shared))

    def _definitions_of(self, root: Table, groups: Table, names: Collection[str]) -> Definitions:
        section = Table(
            {name: node for name, node in groups.entries.items() if name in names},
            {name: place for name, place in groups.keys.items() if name in names},
            groups.place,
        )
        part = Table({**root.entries, _LOCATOR_GROUPS: section}, root.keys, root.place)
        checker = DefsChecker(part, self._default_steps, self._checkers, Findings())
        checker.check()
        return checker.definitions()

    def _filled(self, root: Table) -> Table:
        filled = self._filler.filled(root) if self._names_inputs else root
        if self._is_whole:
            self._filler.report_unknown(next(iter(root.keys.values()), root.place))
        return filled

    def expanded(self, source: Path) -> tuple[Table, Report]:
        """Return the unchecked definitions of all files without short forms, and a report of reading them."""
        files = self._files(source)
        return self._merged(files, source, lambda table, _: table), self._report(files)

    def _files(self, source: Path) -> list[Path]:
        finder = SourceFiles(source, self._findings)
        files = finder.find()
        self._is_whole = finder.is_whole and bool(files)
        return files

    def _merged(self, files: list[Path], source: Path, prepare: Callable[[Table, bool], Table]) -> Table:
        from scoopi.defs.yaml.yaml_file import YamlFile  # late: it loads the YAML library

        merger = Merger(str(source), self._findings, LANGUAGE.names)
        for path in files:
            text = SourceText(path, self._findings).read()
            names_some = text is not None and names_inputs(text)
            self._names_inputs |= names_some
            if text is not None:
                self._findings.add_source(str(path), text)
            table = None if text is None else YamlFile(text, str(path), self._findings).read()
            if table is None:
                self._is_whole = False
            else:
                merger.add(expanded(prepare(table, names_some)))
        return merger.merged()

    def _prepared(self, file: Table, names_inputs: bool) -> Table:
        respelt = self._respelt(file)
        return self._filler.with_locators(respelt) if names_inputs else respelt

    def _respelt(self, file: Table) -> Table:
        """Report misspelt sections, and name them as they are meant, so that their contents are checked."""
        entries, keys = dict(file.entries), dict(file.keys)
        for name in file.entries:
            meant = "" if name.startswith(Merger.PRIVATE) else key_meant(name, LANGUAGE.names)
            is_misplaced = LANGUAGE.owner_of(name) is not None or where_it_belongs(name, LANGUAGE.names)
            if meant and meant not in entries and not is_misplaced:
                self._findings.error(file.keys[name], "", f"unknown key {name}", near=meant)
                entries[meant], keys[meant] = entries.pop(name), keys.pop(name)
        return Table(entries, keys, file.place)

    def _report(self, files: list[Path]) -> Report:
        return Report(self._findings.sorted(), tuple(map(str, files)), self._findings.left_out)


def _read_as(root: Table) -> dict[str, str]:
    """Name of a locator group as written -> its name now; expansion renames groups of listed pages."""
    groups = root.table(_LOCATOR_GROUPS)
    names = groups.entries if groups is not None else {}
    listed = {name.removesuffix(f".{source}"): name for name in names for source in SOURCES}
    return {**listed, **{name: name for name in names}}
