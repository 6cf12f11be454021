"""Parameters: the fields that a plugin's constructor accepts, and conversion of their values from text."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from scoopi.model.text.shown import did_you_mean
from scoopi.plugins.plugin_ports import PluginKind

_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_LISTS = (list, tuple, set, frozenset)


class PluginFault(NamedTuple):
    """What is wrong with a plugin's definition.

    Attributes:
        field: the key whose value is wrong, or that is missing.
        is_unknown: whether the key itself is wrong.
    """

    what: str
    field: str
    is_unknown: bool = False


class Parameters:
    """The fields that a plugin's constructor accepts, and conversion of their values from text.

    A field `inPattern` is the parameter `in_pattern`. Values are texts (or lists and mappings of texts)
    and are converted to the parameter's annotated type: str, int, float, bool, Path, Literal, Enum,
    list[…], dict, … | None. A parameter without an annotation, or of another type, gets the value unchanged.

    Args:
        target: the class or function that makes the plugin.
        given: names of parameters that the caller supplies; they are not fields.
        skip: number of leading parameters that are not fields (the data of a script function).
    Attributes:
        given: those of `given` that the target has.
    Raises:
        NameError, TypeError, ValueError: the signature cannot be inspected.
    """

    def __init__(self, target: Callable[..., object], given: Iterable[str] = (), skip: int = 0) -> None:
        every = list(inspect.signature(target, eval_str=True).parameters.values())[skip:]
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        hidden = frozenset(given)
        self._taken = {p.name: p for p in every if p.kind not in variadic and p.name not in hidden}
        self._takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in every)
        self.given = hidden & {p.name for p in every}

    def __contains__(self, field: str) -> bool:
        return snake_case(field) in self._taken

    def faults(self, fields: Mapping[str, Any]) -> list[PluginFault]:
        """What is wrong with the fields (unknown, missing or mistyped ones), one sentence each."""
        faults = [self._unknown(field) for field in fields if field not in self and not self._takes_any]
        named = {snake_case(field) for field in fields}
        for name, parameter in self._taken.items():
            if parameter.default is inspect.Parameter.empty and name not in named:
                faults.append(_missing(camel_case(name)))
        for field, value in fields.items():
            try:
                self._read(field, value)
            except ValueError as error:
                faults.append(PluginFault(f"field {field}: {error}", field))
        return faults

    def values(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Keyword arguments for the constructor; the fields must be without faults."""
        return {snake_case(field): self._read(field, value) for field, value in fields.items()}

    def _read(self, field: str, value: Any) -> Any:
        parameter = self._taken.get(snake_case(field))
        return value if parameter is None else read_value(value, parameter.annotation)

    def _unknown(self, field: str) -> PluginFault:
        names = [camel_case(name) for name in self._taken]
        hint = did_you_mean(field, names, f"known fields: {', '.join(names) or 'none'}")
        return PluginFault(f"unknown field {field}; {hint}", field, is_unknown=True)


def _missing(field: str) -> PluginFault:
    return PluginFault(f"field {field} is missing", field)


def read_value(value: Any, wanted: Any) -> Any:
    """Convert a text (or a list or mapping of texts) to a type.

    Raises:
        ValueError: the text is not a valid value; the message says what was expected.
    """
    origin = get_origin(wanted) or wanted
    if wanted in (Any, object, inspect.Parameter.empty):
        return value
    if origin in (Union, types.UnionType):
        return _read_one_of(value, get_args(wanted))
    if origin is Literal:
        return _read_choice(value, {str(choice): choice for choice in get_args(wanted)})
    if origin is dict or origin is Mapping:
        return _expect(value, dict, "a mapping")
    if origin in _LISTS or (isinstance(origin, type) and issubclass(list, origin)):
        return _read_list(value, origin if origin in _LISTS else list, get_args(wanted))
    if isinstance(origin, type) and issubclass(origin, Enum):
        return _read_choice(value, {str(member.value): member for member in origin})
    return _read_scalar(value, origin)


def snake_case(field: str) -> str:
    """`inPattern` -> `in_pattern`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", field).lower()


def camel_case(name: str) -> str:
    """`in_pattern` -> `inPattern`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def _read_scalar(value: Any, kind: Any) -> Any:
    if kind not in (str, int, float, bool, Path):
        return value
    text = _expect(value, str, "a single value")
    if kind is int:
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"expected an integer, got {text!r}")
        return int(text)
    if kind is float:
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"expected a number, got {text!r}") from None
    if kind is bool:
        return _read_choice(text.strip().lower(), {"true": True, "false": False})
    return kind(text)


def _read_one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    faults = []
    # str accepts any text, so it is tried last.
    for kind in sorted((kind for kind in kinds if kind is not type(None)), key=lambda kind: kind is str):
        try:
            return read_value(value, kind)
        except ValueError as error:
            faults.append(str(error))
    raise ValueError(faults[0] if len(faults) == 1 else " or ".join(faults))


def _read_choice(value: Any, choices: Mapping[str, Any]) -> Any:
    text = _expect(value, str, "a single value")
    if text not in choices:
        raise ValueError(f"expected {' or '.join(choices)}, got {text!r}")
    return choices[text]


def _read_list(value: Any, kind: Any, of: tuple[Any, ...]) -> Any:
    entries = _expect(value, list, "a list")
    return kind(read_value(entry, of[0]) for entry in entries) if of else kind(entries)


def _expect(value: Any, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"expected {name}, got {'a list' if isinstance(value, list) else repr(value)}")
    return value


OnError = Literal["keep", "fail", "drop", "blank"]


class StepField(msgspec.Struct, frozen=True):
    """A field that the step reads instead of the plugin: its type, and whether it is required."""

    type: Any
    required: bool = False

    def fault(self, name: str, fields: Mapping[str, Any]) -> PluginFault | None:
        """What is wrong with the field of that name; None if it is correct."""
        if name not in fields:
            return _missing(name) if self.required else None
        try:
            read_value(fields[name], self.type)
        except ValueError as error:
            return PluginFault(f"field {name}: {error}", name)
        return None


STEP_FIELDS: Mapping[PluginKind, Mapping[str, StepField]] = MappingProxyType(
    {
        "converters": MappingProxyType(
            {"item": StepField(str, required=True), "onError": StepField(OnError)}
        ),
        "appenders": MappingProxyType({"queueSize": StepField(int)}),
    }
)
"""Kind -> field -> its type. Source: defs/README.md, 4.5."""
