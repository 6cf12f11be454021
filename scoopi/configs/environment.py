"""read_environment: the settings that SCOOPI_… variables give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scoopi.configs.given import Given
from scoopi.configs.original_keys import original_environment_key
from scoopi.configs.registry import SETTINGS
from scoopi.errors import ConfigError
from scoopi.model.text.shown import nearest

PREFIX = "SCOOPI_"
NOT_SETTINGS = frozenset({"SCOOPI_HAZELCAST_JAR"})
"""Variables with the prefix of settings that are not settings."""

_KUBERNETES = re.compile(
    r"SCOOPI(_[A-Z0-9_]+)?_"
    r"(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_KUBERNETES_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


def read_environment(environ: Mapping[str, str]) -> tuple[list[Given], list[ConfigError]]:
    """The settings that the environment gives, by name, and an error for each unknown name."""
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
    """Whether Kubernetes set it: each pod gets such variables for a service named `scoopi…`."""
    if _KUBERNETES.fullmatch(name):
        return True
    return name.endswith("_PORT") and _KUBERNETES_ADDRESS.match(value) is not None


def near_setting(name: str, known: Iterable[str]) -> str:
    """The hint for an unknown setting: the closest known name, or where all are listed."""
    near = nearest(name, known)
    return f"did you mean {near}?" if near else "see scoopi config for all settings"
