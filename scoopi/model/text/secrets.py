"""Secrets: values that definitions name as `${env:NAME}`, and that are read when they are sent."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(
    r"(?i)auth|cookie|token|secret|passw|passphrase|pwd|credential|session|sessid|bearer|signature|jwt|csrf"
    r"|(?:^|[^a-z])(?:pass|pin|sid|otp|sig)(?:$|[^a-z])|api.?key|access.?key|private.?key|(?:^|[^a-z])key$"
)
MASK = "***"
"""Stands for a secret wherever a value is shown."""


def variable_of(text: str) -> str | None:
    """NAME, if the text is `${env:NAME}` and nothing else.

    >>> variable_of("${env:TOKEN}"), variable_of("Bearer ${env:TOKEN}")
    ('TOKEN', None)
    """
    found = _REFERENCE.fullmatch(text)
    return found[1] if found else None


def has_reference(text: str) -> bool:
    """Whether `${env:` occurs in the text."""
    return "${env:" in text


def is_secret_name(name: str) -> bool:
    """Whether a header, cookie or parameter of this name usually holds a credential.

    >>> [name for name in ("X-Api-Key", "Authorization", "lang", "sid", "keyword") if is_secret_name(name)]
    ['X-Api-Key', 'Authorization', 'sid']
    """
    return _SECRET_NAME.search(name) is not None


def is_open(name: str, text: str) -> bool:
    """Whether a header or parameter is certainly not a credential."""
    return variable_of(text) is None and not is_secret_name(name)


class MissingSecretError(Exception):
    """The environment has no such variable."""

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable


def revealed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """The value that `${env:NAME}` stands for; any other text as it is.

    Raises:
        MissingSecretError: the variable is not set, or empty.
    """
    variable = variable_of(text)
    if variable is None:
        return text
    value = environ.get(variable, "")
    if not value:
        raise MissingSecretError(variable)
    return value
