"""Secrets: values that definitions refer to as `${env:NAME}`, and that are read when they are sent."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(
    r"(?i)auth|cookie|token|secret|passw|passphrase|pwd|credential|session|sessid|bearer|signature|jwt|csrf"
    r"|(?:^|[^a-z])(?:pass|pw|pin|sid|otp|sig)(?:$|[^a-z])|api.?key|access.?key|private.?key|(?:^|[^a-z])key$"
)
MASK = "***"
"""Replaces a secret wherever a value is shown."""


def variable_of(text: str) -> str | None:
    """Return NAME if the text is `${env:NAME}` and nothing else; else None.

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

    >>> [name for name in ("X-Api-Key", "Authorization", "lang", "pw", "keyword") if is_secret_name(name)]
    ['X-Api-Key', 'Authorization', 'pw']
    """
    return _SECRET_NAME.search(name) is not None


def is_open(name: str, text: str) -> bool:
    """Whether a header or parameter is certainly not a credential."""
    return variable_of(text) is None and not is_secret_name(name)


class MissingSecretError(Exception):
    """Raised if an environment variable that a secret refers to is not set, or is empty."""

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable


def revealed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the value of the variable if the text is `${env:NAME}`; any other text is unchanged.

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


def filled_with(text: str, quote: Callable[[str], str], environ: Mapping[str, str] = os.environ) -> str:
    """Return the text with each `${env:NAME}` replaced by the value of the variable.

    >>> from urllib.parse import quote_plus
    >>> filled_with("postgresql://reader:${env:DB}@host/shop", quote_plus, {"DB": "a/b"})
    'postgresql://reader:a%2Fb@host/shop'

    Args:
        quote: applied to each value, except to one that is the whole text.
    Raises:
        MissingSecretError: a variable is not set, or empty.
    """
    if variable_of(text) is not None:
        return revealed(text, environ)
    return _REFERENCE.sub(lambda found: quote(revealed(found[0], environ)), text)
