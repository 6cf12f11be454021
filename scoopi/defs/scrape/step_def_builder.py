"""StepBuilder: a step as written becomes a StepDef, and remembers where it was written."""

from __future__ import annotations

import msgspec

from scoopi.defs.scrape.class_names import short_class
from scoopi.defs.yaml.node import Table, plain
from scoopi.model.place import NOWHERE, Place
from scoopi.model.step_def import PluginDef, StepDef

_NO_FIELDS = frozenset({"name", "class", "plugins"})


class SetStep(msgspec.Struct, frozen=True):
    """A step of a steps set.

    Attributes:
        step: with the neighbours that insertion gave it.
        previous: as written.
        key: the path of names to it; empty for a built-in step.
        node: as written; None for a built-in step.
        place: where its name stands.
        is_override: whether it is put into a set that it is based on.
    """

    step: StepDef
    previous: str
    key: str = ""
    node: Table | None = None
    place: Place = NOWHERE
    is_override: bool = False

    def with_next(self, name: str) -> SetStep:
        """Followed by another step."""
        return msgspec.structs.replace(self, step=msgspec.structs.replace(self.step, next=name))

    def with_previous(self, name: str) -> SetStep:
        """Following another step, whatever was written."""
        return msgspec.structs.replace(self, step=msgspec.structs.replace(self.step, previous=name))

    def at(self, key: str) -> Place:
        """Where the value of one of its keys stands."""
        return self.node.at(key) if self.node is not None and key in self.node.entries else self.place


def build_step(name: str, node: Table, key: str, place: Place, is_override: bool = False) -> SetStep:
    """The step of a table; keys that are missing (a finding elsewhere) become empty texts."""
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
