"""expand: puts environment variables in the place of `${env:NAME}`, and remembers how to hide them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from scoopi.errors import ConfigError

_REFERENCE = re.compile(r"\$\{env:([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MASK = "***"
"""Stands for a secret wherever a value is shown."""


class Expanded(NamedTuple):
    """A value with its references replaced: by what they name in `text`, by the mask in `shown`."""

    text: str
    shown: str


def expand(written: str, environ: Mapping[str, str], at: str) -> Expanded:
    """Replace each `${env:NAME}`; what it names is taken as it is, not expanded again.

    Raises:
        ConfigError: the variable is not set, or the reference names none.
    """

    def value_of(reference: re.Match[str]) -> str:
        name = reference.group(1)
        if not _NAME.fullmatch(name):
            what = f"{reference.group()} names no environment variable"
            raise ConfigError(what, at=at, hint="write ${env:NAME}")
        if name not in environ:
            what = f"the environment variable {name} is not set"
            raise ConfigError(what, at=at, hint=f"set it, or take {reference.group()} out of the value")
        return environ[name]

    return Expanded(_REFERENCE.sub(value_of, written), _REFERENCE.sub(MASK, written))
