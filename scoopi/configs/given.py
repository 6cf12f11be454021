"""Given: a value as given, not yet checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scoopi.errors import ConfigError


class Given(NamedTuple):
    """A key and its text.

    Attributes:
        origin: its source, as `scoopi config` shows it: `conf/scoopi.yml:3`, `-D`, `environment SCOOPI_X`.
        at: its place, as errors show it.
    """

    key: str
    text: str
    origin: str
    at: str


SettingValue = str | int | float
"""What a program may give for a setting; a boolean is an int."""


def as_texts(settings: Mapping[str, SettingValue]) -> dict[str, str]:
    """The settings as `-D` would give them.

    >>> as_texts({"scoopi.loader.fetch.delay": 0, "scoopi.output.merge": True})
    {'scoopi.loader.fetch.delay': '0', 'scoopi.output.merge': 'true'}

    Raises:
        ConfigError: a value is not a text, a number or a boolean.
    """
    return {key: value if isinstance(value, str) else _text(key, value) for key, value in settings.items()}


def _text(key: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    what = f"{value!r} is not a value for a setting"
    raise ConfigError(what, at=key, hint="give a text, a number, True or False")
