"""Definitions: what a run does, checked and normalized."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from scoopi.model.data_def import DataDef
from scoopi.model.place import NOWHERE, Place
from scoopi.model.sites import SiteBlock


class PluginDef(msgspec.Struct, frozen=True):
    """A plugin as defined.

    Attributes:
        class_name: the short name of a built-in (dotted names of built-ins are shortened), or a
            user's name.
        fields: all other keys as written, scalars as their text, without `name`, `class`, `plugins`.
        plugins: nested plugins (the encoder of an appender).
    """

    name: str
    class_name: str
    fields: dict[str, Any] = {}
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


class StepDef(msgspec.Struct, frozen=True):
    """A step as it stands in a task's expanded steps set; `class_name` as in PluginDef."""

    name: str
    class_name: str
    previous: str
    next: str
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


class LocatorDef(msgspec.Struct, frozen=True):
    """One entry of a group's `locators`."""

    name: str
    url: str
    place: Place = NOWHERE


class LocatorGroup(msgspec.Struct, frozen=True):
    """Locators that share a name and, by it, a task group; there may be very many."""

    name: str
    locators: Collection[LocatorDef]
    place: Place = NOWHERE


class TaskDef(msgspec.Struct, frozen=True):
    """One task: a data definition and its chain of steps.

    Attributes:
        steps: the chain in the order of its run, from the seeder (the successor of `start`) on.
        persist_data: whether parsed data may be kept and reused (`persist: { data: … }`).
    """

    group: str
    name: str
    data_def: str
    steps: tuple[StepDef, ...]
    persist_data: bool = True
    place: Place = NOWHERE


class TaskGroup(msgspec.Struct, frozen=True):
    """The tasks done on every page of the group, in the order of their definition; never empty.

    `live` is the text of the definition, empty when it has none.
    """

    name: str
    tasks: tuple[TaskDef, ...]
    live: str = ""
    place: Place = NOWHERE


class Definitions(msgspec.Struct, frozen=True):
    """What is reached by a run, by name, plus the digest of everything that was read.

    `locator_groups` holds only groups that have a task group of their name.
    """

    locator_groups: dict[str, LocatorGroup]
    task_groups: dict[str, TaskGroup]
    data_defs: dict[str, DataDef]
    digest: str = ""
    sites: tuple[SiteBlock, ...] = ()
