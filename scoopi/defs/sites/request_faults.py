"""The faults of texts that a request is made of: headers, cookies, proxies, and credentials in plain text."""

from __future__ import annotations

import re

from scoopi.defs.scrape.checkers import Fault
from scoopi.model.sites import DIRECT
from scoopi.model.text.secrets import has_reference, is_secret_name, variable_of

_NOT_IN_HEADERS = frozenset("\r\n\0")
_FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te"})
"""Headers that the HTTP client sets for each request."""

_NOT_IN_COOKIES = frozenset("\r\n\0;, \t")
_PROXY_URL = re.compile(
    r"(?:https?|socks[45]|socks4a|socks5h)://(?:[^\s/?#:\[\]@]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?/?",
    re.ASCII,
)
_LAST_PORT = 65_535
_VARIABLE = re.compile(r"[^A-Z0-9]+")
_TOKEN = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9+/_.=-]{32,}")
"""A long text of letters and digits without blanks: it is random, unlike texts that people write."""


def header_fault(name: str, text: str) -> str:
    """Return why a header cannot be sent; empty if it can."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum()):
        return f"{name!r} is not the name of a header"
    if name.lower() in _FRAMING:
        return f"the header {name} is set by Scoopi for each request"
    if _NOT_IN_HEADERS & set(text):
        return f"the header {name} has a line break, or a NUL character"
    return ""


def cookie_fault(name: str, text: str) -> str:
    """Return why a cookie cannot be sent; empty if it can."""
    if not name or not name.isascii() or not name.isprintable() or (_NOT_IN_COOKIES | {"="}) & set(name):
        return f"{name!r} is not the name of a cookie"
    if _NOT_IN_COOKIES & set(text) and variable_of(text) is None:
        return f"the cookie {name} has a character that cookies cannot have"
    return ""


def proxy_fault(text: str) -> Fault | None:
    """Return why a text is neither the address of a proxy nor a reference to one; None if it is."""
    if text == DIRECT or variable_of(text) is not None:
        return None
    hint = 'write "http://host:port", or "${env:NAME}" for one with a login'
    if has_reference(text):
        return Fault("${env:…} must be the whole value of a proxy", hint)
    if "@" in text:
        return Fault("the proxy contains a login in plain text", hint, is_secret=True)
    found = _PROXY_URL.fullmatch(text)
    if found is None or int(found[1] or 0) > _LAST_PORT:
        return Fault(f"{text} is not the address of a proxy", hint)
    return None


def secret_fault(kind: str, name: str, text: str, *, always: bool = False) -> Fault | None:
    """Return the fault of a value that is a credential in plain text; None if it is not.

    Args:
        kind: what the value is: `header`, `cookie`, …
        always: whether the value is a credential regardless of its name and form.
    """
    if variable_of(text) is not None:
        return None
    hint = f"set it in the environment, and write ${{env:{_variable(name)}}}"
    if has_reference(text):
        return Fault(f"${{env:…}} must be the whole value of the {kind} {name}", hint)
    if text and (always or is_secret_name(name) or _TOKEN.fullmatch(text)):
        return Fault(f"the {kind} {name} contains a credential in plain text", hint, is_secret=True)
    return None


def _variable(name: str) -> str:
    return _VARIABLE.sub("_", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).upper()).strip("_") or "SECRET"
