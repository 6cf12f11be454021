"""Setting: one key with its type, default, range and scope; how it is declared, and its values are read."""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, Self, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from scoopi.errors import ConfigError, ScoopiError

DAY_MS, HOUR_MS = 86_400_000, 3_600_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class SettingKind(StrEnum):
    """The type of a setting's value."""

    BOOL = "true or false"
    INT = "a whole number"
    TEXT = "a text without line breaks"
    CHOICE = "a choice"
    PATH = "a path"
    PATTERN = "a date pattern"
    WORKERS = "auto or a number"


class Scope(StrEnum):
    """Which nodes of a run must agree on a value."""

    RUN = "run"
    """May change rows: one value for the whole run, which `resume` cannot change."""
    SHARED = "shared"
    """All nodes must agree, but the value does not change rows."""
    NODE = "node"
    """May differ from node to node."""


RUN, SHARED, NODE = Scope.RUN, Scope.SHARED, Scope.NODE
_MOST = 2**31 - 1


class Setting(msgspec.Struct, frozen=True):
    """One key of the registry: its type, default, range and scope.

    Attributes:
        default: text of the default; None if the setting has none.
        sentence: the help text.
        unit: unit of a number; empty for none.
        least, most: range of a number.
        choices: the allowed values of a CHOICE.
    """

    key: str
    kind: SettingKind
    default: str | None
    scope: Scope
    sentence: str
    unit: str = ""
    least: int = 0
    most: int = _MOST
    choices: tuple[str, ...] = ()

    @property
    def is_secret(self) -> bool:
        """Whether the value must never be shown or stored."""
        return self.key.endswith(".password") or self.key in _MAY_HOLD_SECRETS

    @property
    def may_change_rows(self) -> bool:
        """Whether the value may change rows; only such settings are visible to scripts."""
        return self.scope is Scope.RUN

    @property
    def environment(self) -> str:
        """The name of its environment variable: `SCOOPI_JOB_MAXTAKES` for `scoopi.job.maxTakes`."""
        return self.key.upper().replace(".", "_")

    @property
    def domain(self) -> str:
        """The allowed values, in words: `a whole number from 0 to 100 (ms)`."""
        unit = f" ({self.unit})" if self.unit else ""
        numbers = f"a whole number from {self.least} to {self.most}{unit}"
        match self.kind:
            case SettingKind.INT:
                return numbers
            case SettingKind.WORKERS:
                return f"auto or {numbers}"
            case SettingKind.CHOICE:
                return " or ".join(self.choices)
            case _:
                return self.kind.value


_MAY_HOLD_SECRETS = frozenset({"scoopi.cluster.store", "scoopi.webDriver.url"})
"""Settings whose value may contain a password."""


class SettingKey(msgspec.Struct, frozen=True):
    """Declares the setting of a group's field: `Annotated[int, SettingKey("scoopi.x", NODE, "Help.")] = 1`.

    Type, choices and default come from the field, unless given here.

    Attributes:
        sentence: the help text.
        kind: for a field whose type differs from that of the setting.
        default: text of the default, for a field whose default differs from it; None for no default.
    """

    key: str
    scope: Scope
    sentence: str
    unit: str = ""
    least: int = 0
    most: int = _MOST
    kind: SettingKind | None = None
    default: str | UnsetType | None = UNSET

    def setting(self, type_: Any, default: object) -> Setting:
        """Return the setting of a field with that type and default."""
        choices = tuple(map(str, get_args(type_))) if get_origin(type_) is Literal else ()
        kind = self.kind or (SettingKind.CHOICE if choices else _KINDS.get(type_, SettingKind.TEXT))
        text = _text(default) if self.default is UNSET else self.default
        return Setting(
            self.key, kind, text, self.scope, self.sentence, self.unit, self.least, self.most, choices
        )


_KINDS = MappingProxyType({bool: SettingKind.BOOL, int: SettingKind.INT, Path: SettingKind.PATH})


