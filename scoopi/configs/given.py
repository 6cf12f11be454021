"""Given: a setting as given, also by SCOOPI_… variables; expand: replaces `${env:…}` in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scoopi.configs.original_keys import original_environment_key
from scoopi.configs.registry import SETTINGS
from scoopi.errors import ConfigError
from scoopi.model.text.secrets import MASK
from scoopi.model.text.shown import did_you_mean

_REFERENCE = re.compile(r"\$\{env:([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PREFIX = "SCOOPI_"
NOT_SETTINGS = frozenset(
    {
        "SCOOPI_HAZELCAST_JAR",
        "SCOOPI_ATTEMPT",
        "SCOOPI_FENCE",
        "SCOOPI_INPUTS",
        "SCOOPI_STATE",
        "SCOOPI_STORE",
        "SCOOPI_USER",
    }
)
"""Variables with the prefix of settings that are not settings."""
_KUBERNETES = re.compile(
    r"SCOOPI(_[A-Z0-9_]+)?_"
    r"(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_KUBERNETES_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


class Given(NamedTuple):
    """A key and its text.

    Attributes:
        origin: where it was set, as `scoopi config` shows it: `conf/scoopi.yml:3`, `-D`, `environment
            SCOOPI_X`.
        at: its place, as errors show it.
    """

    key: str
    text: str
    origin: str
    at: str


SettingValue = str | int | float
"""Types of a setting's value in the Python API; a boolean is an int."""


def as_texts(settings: Mapping[str, SettingValue]) -> dict[str, str]:
    """Return the settings as texts, as `-D` takes them.

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


class Expanded(NamedTuple):
    """A value with its references replaced: in `text` by the variables' values, in `shown` by the mask."""

    text: str
    shown: str


def expand(written: str, environ: Mapping[str, str], at: str) -> Expanded:
    """Replace each `${env:NAME}` by the value of the variable, which is not expanded again.

    Raises:
        ConfigError: a variable is not set, or a reference is malformed.
    """

    def value_of(reference: re.Match[str]) -> str:
        name = reference.group(1)
        if not _NAME.fullmatch(name):
            what = f"{reference.group()} names no environment variable"
            raise ConfigError(what, at=at, hint="write ${env:NAME}")
        if name not in environ:
            what = f"the environment variable {name} is not set"
            raise ConfigError(what, at=at, hint=f"set it, or remove {reference.group()} from the value")
        return environ[name]

    return Expanded(_REFERENCE.sub(value_of, written), _REFERENCE.sub(MASK, written))


def read_environment(environ: Mapping[str, str]) -> tuple[list[Given], list[ConfigError]]:
    """Return the settings in the environment, sorted by name, and an error for each unknown name."""
    keys = {setting.environment: setting.key for setting in SETTINGS}
    given: list[Given] = []
    faults: list[ConfigError] = []
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in NOT_SETTINGS:
            continue
        key = keys.get(name)
        if key is None and _is_kubernetes(name, environ[name]):
            continue
        key = key or original_environment_key(name)
        if key is None:
            hint = near_setting(name, keys)
            faults.append(ConfigError("no setting has this name", at=f"environment {name}", hint=hint))
        else:
            origin = f"environment {name}"
            given.append(Given(key, environ[name], origin, origin))
    return given, faults


def _is_kubernetes(name: str, value: str) -> bool:
    """Whether Kubernetes set the variable: it does so in each pod for a service named `scoopi…`."""
    if _KUBERNETES.fullmatch(name):
        return True
    return name.endswith("_PORT") and _KUBERNETES_ADDRESS.match(value) is not None


def near_setting(name: str, known: Iterable[str]) -> str:
    """Return the hint for an unknown setting: the closest known name, or a pointer to the list."""
    return did_you_mean(name, known, "see scoopi config for all settings")
