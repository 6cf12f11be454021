"""TaskChecker: checks that the steps of a task exist, fit together and have valid plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, zip_longest

from msgspec.structs import replace

from scoopi.defs.scrape.checkers import ChainPluginKind, Checkers, Fault
from scoopi.defs.scrape.class_names import (
    APPENDER_STEP,
    BROWSER_LOADER,
    LOADER,
    LOADERS,
    NOTHING,
    PAGE,
    PLUGIN_KINDS,
    SEEDER,
    STEP_CLASSES,
    absent_class,
)
from scoopi.defs.scrape.data_def_builder import WrittenDataDef
from scoopi.defs.scrape.defs_groups import WrittenTask, WrittenTaskGroup
from scoopi.defs.scrape.output_checker import OutputChecker, is_refused
from scoopi.defs.scrape.step_sets import SetStep
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.text.shown import nearest


class TaskChecker:
    """Checks that the steps of a task exist, fit together and have valid plugins.

    A step or plugin that several tasks share is checked once.

    Args:
        data_defs: the data definitions that are grids, by name.
    Source: defs/README.md, 4.1, 4.3.
    """

    def __init__(
        self, checkers: Checkers, findings: Findings, data_defs: Mapping[str, WrittenDataDef]
    ) -> None:
        self._checkers = checkers
        self._data_defs = data_defs
        self._findings = findings
        self._outputs = OutputChecker(findings)
        self._seen: dict[int, SetStep | PluginDef] = {}
        self._loaders: dict[str, list[PluginDef]] = {}
        self._browser_plugins: dict[str, list[PluginDef]] = {}

    def check(self, task: WrittenTask, chain: list[SetStep]) -> None:
        """Check one task's chain."""
        self.check_steps(task, chain)
        self._check_flow(task, chain)
        for each in chain:
            if each.step.class_name == APPENDER_STEP and not each.step.plugins:
                what = f"step {each.step.name} has no plugins: nothing is written"
                key, hint = each.key or task.key, "add `plugins: [ plugin: { … } ]`"
                self._findings.error(each.place, key, what, hint)

    def check_steps(self, task: WrittenTask, steps: Iterable[SetStep]) -> None:
        """Check each step by itself: all that can be checked if the steps form no chain."""
        for each in steps:
            if id(each) not in self._seen:
                # The step is kept so that its id is not reused.
                self._seen[id(each)] = each
                self._check_step(task, each)
            if each.step.class_name == APPENDER_STEP:
                self._outputs.check(task, each, self._columns(task))

    def check_loader(self, group: WrittenTaskGroup, task: WrittenTask, chain: list[SetStep]) -> None:
        """Report a loader plugin that is never called; must be called for each task of a group, in order.

        Args:
            group: the group of the task; the loader of its first task loads the pages of all its tasks.
        """
        first = group.tasks[0].name
        for each in chain:
            if each.step.class_name == BROWSER_LOADER:
                self._check_browser_loader(group, task, each)
            if each.step.class_name != LOADER:
                continue
            plugins = [replace(plugin, place=NOWHERE) for plugin in each.step.plugins]
            if task.name == first:
                self._loaders[task.group] = plugins
            for plugin, named in zip(each.step.plugins, plugins, strict=True):
                key = f"{each.key or task.key}.plugins.{plugin.name}"
                if group.browser() is not None:
                    what = (
                        f"plugin {plugin.name} would load no page: group {task.group} has `loader: browser`"
                    )
                    hint = "remove one of them"
                    self._findings.error(plugin.place, key, what, hint)
                elif named not in self._loaders.get(task.group, plugins):
                    what = (
                        f"plugin {plugin.name} would load no page: the pages of group {task.group} are "
                        f"loaded once for all its tasks, by the loader of the first one, {first}"
                    )
                    hint = f"give {first} the same loader, or move the task to a group of its own"
                    self._findings.error(plugin.place, key, what, hint)

    def _check_browser_loader(self, group: WrittenTaskGroup, task: WrittenTask, each: SetStep) -> None:
        """Report a browser step that loads no pages; only a warning, as the Java original ignores it, too."""
        first, key = group.tasks[0].name, each.key or task.key
        if fault := self._checkers.loader("browser"):
            self._findings.error(each.place, key, fault.what, fault.hint)
        if group.loader == "http":
            what = f"group {task.group} has `loader: http`, and step {each.step.name} loads in a browser"
            self._findings.error(each.place, key, what, "remove one of them")
            return
        plugins = [replace(plugin, place=NOWHERE) for plugin in each.step.plugins]
        if task.name == first:
            self._browser_plugins[task.group] = plugins
        if self._browser_plugins.get(task.group) != plugins:
            what = (
                f"step {each.step.name} of task {task.name} loads no page: the pages of group {task.group} "
                f"are loaded once for all its tasks, by the loader of the first one, {first}"
            )
            self._findings.warning(each.place, key, what, f"give {first} the same loader")

    def _columns(self, task: WrittenTask) -> tuple[str, ...]:
        written = self._data_defs.get(task.data_def)
        return () if written is None else tuple(item.name for item in written.data_def.columns)

    def _check_step(self, task: WrittenTask, each: SetStep) -> None:
        name, place, key = each.step.class_name, each.at("class"), each.key or task.key
        absent = absent_class(name)
        if absent:
            self._findings.error(place, key, f"{name}: {absent[0]}", absent[1])
        elif name and name not in STEP_CLASSES:
            fault = self._checkers.step_class(name)
            if fault:
                self._findings.error(
                    place, f"{key}.class", fault.what, fault.hint, near=nearest(name, STEP_CLASSES)
                )
        kind = PLUGIN_KINDS.get(name)
        if kind is None:
            if name in STEP_CLASSES and each.step.plugins:
                what = f"step {each.step.name} ({name}) takes no plugins: they do nothing"
                self._findings.warning(each.place, f"{key}.plugins", what, "remove them")
            return
        nodes = _plugin_nodes(each.node, len(each.step.plugins))
        for plugin, node in zip(each.step.plugins, nodes, strict=True):
            self._check_plugin(kind, plugin, f"{key}.plugins.{plugin.name}", node)
        if name == LOADER and len(each.step.plugins) > 1:
            what = f"step {each.step.name} has {len(each.step.plugins)} plugins, but only one can load a page"
            self._findings.error(each.place, f"{key}.plugins", what, "keep one of them")
        if not each.step.plugins and name not in (APPENDER_STEP, *LOADERS):
            what = f"step {each.step.name} has no plugins: it does nothing"
            self._findings.warning(each.place, key, what, "add `plugins: [ plugin: { … } ]`")

    def _check_plugin(self, kind: ChainPluginKind, plugin: PluginDef, key: str, node: Table | None) -> None:
        if id(plugin) in self._seen:
            return
        self._seen[id(plugin)] = plugin
        absent = absent_class(plugin.class_name)
        if absent:
            place = _place_in(node, Fault("", key="class"), plugin.place)
            self._findings.error(place, key, f"{plugin.class_name}: {absent[0]}", absent[1])
        elif plugin.class_name and not is_refused(plugin):
            for fault in self._checkers.plugin(kind, plugin):
                place = _place_in(node, fault, plugin.place)
                self._findings.error(place, key, fault.what, fault.hint)
        if kind == "appenders":
            nodes = _plugin_nodes(node, len(plugin.plugins))
            for encoder, inner in zip(plugin.plugins, nodes, strict=True):
                self._check_plugin("encoders", encoder, f"{key}.plugins.{encoder.name}", inner)

    def _check_flow(self, task: WrittenTask, chain: list[SetStep]) -> None:
        if len(chain) < 2:
            what = f"the steps of task {task.name} end before a page is loaded"
            self._findings.error(
                chain[0].place if chain[0].node else task.place,
                task.key,
                what,
                "put a PageLoader behind the seeder",
            )
            return
        if not self._begins_well(task, chain):
            return
        given: str | None = PAGE
        for before, each in pairwise(chain[1:]):
            takes, gives = STEP_CLASSES.get(each.step.class_name, (None, None))
            if given is not None and takes is not None and given != takes:
                self._misfit(task, before, given, each, takes)
                return
            given = gives

    def _begins_well(self, task: WrittenTask, chain: list[SetStep]) -> bool:
        """Whether the seeder and the loader come first, and occur nowhere else; if not, report it."""
        for each, own in zip_longest(chain, (SEEDER, LOADER)):
            name = each.step.class_name
            if name == own or (own == LOADER and name == BROWSER_LOADER):
                continue
            if own is None and name not in (SEEDER, *LOADERS):
                continue
            if name and not absent_class(name):
                place, key = (each.place, each.key) if each.node is not None else (task.place, task.key)
                what = f"step {each.step.name} ({name}) cannot stand at its place"
                hint = f"a chain begins with one {SEEDER} and one {LOADER}; look at `previous` of its steps"
                self._findings.error(place, key, what, hint)
            return False
        return True

    def _misfit(self, task: WrittenTask, before: SetStep, given: str, each: SetStep, takes: str) -> None:
        written = each if each.node is not None else before
        place, key = (written.place, written.key) if written.node is not None else (task.place, task.key)
        one, other = (
            f"{before.step.name} ({before.step.class_name})",
            f"{each.step.name} ({each.step.class_name})",
        )
        if given == NOTHING:
            what = f"step {one} ends its chain, and step {other} follows"
            self._findings.error(place, key, what, f"set `next: end` in {before.step.name}")
        else:
            what = f"step {other} works on {takes}, and step {one} before it gives {given}"
            self._findings.error(place, key, what, "look at `previous` and `class` of both")


def _plugin_nodes(owner: Table | None, count: int) -> Sequence[Table | None]:
    """The tables of the plugins of a step, or of an appender; None for each if they are built in."""
    return [None] * count if owner is None else owner.tables("plugins", "plugin")


def _place_in(node: Table | None, fault: Fault, plugin: Place) -> Place:
    """Where the key of a fault is written, or its value; the place of the plugin if it is missing."""
    if node is None or fault.key not in node.entries:
        return plugin
    return node.keys[fault.key] if fault.is_unknown else node.at(fault.key)
