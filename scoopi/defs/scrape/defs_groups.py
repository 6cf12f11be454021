"""Locator groups and task groups as written, and Reach: the groups that a run's locators lead to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set

import msgspec

from scoopi.defs.browser.browser_builder import build_browser
from scoopi.defs.locators.locator_checker import rows_of
from scoopi.defs.locators.row_checker import FROM
from scoopi.defs.locators.row_file import in_portions
from scoopi.defs.records.record_def_builder import WrittenRecordDef
from scoopi.defs.records.short_forms import link_task_of
from scoopi.defs.scrape.checkers import Find
from scoopi.defs.scrape.class_names import BROWSER_LOADER, CSS_PARSER, LINK_MAKER, XPATH_PARSER
from scoopi.defs.scrape.data_def_builder import WrittenDataDef
from scoopi.defs.scrape.step_sets import SetStep, Steps
from scoopi.defs.sites.budget_language import BUDGET, read_budget
from scoopi.defs.sites.request_builder import locator_def
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, read_bool
from scoopi.model.limits.budget import Budget
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.model.scrape.plugin_def import StepDef
from scoopi.model.scrape.task_def import OutputDef, TaskDef, TaskGroup
from scoopi.model.text.locator_values import RowValues
from scoopi.model.text.shown import nearest

_LIVE, _LOADER, _BROWSER, CHANGED = "live", "loader", "browser", "changed"
_AUTO = "auto"
LOADERS = ("http", _BROWSER, _AUTO)
"""The loaders of the pages of a group."""
Chains = Mapping[str, list[SetStep] | None]
"""Key of a task -> its chain of steps; None if it has none, which is reported elsewhere."""
Sets = Mapping[str, Steps | None]
"""Key of a task -> all steps of its set, or of the one that a misspelt name means; None if it has none."""


class WrittenTask(msgspec.Struct, frozen=True):
    """A task and its source; `place` is where its name is written."""

    group: str
    name: str
    key: str
    node: Table
    place: Place

    @property
    def data_def(self) -> str:
        """The name of its data definition; empty if it has none, which is reported elsewhere."""
        return self.node.text("dataDef") or ""

    @property
    def steps(self) -> Node | None:
        """The value of its key `steps`: the name of a set, or a set with overrides; None if it has none."""
        return self.node.entries.get("steps")

    @property
    def outputs(self) -> tuple[OutputDef, ...]:
        """Its outputs as written; empty if it has no `output`."""
        return tuple(
            OutputDef(each.text("to") or "", read_bool(each.text("stream") or "") is True, each.at("to"))
            for each in self.node.tables("output")
        )

    def built(self, chain: list[SetStep], outputs: tuple[OutputDef, ...] = ()) -> TaskDef:
        """Build the task with its chain of steps and its outputs."""
        persist = self.node.table("persist")
        data = read_bool(persist.text("data") or "") if persist is not None else None
        return TaskDef(
            group=self.group,
            name=self.name,
            data_def=self.data_def,
            steps=tuple(each.step for each in chain),
            persist_data=data is not False,
            place=self.place,
            outputs=outputs,
            links=link_task_of(self.node),
        )


class WrittenTaskGroup(msgspec.Struct, frozen=True):
    """A task group and its source; `place` is where its name is written."""

    name: str
    key: str
    node: Table
    place: Place
    tasks: tuple[WrittenTask, ...]

    @property
    def live(self) -> str:
        """How long a saved page may serve in place of a request, as written; empty if not given."""
        return self.node.text(_LIVE) or ""

    @property
    def loader(self) -> str:
        """The name of its loader; empty if not given."""
        return self.node.text(_LOADER) or ""

    @property
    def changed(self) -> bool:
        """Whether only records that differ from the last finished run are written."""
        return read_bool(self.node.text(CHANGED) or "") is True

    def browser(self, steps: Iterable[StepDef] = ()) -> BrowserDef | None:
        """Return how its pages are loaded in a browser; None if they are not.

        Args:
            steps: the steps of its first task; a DomLoader among them loads all its pages.
        """
        loader = next((each for each in steps if each.class_name == BROWSER_LOADER), None)
        if loader is None and self.loader not in (_BROWSER, _AUTO):
            return None
        how = build_browser(self.node.table(_BROWSER), f"{self.key}.{_BROWSER}")
        return how if loader is None else msgspec.structs.replace(how, scripts=loader.plugins)

    def budget(self, findings: Findings) -> Budget:
        """Read the limits of a run for this group; invalid ones are added to the findings."""
        return Budget.of(read_budget(self.node.table(BUDGET), f"{self.key}.{BUDGET}", findings))

    def built(
        self, tasks: tuple[TaskDef, ...], parents: tuple[str, ...] = (), *, uses_locator: bool = True
    ) -> TaskGroup:
        """Build the group with its tasks.

        Args:
            parents: the fields of the parent record that its definitions use.
            uses_locator: whether its rows depend on the locator.
        """
        return TaskGroup(
            self.name,
            tasks,
            self.live,
            self.place,
            parents,
            uses_locator,
            self.browser(tasks[0].steps if tasks else ()),
            self.changed,
            self.loader == _AUTO,
            self.budget(Findings()),
        )


def build_task_groups(section: Table | None) -> dict[str, WrittenTaskGroup]:
    """Build the task groups by name; entries that are not mappings, which are reported, are skipped."""
    groups: dict[str, WrittenTaskGroup] = {}
    for name, node, place in _tables(section):
        key = f"taskGroups.{name}"
        tasks = tuple(
            WrittenTask(name, task, f"{key}.{task}", inner, at)
            for task, inner, at in _tables(node)
            if task not in (_BROWSER, BUDGET)
        )
        groups[name] = WrittenTaskGroup(name, key, node, place, tasks)
    return groups


def build_locator_groups(section: Table | None, find: Find) -> dict[str, LocatorGroup]:
    """Build the locator groups by name; entries that are not mappings, which are reported, are skipped.

    Args:
        find: opens the rows of a source.
    """
    return {
        name: LocatorGroup(name, WrittenLocators(node.entries.get("locators"), find), place)
        for name, node, place in _tables(section)
    }


def _tables(section: Table | None) -> list[tuple[str, Table, Place]]:
    if section is None:
        return []
    return [
        (name, node, section.keys[name]) for name, node in section.entries.items() if isinstance(node, Table)
    ]


class WrittenLocators(Collection[LocatorDef]):
    """The locators of a group, each created by the iteration; entries that are not mappings are skipped.

    A locator with rows (`from`) becomes several, each with at most 500 of the rows, and counts as one in the
    length; iteration raises RowFileError at a row that cannot be read.

    Args:
        node: the value of the key `locators`; None if the group has no such key.
        find: opens the rows of a source.
    """

    def __init__(self, node: Node | None, find: Find) -> None:
        self._entries = node.entries if isinstance(node, Listing) else ()
        self._find = find

    def __len__(self) -> int:
        return sum(isinstance(entry, Table) for entry in self._entries)

    def __iter__(self) -> Iterator[LocatorDef]:
        for entry in self._entries:
            if isinstance(entry, Table):
                locator = locator_def(entry)
                if FROM in entry.names():
                    yield from self._with_rows(locator, entry)
                else:
                    yield locator

    def __contains__(self, locator: object) -> bool:
        return any(each == locator for each in self)

    def _with_rows(self, locator: LocatorDef, entry: Table) -> Iterator[LocatorDef]:
        file = rows_of(entry, self._find)
        if file is not None:
            columns = file.columns()
            for rows in in_portions(file.rows()):
                yield msgspec.structs.replace(locator, values=(RowValues(columns, rows), *locator.values))


class DataDefUse(msgspec.Struct):
    """How the tasks that locators lead to use a data definition.

    Attributes:
        parsers: the classes of their parser steps.
        makes_links: whether one of them makes links; None if unknown.
    """

    parsers: set[str] = set()
    makes_links: bool | None = False


class Reach:
    """Finds all that a run can reach: from locators to task groups, data definitions and linked groups.

    Attributes:
        groups: names of the task groups reached.
        checked: these, and those that are reached only if an unknown name means the most similar one.
        uses: data definitions of the checked groups, by name, and how they are used.
    """

    def __init__(
        self,
        groups: Mapping[str, WrittenTaskGroup],
        sets: Sets,
        chains: Chains,
        data_defs: Mapping[str, WrittenDataDef | WrittenRecordDef],
    ) -> None:
        self._all = groups
        self._sets = sets
        self._chains = chains
        self._data_defs = data_defs
        self.groups: Set[str] = frozenset()
        self.checked: set[str] = set()
        self.uses: dict[str, DataDefUse] = {}
        self._misspelt: list[WrittenTask] = []
        self._unknown: list[str] = []

    def follow(self, starts: Collection[str]) -> None:
        """Add the groups with these names, and all that they lead to.

        What unknown names seem to mean is only checked; all groups, if none of the names is one.
        """
        self._add(starts)
        self.groups = frozenset(self.checked)
        self._add(self._all if starts and not self.groups else ())
        while self._unknown or self._misspelt:
            if self._unknown:
                self._add([nearest(self._unknown.pop(), self._all)])
                continue
            task = self._misspelt.pop()
            written = task.node.text(nearest("dataDef", task.node.entries)) or ""
            name = nearest(written, self._data_defs)
            if name and name not in self.uses:
                self._add(self._use(task, name))

    def _add(self, names: Iterable[str]) -> None:
        waiting = [*names]
        while waiting:
            group = self._all.get(waiting.pop())
            if group is not None and group.name not in self.checked:
                self.checked.add(group.name)
                for task in group.tasks:
                    waiting += self._use(task, task.data_def)

    def _use(self, task: WrittenTask, data_def: str) -> list[str]:
        """Note how the task uses a data definition, and return the groups that it links to."""
        use = self.uses.setdefault(data_def, DataDefUse())
        chain = self._chains[task.key]
        # If the chain is wrong, its selectors are checked for the parsers of the set.
        steps = chain if chain is not None else list((self._sets[task.key] or {}).values())
        classes = {each.step.class_name for each in steps}
        use.parsers |= classes & {CSS_PARSER, XPATH_PARSER}
        written = self._data_defs.get(data_def)
        self._misspelt += [task] if written is None else []
        if use.makes_links is not True:
            use.makes_links = LINK_MAKER in classes or (None if chain is None else use.makes_links)
        may_link = chain is None or LINK_MAKER in classes or isinstance(written, WrittenRecordDef)
        links = written.link_groups if written is not None and may_link else []
        self._unknown += [name for name in links if name not in self._all]
        return links
