"""StepSets: sets of steps by name, with their bases and overrides resolved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from scoopi.defs.scrape.class_names import (
    APPENDER_STEP,
    CSS_PARSER,
    FILTER,
    LOADER,
    RECORD_APPENDER,
    RECORD_PARSER,
    SEEDER,
    XPATH_PARSER,
    short_class,
)
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, plain
from scoopi.defs.yaml.shape_checker import is_nested
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.plugin_def import PluginDef, StepDef
from scoopi.model.text.shown import nearest

_NO_FIELDS = frozenset({"name", "class", "plugins"})
START, END = "start", "end"
_CSV = PluginDef("csv", "CsvEncoder", {"delimiter": "|", "includeTags": "false"})
_DATA_FILE = PluginDef("dataFile", "FileAppender", {"file": "output/data.txt"}, (_CSV,))


class SetStep(msgspec.Struct, frozen=True):
    """A step of a steps set.

    Attributes:
        step: the step, with its neighbours in the complete set.
        previous: the name of the step before it, as written.
        key: the path of names to the step; empty for a built-in step.
        node: the step's YAML; None for a built-in step.
        place: where the step's name is written.
        is_override: whether it is inserted into the set's base, or replaces a step of it.
    """

    step: StepDef
    previous: str
    key: str = ""
    node: Table | None = None
    place: Place = NOWHERE
    is_override: bool = False

    def with_next(self, name: str) -> SetStep:
        """Return the step with another successor."""
        return msgspec.structs.replace(self, step=msgspec.structs.replace(self.step, next=name))

    def with_previous(self, name: str) -> SetStep:
        """Return the step with another predecessor than the one that is written."""
        return msgspec.structs.replace(self, step=msgspec.structs.replace(self.step, previous=name))

    def at(self, key: str) -> Place:
        """Return the place of the value of one of its keys."""
        return self.node.at(key) if self.node is not None and key in self.node.entries else self.place


def build_step(name: str, node: Table, key: str, place: Place, is_override: bool = False) -> SetStep:
    """Build the step of a table; missing keys, which a checker reports, become empty texts."""
    previous = node.text("previous") or ""
    step = StepDef(
        name=name,
        class_name=short_class(node.text("class") or ""),
        previous=previous,
        next=node.text("next") or "",
        plugins=_plugins(node),
        place=place,
    )
    return SetStep(step, previous, key, node, place, is_override)


def _plugins(node: Table) -> tuple[PluginDef, ...]:
    return tuple(_plugin(each) for each in node.tables("plugins", "plugin"))


def _plugin(node: Table) -> PluginDef:
    fields = plain(node)
    return PluginDef(
        name=node.text("name") or "",
        class_name=short_class(node.text("class") or ""),
        fields={name: value for name, value in fields.items() if name not in _NO_FIELDS},
        plugins=_plugins(node),
        place=node.place,
    )


Steps = dict[str, SetStep]


def _steps(parser: str) -> Mapping[str, StepDef]:
    steps = (
        StepDef("seeder", SEEDER, "start", "loader"),
        StepDef("loader", LOADER, "seeder", "parser"),
        StepDef("parser", parser, "loader", "filter"),
        StepDef("filter", FILTER, "parser", "appender"),
        StepDef("appender", APPENDER_STEP, "filter", "end", (_DATA_FILE,)),
    )
    return MappingProxyType({step.name: step for step in steps})


def _record_steps() -> Mapping[str, StepDef]:
    steps = (
        StepDef("seeder", SEEDER, "start", "loader"),
        StepDef("loader", LOADER, "seeder", "parser"),
        StepDef("parser", RECORD_PARSER, "loader", "appender"),
        StepDef("appender", RECORD_APPENDER, "parser", "end"),
    )
    return MappingProxyType({step.name: step for step in steps})


RECORD_STEPS = "records"
"""The steps set of tasks that read records and name no set."""
_CSS, _XPATH = _steps(CSS_PARSER), _steps(XPATH_PARSER)

BUILT_IN_SETS: Mapping[str, Mapping[str, StepDef]] = MappingProxyType(
    {
        "css": _CSS,
        "xpath": _XPATH,
        RECORD_STEPS: _record_steps(),
        "jsoupDefault": _CSS,
        "htmlUnitDefault": _XPATH,
    }
)
"""The built-in steps sets: name -> step name -> step. Source: defs/README.md, 4."""


class StepSets:
    """Resolves the sets of the section `steps`, and the steps of tasks.

    Source: defs/README.md, 1.6.
    """

    def __init__(self, section: Table | None, findings: Findings) -> None:
        self._section = section or Table({}, {}, Place())
        self._findings = findings
        self._expanded: dict[str, Steps | None] = {
            name: {step.name: SetStep(step, step.previous) for step in steps.values()}
            for name, steps in BUILT_IN_SETS.items()
        }
        self._open: list[str] = []
        self._used: set[str] = set()
        self._check_names()
        for name in self._section.entries:
            self._expand(name)

    def named(self, name: str, place: Place, key: str) -> Steps | None:
        """Return the steps of a set; None after a finding if it does not exist or has errors."""
        self._used.add(name)
        if name not in self._expanded and name not in self._section.entries:
            known = {*BUILT_IN_SETS, *self._section.entries}
            self._findings.unknown(place, key, f"there is no steps set {name}", name, known)
            return None
        return self._expand(name)

    def meant(self, name: str) -> Steps | None:
        """Return the steps of the set that an unknown name probably means; None if none is likely."""
        found = nearest(name, {*BUILT_IN_SETS, *self._section.entries})
        return self._expand(found) if found else None

    def overridden(self, table: Table, place: Place, key: str) -> Steps | None:
        """Return the steps of `{ SET: { overrides } }`; None after a finding if they have errors."""
        names = list(table.entries)
        if len(names) != 1:
            if names:
                what = f"{len(names)} steps sets are named, but only one is allowed"
                self._findings.error(place, key, what, "keep one of them")
            return None
        return self._nested(table, key)

    def warn_of_unused(self) -> None:
        """Warn of the sets that no task uses, directly or as a base."""
        for name in self._section.entries:
            if name not in self._used and name not in BUILT_IN_SETS:
                what = f"no task uses the steps set {name}"
                self._findings.warning(self._section.keys[name], f"steps.{name}", what, "remove it")

    def _check_names(self) -> None:
        for name in self._section.entries:
            if name in BUILT_IN_SETS:
                what = f"{name} is a built-in steps set"
                hint = f"give yours a name of its own, derived as in `mySteps: {{ {name}: {{ … }} }}`"
                self._findings.error(self._section.keys[name], f"steps.{name}", what, hint)

    def _expand(self, name: str) -> Steps | None:
        if name in self._expanded:
            return self._expanded[name]
        key, place, node = f"steps.{name}", self._section.keys[name], self._section.entries[name]
        if name in self._open:
            cycle = " → ".join([*self._open[self._open.index(name) :], name])
            self._findings.error(
                place, key, f"steps sets are based on each other: {cycle}", "break the cycle"
            )
            return None
        self._open.append(name)
        steps: Steps | None = None
        if isinstance(node, Table) and node.entries:
            steps = self._nested(node, key) if is_nested(node) else self._overlaid({}, node, key)
        self._open.pop()
        self._expanded[name] = steps
        return steps

    def _nested(self, node: Table, key: str) -> Steps | None:
        base, *others = node.entries
        for name in others:
            what = f"a steps set has one base; {name} is ignored"
            self._findings.warning(node.keys[name], key, what, "remove it")
        steps = self.named(base, node.keys[base], key)
        overrides = node.entries[base]
        if steps is None or not isinstance(overrides, Table):
            return None
        return self._overlaid(steps, overrides, f"{key}.{base}")

    def _overlaid(self, base: Steps, overrides: Table, key: str) -> Steps:
        """The base with the steps of `overrides` replaced or inserted, each once its predecessor is there."""
        steps = dict(base)
        written = [
            build_step(name, node, f"{key}.{name}", overrides.keys[name], bool(base))
            for name, node in overrides.entries.items()
            if isinstance(node, Table)
        ]
        if not base:
            return {each.step.name: each for each in written}
        while written:
            ready = next((each for each in written if self._fits(each, steps)), None)
            if ready is None:
                for each in written:
                    self._no_previous(each, {*steps, *overrides.entries})
                break
            written.remove(ready)
            self._put(steps, ready)
        return steps

    def _fits(self, each: SetStep, steps: Steps) -> bool:
        """Whether the step replaces one, or its predecessor is there."""
        return each.step.name in steps or each.step.previous in steps

    def _put(self, steps: Steps, new: SetStep) -> None:
        name = new.step.name
        is_inserted = name not in steps
        steps[name] = new
        if not is_inserted:
            return
        steps[new.step.previous] = steps[new.step.previous].with_next(name)
        follower = steps.get(new.step.next)
        if follower is not None and follower.step.previous.lower() != START:
            steps[new.step.next] = follower.with_previous(name)

    def _no_previous(self, each: SetStep, names: set[str]) -> None:
        if not each.step.previous:
            return
        if each.step.previous in names:
            what = f"steps {each.step.name} and {each.step.previous} wait for each other"
            self._findings.error(each.at("previous"), each.key, what, "begin at a step of the base")
            return
        what = f"there is no step {each.step.previous}"
        near = nearest(each.step.previous, names - {each.step.name})
        hint = f"known are {', '.join(sorted(names - {each.step.name}))}"
        self._findings.error(each.at("previous"), f"{each.key}.previous", what, hint, near=near)
