"""StepDef: one step of a task's chain, and the plugins that it uses."""

from __future__ import annotations

from typing import Any

import msgspec

from scoopi.model.place import NOWHERE, Place


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
