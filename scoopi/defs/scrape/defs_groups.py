"""Locator groups and task groups as written, with their places."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from scoopi.defs.scrape.step_def_builder import SetStep
from scoopi.defs.yaml.node import Listing, Node, Table
from scoopi.defs.yaml.scalars import read_bool
from scoopi.model.definitions import LocatorDef, LocatorGroup, TaskDef, TaskGroup
from scoopi.model.place import Place

_LIVE = "live"


class WrittenTask(msgspec.Struct, frozen=True):
    """A task; `place` is where its name stands."""

    group: str
    name: str
    key: str
    node: Table
    place: Place

    @property
    def data_def(self) -> str:
        """Name of its data definition; empty when it has none (a finding elsewhere)."""
        return self.node.text("dataDef") or ""

    @property
    def steps(self) -> Node | None:
        """Its own steps: a name, or a set with steps that differ."""
        return self.node.entries.get("steps")

    def built(self, chain: list[SetStep]) -> TaskDef:
        """The task with its chain of steps."""
        persist = self.node.table("persist")
        data = read_bool(persist.text("data") or "") if persist is not None else None
        return TaskDef(
            group=self.group,
            name=self.name,
            data_def=self.data_def,
            steps=tuple(each.step for each in chain),
            persist_data=data is not False,
            place=self.place,
        )


class WrittenTaskGroup(msgspec.Struct, frozen=True):
    """A task group; `place` is where its name stands."""

    name: str
    key: str
    node: Table
    place: Place
    tasks: tuple[WrittenTask, ...]

    @property
    def live(self) -> str:
        """How long a loaded page may be used again; empty if not given."""
        return self.node.text(_LIVE) or ""

    def built(self, tasks: tuple[TaskDef, ...]) -> TaskGroup:
        """The group with its tasks."""
        return TaskGroup(self.name, tasks, self.live, self.place)


def build_task_groups(section: Table | None) -> dict[str, WrittenTaskGroup]:
    """The groups by name; entries that are not mappings are skipped, as they are findings elsewhere."""
    groups: dict[str, WrittenTaskGroup] = {}
    for name, node, place in _tables(section):
        key = f"taskGroups.{name}"
        tasks = tuple(
            WrittenTask(name, task, f"{key}.{task}", inner, at)
            for task, inner, at in _tables(node)
            if task != _LIVE
        )
        groups[name] = WrittenTaskGroup(name, key, node, place, tasks)
    return groups


def build_locator_groups(section: Table | None) -> dict[str, LocatorGroup]:
    """The groups by name; entries that are not mappings are skipped, as they are findings elsewhere."""
    return {
        name: LocatorGroup(name, WrittenLocators(node.entries.get("locators")), place)
        for name, node, place in _tables(section)
    }


def _tables(section: Table | None) -> list[tuple[str, Table, Place]]:
    if section is None:
        return []
    return [
        (name, node, section.keys[name]) for name, node in section.entries.items() if isinstance(node, Table)
    ]


class WrittenLocators(Collection[LocatorDef]):
    """Creates each locator on access; entries that are not mappings are skipped.

    Args:
        node: of the key `locators`; None when there is none.
    """

    def __init__(self, node: Node | None) -> None:
        self._entries = node.entries if isinstance(node, Listing) else ()

    def __len__(self) -> int:
        return sum(isinstance(entry, Table) for entry in self._entries)

    def __iter__(self) -> Iterator[LocatorDef]:
        for entry in self._entries:
            if isinstance(entry, Table):
                yield LocatorDef(entry.text("name") or "", entry.text("url") or "", entry.at("url"))

    def __contains__(self, locator: object) -> bool:
        return any(each == locator for each in self)
