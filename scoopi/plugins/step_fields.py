"""STEP_FIELDS: fields of plugins that are read by their step and not by the plugin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from scoopi.plugins.parameters import read_value
from scoopi.plugins.ports import PluginKind

OnError = Literal["keep", "fail", "drop", "blank"]


@dataclass(frozen=True, slots=True)
class StepField:
    """Its type as Parameters reads it, and whether a plugin must have it."""

    type: Any
    required: bool = False

    def fault(self, name: str, fields: Mapping[str, Any]) -> str | None:
        """What is wrong with the field of that name; None when nothing is."""
        if name not in fields:
            return f"field {name} is missing" if self.required else None
        try:
            read_value(fields[name], self.type)
        except ValueError as error:
            return f"field {name}: {error}"
        return None


STEP_FIELDS: Mapping[PluginKind, Mapping[str, StepField]] = MappingProxyType(
    {
        "converters": MappingProxyType(
            {"item": StepField(str, required=True), "onError": StepField(OnError)}
        ),
        "appenders": MappingProxyType({"queueSize": StepField(int)}),
    }
)
"""Kind -> field -> its type. Source: language, A16, B 4.5."""
