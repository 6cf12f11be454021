"""DefsChecker: builds the definitions from the merged YAML, and checks that their parts fit together."""

from __future__ import annotations

from scoopi.defs.browser.loader_checker import LoaderChecker, is_file, warn_of_file
from scoopi.defs.locators.listed_pages import fault_of_list, is_without_locators
from scoopi.defs.locators.locator_checker import LocatorChecker, are_pages, names_given
from scoopi.defs.locators.row_file import until_fault
from scoopi.defs.locators.values_builder import local_today
from scoopi.defs.records.page_identity import check_parents, groups_on_locators, parents_of
from scoopi.defs.records.record_checker import RecordChecker
from scoopi.defs.records.record_def_builder import WrittenRecordDef, build_record_def, outputs_of
from scoopi.defs.records.record_language import MARKS
from scoopi.defs.scrape.chain import Chain
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.conversion_checker import ConversionChecker
from scoopi.defs.scrape.data_def_builder import WrittenDataDef, build_data_def
from scoopi.defs.scrape.data_def_checker import DataDefChecker
from scoopi.defs.scrape.defs_groups import (
    Reach,
    WrittenTask,
    WrittenTaskGroup,
    build_locator_groups,
    build_task_groups,
)
from scoopi.defs.scrape.digest import tree_digest
from scoopi.defs.scrape.step_sets import RECORD_STEPS, SetStep, Steps, StepSets
from scoopi.defs.scrape.task_checker import TaskChecker
from scoopi.defs.sites.request_builder import RequestChecker
from scoopi.defs.sites.site_builder import SiteBuilder
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Table, Text
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.locator_def import LocatorGroup
from scoopi.model.scrape.task_def import TaskDef, TaskGroup
from scoopi.model.sites import SiteBlock
from scoopi.model.text.locator_values import RowValues
from scoopi.model.text.shown import nearest, secrets_of

_DEFAULT_STEPS_KEY = "scoopi.defs.defaultSteps"
MOST_MISSING = 10
"""The most missing pages reported per locator group; if the folder is misspelt, all of them are missing."""


