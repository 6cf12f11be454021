"""PluginDef and StepDef: a class named in the definitions, with the fields that configure it."""

from __future__ import annotations

from typing import Any

import msgspec

from scoopi.model.place import NOWHERE, Place


class PluginDef(msgspec.Struct, frozen=True):
    """A plugin, as defined.

    Attributes:
        class_name: the short name of a built-in plugin (dotted names are shortened), or a user's name.
        fields: all keys but `name`, `class` and `plugins`, with scalars as the text that was written.
        plugins: the plugins nested in it (the encoder of an appender).
    """

    name: str
    class_name: str
    fields: dict[str, Any] = {}
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


class StepDef(msgspec.Struct, frozen=True):
    """A step of a task's expanded steps set; `class_name` as in PluginDef."""

    name: str
    class_name: str
    previous: str
    next: str
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE
