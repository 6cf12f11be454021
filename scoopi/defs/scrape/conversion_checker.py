"""ConversionChecker: checks that converters name entries of the data definitions that they convert."""

from __future__ import annotations

from itertools import takewhile

import msgspec

from scoopi.defs.scrape.class_names import PLUGIN_KINDS, STEP_CLASSES
from scoopi.defs.scrape.data_def_builder import WrittenDataDef
from scoopi.defs.scrape.step_sets import SetStep
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.text.shown import nearest

_ANY = (None, None)
"""The flow of a step whose class is not built in."""


class _Conversion(msgspec.Struct, frozen=True):
    """A converter as written, and the data definitions of the tasks that share it.

    Attributes:
        may_fit: whether some task has the entry, or may get it from a script or from a user's step.
        misfits: the data definitions that lack it, by name.
    """

    plugin: PluginDef
    item: str
    key: str
    may_fit: bool = False
    misfits: dict[str, WrittenDataDef] = {}


class ConversionChecker:
    """Checks that converters name entries of the data definitions that they convert.

    Tasks may share a set of steps, so the converters of all tasks are collected before any is judged.

    A name that none of these tasks' data definitions has is an error, as no task could use the converter. A
    name that some of them have is a warning: those tasks need the converter, and the others lose their rows.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._conversions: dict[tuple[Place, str], _Conversion] = {}

    def add(self, chain: list[SetStep], written: WrittenDataDef) -> None:
        """Add the converters of a task's chain.

        Args:
            written: the task's data definition.
        """
        names = {each.item.name for each in written.entries}
        known = sum(1 for _ in takewhile(_is_known, chain))
        for number, each in enumerate(chain):
            if PLUGIN_KINDS.get(each.step.class_name) != "converters":
                continue
            for plugin in each.step.plugins:
                item = plugin.fields.get("item")
                if isinstance(item, str):
                    self._note(each, plugin, item, written, fits=number >= known or item in names)

    def report(self) -> None:
        """Report the converters that do not fit, after those of all tasks have been added."""
        for each in self._conversions.values():
            if each.misfits:
                (self._warn if each.may_fit else self._refuse)(each)

    def _note(
        self, step: SetStep, plugin: PluginDef, item: str, written: WrittenDataDef, *, fits: bool
    ) -> None:
        key = (plugin.place, item)
        one = self._conversions.get(key)
        one = one or _Conversion(plugin, item, f"{step.key}.plugins.{plugin.name}")
        misfits = one.misfits if fits else {**one.misfits, written.data_def.name: written}
        self._conversions[key] = msgspec.structs.replace(one, may_fit=one.may_fit or fits, misfits=misfits)

    def _refuse(self, each: _Conversion) -> None:
        names, known = sorted(each.misfits), _entries(each)
        owner = f"{names[0]} has no" if len(names) == 1 else f"none of {', '.join(names)} has an"
        what = f"{owner} item, dim or fact {each.item} to convert"
        hint = f"known are {', '.join(known)}"
        self._findings.error(each.plugin.place, each.key, what, hint, near=nearest(each.item, known))

    def _warn(self, each: _Conversion) -> None:
        for name in each.misfits:
            what = f"{name} has no item, dim or fact {each.item} to convert: its tasks will fail"
            hint = "give tasks of this data definition other steps"
            self._findings.warning(each.plugin.place, each.key, what, hint)


def _is_known(each: SetStep) -> bool:
    return STEP_CLASSES.get(each.step.class_name, _ANY) != _ANY


def _entries(each: _Conversion) -> list[str]:
    return sorted({entry.item.name for written in each.misfits.values() for entry in written.entries})