class DefsChecker:
    """Builds the definitions from the merged YAML, and checks that their parts fit together.

    Source: defs/README.md, 1.3 to 1.8.
    """

    def __init__(self, root: Table, default_steps: str, checkers: Checkers, findings: Findings) -> None:
        self._root = root
        self._default_steps = default_steps
        self._checkers = checkers
        self._findings = findings
        self._locator_groups = build_locator_groups(root.table("locatorGroups"), checkers.find)
        self._task_groups = build_task_groups(root.table("taskGroups"))
        self._data_defs, self._record_defs = _built_defs(root.table("dataDefs"))
        self._sets = StepSets(root.table("steps"), findings)
        self._expanded = {task.key: self._steps(task) for task in self._tasks()}
        self._chains: dict[str, list[SetStep] | None] = {}
        self._sites: tuple[SiteBlock, ...] = ()
        self._written: dict[str, WrittenDataDef | WrittenRecordDef] = {**self._data_defs, **self._record_defs}
        sets = {task.key: self._expanded[task.key] or self._meant(task) for task in self._tasks()}
        self._reach = Reach(self._task_groups, sets, self._chains, self._written)

    def check(self) -> None:
        """Check the definitions, and report all findings; reads row files, and looks for local pages."""
        # Faults in the chains of unreached groups are not reported, as no run uses them.
        quiet = Findings()
        for task in self._tasks():
            self._chains[task.key] = self._chain(task, quiet)
        self._reach.follow(self._locator_groups)
        self._sites = SiteBuilder(self._checkers, self._findings).blocks(self._root.table("sites"))
        self._check_requests()
        self._check_locators()
        self._check_tasks()
        self._check_records()
        for name, use in self._reach.uses.items():
            written = self._data_defs.get(name)
            if written is not None:
                DataDefChecker(written, self._checkers, self._findings).check(use.parsers, use.makes_links)
                if use.makes_links is not False:
                    self._check_link_groups(written)
        if not self._findings.is_broken:
            # With errors, what seems unused may only be misspelt somewhere.
            self._sets.warn_of_unused()
            self._warn_of_unreached()

    def definitions(self) -> Definitions:
        """Return all definitions that locators lead to; may only be called if `check` has found no error."""
        task_groups: dict[str, TaskGroup] = {}
        depending = groups_on_locators(self._task_groups.values(), self._record_defs)
        for name, group in self._task_groups.items():
            if name in self._reach.groups:
                tasks = tuple(self._task(task) for task in group.tasks)
                parents = parents_of(group, self._record_defs)
                task_groups[name] = group.built(tasks, parents, uses_locator=name in depending)
        used = {task.data_def for group in task_groups.values() for task in group.tasks}
        return Definitions(
            locator_groups={n: g for n, g in self._locator_groups.items() if n in self._task_groups},
            task_groups=task_groups,
            data_defs={n: w.data_def for n, w in self._data_defs.items() if n in used},
            digest=tree_digest(self._root),
            sites=self._sites,
            record_defs={n: w.record_def for n, w in self._record_defs.items() if n in used},
        )

    def _task(self, task: WrittenTask) -> TaskDef:
        outputs = outputs_of(task.data_def, task.outputs) if task.data_def in self._record_defs else ()
        return task.built(self._chains[task.key] or [], outputs)

    def _tasks(self) -> list[WrittenTask]:
        return [task for group in self._task_groups.values() for task in group.tasks]

    def _steps(self, task: WrittenTask) -> Steps | None:
        node, key = task.steps, f"{task.key}.steps"
        if node is None and task.data_def in self._record_defs:
            return self._sets.named(RECORD_STEPS, NOWHERE, "")
        if node is None:
            return self._sets.named(self._default_steps, NOWHERE, _DEFAULT_STEPS_KEY)
        if isinstance(node, Text):
            return None if node.is_empty else self._sets.named(node.text, node.place, key)
        return self._sets.overridden(node, node.place, key) if isinstance(node, Table) else None

    def _meant(self, task: WrittenTask) -> Steps | None:
        """The steps of the set that a misspelt one means: selectors are checked for its parser."""
        node = task.steps
        name = node.text if isinstance(node, Text) else ""
        return self._sets.meant(next(iter(node.entries), "") if isinstance(node, Table) else name)

    def _chain(self, task: WrittenTask, findings: Findings) -> list[SetStep] | None:
        steps = self._expanded[task.key]
        return None if not steps else Chain(steps, findings, task.place, task.key).ordered()

    def _check_requests(self) -> None:
        checker, groups = RequestChecker(self._findings), self._root.table("locatorGroups")
        locators = LocatorChecker(self._findings, local_today(), self._checkers)
        for name in self._locator_groups:
            node = groups.table(name) if groups is not None else None
            if node is not None and (fault := fault_of_list(node)) is not None:
                self._findings.error(fault[0], f"locatorGroups.{name}", *fault[1:])
            elif node is not None and is_without_locators(node):
                place, hint = self._locator_groups[name].place, "add `locators: [ … ]`"
                self._findings.error(place, f"locatorGroups.{name}", "locators is missing", hint)
            listing = node.entries.get("locators") if node is not None else None
            entries = listing.entries if isinstance(listing, Listing) else ()
            for number, entry in enumerate(() if are_pages(entries) else entries):
                if isinstance(entry, Table):
                    checker.check(entry, f"locatorGroups.{name}.locators[{number}]")
                    locators.check(entry, f"locatorGroups.{name}.locators[{number}]")

    def _check_locators(self) -> None:
        for name, group in self._locator_groups.items():
            if name not in self._task_groups:
                what = f"there is no task group {name}: these locators are skipped"
                near = nearest(name, self._task_groups)
                self._findings.warning(group.place, f"locatorGroups.{name}", what, "define it", near=near)
            else:
                self._check_urls(group)
        if self._locator_groups and not self._reach.groups:
            first = next(iter(self._locator_groups.values()))
            what = "no locator group has a task group of its name: there is nothing to do"
            self._findings.error(first.place, "locatorGroups", what, "give both the same name")

    def _check_urls(self, group: LocatorGroup) -> None:
        """Check the addresses of a group; missing files, which may yet be created, are warnings."""
        missing, number, place = 0, -1, None
        warns_of_files = self._is_in_browser(self._task_groups[group.name])
        for written in until_fault(group.locators):
            locator = next(written.each(), written) if written.values else written
            if written.place != place:  # else it is made from further rows of the same entry
                number, place = number + 1, written.place
            if not locator.url:
                continue
            key = f"locatorGroups.{group.name}.locators[{number}].url"
            self._check_secrets(locator.url, locator.place, key)
            is_row = bool(written.values) and isinstance(written.values[0], RowValues)
            if (fault := self._checkers.url(locator.url)) and is_row:
                continue  # reported with its line
            if fault:
                self._findings.error(locator.place, key, fault.what, fault.hint)
                continue
            if warns_of_files and is_file(locator.url):
                warns_of_files = False  # one warning is enough
                warn_of_file(self._findings, group.name, written.place, locator.url)
            if missing < MOST_MISSING and (fault := self._checkers.page(locator.url)):
                missing += 1
                is_last = missing == MOST_MISSING
                what = (
                    f"{fault.what} (further pages of this group were not checked)" if is_last else fault.what
                )
                self._findings.warning(locator.place, key, what, fault.hint)

    def _check_secrets(self, url: str, place: Place, key: str) -> None:
        for secret, kind, where in secrets_of(url):
            self._findings.hide(secret)
            what = f"the address contains {kind} in plain text, which is stored with the run"
            self._findings.warning(place, key, what, f"write {where}, with ${{env:NAME}}")

    def _is_in_browser(self, group: WrittenTaskGroup) -> bool:
        first = self._chains[group.tasks[0].key] if group.tasks else None
        return group.browser(each.step for each in first or ()) is not None

    def _check_tasks(self) -> None:
        checker = TaskChecker(self._checkers, self._findings, self._data_defs)
        loaders = LoaderChecker(self._checkers, self._findings)
        conversions = ConversionChecker(self._findings)
        for name in self._task_groups:
            if name not in self._reach.checked:
                continue
            group = self._task_groups[name]
            fault = self._checkers.live(group.live) if group.live else None
            if fault:
                self._findings.error(group.node.at("live"), f"{group.key}.live", fault.what, fault.hint)
            loaders.check(group, is_in_browser=self._is_in_browser(group))
            group.budget(self._findings)
            for task in group.tasks:
                chain = self._chain(task, self._findings)
                self._check_data_def(task)
                if chain is None:
                    checker.check_steps(task, (self._expanded[task.key] or {}).values())
                    continue
                checker.check(task, chain)
                checker.check_loader(group, task, chain)
                if task.data_def in self._data_defs:
                    conversions.add(chain, self._data_defs[task.data_def])
        conversions.report()

    def _check_records(self) -> None:
        checker = RecordChecker(self._checkers, self._findings, self._task_groups)
        for name, written in self._record_defs.items():
            if name in self._reach.uses:
                checker.check(written)
        for task in self._tasks():
            records = self._record_defs.get(task.data_def)
            is_unknown = bool(task.outputs) and task.data_def not in self._written
            if task.group in self._reach.checked and (records is not None or is_unknown):
                checker.check_outputs(task, records, self._task_groups[task.group])
        for name in self._reach.checked:
            group = self._task_groups[name]
            is_used = bool(parents_of(group, self._record_defs))
            locators = self._root.table("locatorGroups")
            group_node = locators.table(name) if locators is not None and is_used else None
            given = names_given(group_node, self._checkers.find)
            if given is not None and name in self._reach.groups:
                check_parents(group, self._record_defs, given, self._findings)
            checker.check_changed(group, self._written)
            checker.check_list_ends(group, self._record_defs)
            for task in self._task_groups[name].tasks:
                if task.data_def in self._written:
                    steps = (each.step.class_name for each in (self._expanded[task.key] or {}).values())
                    checker.check_task(task, steps, reads_records=task.data_def in self._record_defs)

    def _check_data_def(self, task: WrittenTask) -> None:
        section = self._root.table("dataDefs")
        known = section.entries if section is not None else {}
        if task.data_def and task.data_def not in known:
            what = f"there is no data definition {task.data_def}"
            self._findings.unknown(task.node.at("dataDef"), f"{task.key}.dataDef", what, task.data_def, known)

    def _check_link_groups(self, written: WrittenDataDef) -> None:
        for each in written.items:
            group = each.item.link_group
            if group and group not in self._task_groups:
                what = f"there is no task group {group} to link to"
                self._findings.unknown(
                    each.at("linkGroup"), f"{each.key}.linkGroup", what, group, self._task_groups
                )

    def _warn_of_unreached(self) -> None:
        for name, group in self._task_groups.items():
            if name not in self._reach.groups:
                what = f"no locator or link leads to the task group {name}"
                self._findings.warning(group.place, group.key, what, "remove it, or add locators for it")
        for name, written in self._written.items():
            if name not in self._reach.uses:
                what = f"no task that is reached uses the data definition {name}"
                self._findings.warning(written.place, written.key, what, "remove it")


def _built_defs(section: Table | None) -> tuple[dict[str, WrittenDataDef], dict[str, WrittenRecordDef]]:
    """The data definitions of grids, and those of records."""
    grids: dict[str, WrittenDataDef] = {}
    records: dict[str, WrittenRecordDef] = {}
    for name, node in section.entries.items() if section is not None else ():
        if not isinstance(node, Table) or section is None:
            continue
        key, place = f"dataDefs.{name}", section.keys[name]
        if MARKS.isdisjoint(node.entries):
            grids[name] = build_data_def(name, node, key, place)
        else:
            records[name] = build_record_def(name, node, key, place)
    return grids, records