def _text(default: object) -> str | None:
    if isinstance(default, bool):
        return str(default).lower()
    return None if default is None else str(default)


@cache
def declared(group: type) -> MappingProxyType[str, Setting]:
    """Return field name -> setting, for the fields of a struct or dataclass that have a `SettingKey`."""
    defaults = _defaults_of(group)
    hints = get_type_hints(group, include_extras=True)
    return MappingProxyType(
        {
            name: key.setting(get_args(hint)[0], defaults.get(name))
            for name, hint in hints.items()
            for key in getattr(hint, "__metadata__", ())
            if isinstance(key, SettingKey)
        }
    )


def _defaults_of(group: type) -> dict[str, object]:
    if issubclass(group, msgspec.Struct):
        # msgspec.structs.fields evaluates all annotations again, which takes as long as everything else here.
        names, defaults = group.__struct_fields__, group.__struct_defaults__
        return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    assert dataclasses.is_dataclass(group)
    return {field.name: field.default for field in dataclasses.fields(group)}


class Values(Protocol):
    """The effective values of all settings, by key."""

    def text(self, key: str) -> str: ...
    def number(self, key: str) -> int: ...
    def flag(self, key: str) -> bool: ...
    def path(self, key: str, folder: Path) -> Path: ...
    def origin(self, key: str) -> str: ...


def values_of(group: type, configs: Values) -> dict[str, Any]:
    """Return field name -> value, for the fields of a group that have a `SettingKey`."""
    read = {SettingKind.INT: configs.number, SettingKind.BOOL: configs.flag}
    return {
        name: read.get(setting.kind, configs.text)(setting.key) for name, setting in declared(group).items()
    }


class Group(msgspec.Struct, frozen=True):
    """The settings that one consumer takes, with units in the names of the fields."""

    @classmethod
    def of(cls, configs: Values) -> Self:
        """Return the group with the effective values."""
        return cls(**values_of(cls, configs))


def read_value(setting: Setting, text: str, *, shown: str, at: str) -> str:
    """Validate a value and return it in canonical form: `true`, `1000`, `auto`.

    Args:
        text: the value as given.
        shown: the value with secrets masked, for the error.
        at: its place, for the error.
    Raises:
        ConfigError: the text is not a valid value.
    """
    value = _read(setting, text)
    if value is None:
        what = f"{setting.key} needs {setting.domain}, got {shown!r}"
        raise ConfigError(what, at=at, hint=_hint(setting))
    return value


def _read(setting: Setting, text: str) -> str | None:
    match setting.kind:
        case SettingKind.BOOL:
            return _choice(text, ("true", "false"))
        case SettingKind.CHOICE:
            return _choice(text, setting.choices)
        case SettingKind.INT:
            return _whole(setting, text)
        case SettingKind.WORKERS:
            return _choice(text, ("auto",)) or _whole(setting, text)
        case SettingKind.PATH:
            return text.strip() if "\0" not in text and text.strip() else None
        case SettingKind.PATTERN:
            return text if _is_pattern(text) else None
        case SettingKind.TEXT:
            return None if any(sign in text for sign in "\0\r\n") else text


def _choice(text: str, choices: tuple[str, ...]) -> str | None:
    word = text.strip().lower()
    return word if word in choices else None


def _whole(setting: Setting, text: str) -> str | None:
    digits = text.strip()
    if not _WHOLE.fullmatch(digits) or not setting.least <= int(digits) <= setting.most:
        return None
    return str(int(digits))


def _is_pattern(text: str) -> bool:
    from scoopi.java.dates.date_pattern import DatePattern

    try:
        DatePattern(text)
    except (ScoopiError, ValueError):
        return False
    return True


def _hint(setting: Setting) -> str:
    if setting.default is None:
        return "correct it, or remove it"
    unit = f" {setting.unit}" if setting.unit else ""
    return f"correct it, or remove it: the default is {setting.default}{unit}"
