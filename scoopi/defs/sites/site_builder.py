"""SiteBuilder: the written entries of `sites` become blocks; what is wrong with a value is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, Text, read_integer
from scoopi.model.place import Place
from scoopi.model.sites import SiteBlock
from scoopi.model.text.secrets import has_reference, is_secret_name, variable_of

_DAY_MS = 86_400_000


class _Number(NamedTuple):
    """A key whose value is a whole number within bounds."""

    field: str
    least: int
    most: int = _DAY_MS


_NUMBERS = {
    "delay": _Number("delay_ms", 0),
    "parallelism": _Number("parallelism", 1, 1000),
    "timeout": _Number("timeout_ms", 1),
    "connectTimeout": _Number("connect_timeout_ms", 1),
}
_TEXTS = {"userAgent": "user_agent"}
_NAMED = {"headers": "headers"}
KEY_OF = MappingProxyType(
    {
        **{number.field: key for key, number in _NUMBERS.items()},
        **{field: key for key, field in {**_TEXTS, **_NAMED}.items()},
    }
)
"""Field of Site -> its key."""

_NOT_IN_HEADERS = frozenset("\r\n\0")
FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te"})
"""Headers that a request gets by what it is."""

_VARIABLE = re.compile(r"[^A-Z0-9]+")
_TOKEN = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9+/_.=-]{32,}")
"""Long, without blanks, of letters and digits: random, as no text that a person writes."""


class SiteBuilder:
    """Reads one `sites` section, whose shape was checked before.

    Args:
        as_compared: a host pattern as hosts are compared with it, or what is wrong with it.
    """

    def __init__(self, as_compared: Callable[[str], str | Fault], findings: Findings) -> None:
        self._as_compared = as_compared
        self._findings = findings

    def blocks(self, section: Table | None) -> tuple[SiteBlock, ...]:
        """The blocks in the order of the file; entries that are not mappings are findings elsewhere."""
        if section is None:
            return ()
        return tuple(
            self._block(pattern, node, section.keys[pattern])
            for pattern, node in section.entries.items()
            if isinstance(node, Table)
        )

    def _block(self, pattern: str, node: Table, place: Place) -> SiteBlock:
        key = f'sites."{pattern}"'
        compared = self._as_compared(pattern)
        if isinstance(compared, Fault):
            self._findings.error(place, key, compared.what, compared.hint)
            compared = pattern
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for name in node.entries:
            path = f"{key}.{name}"
            at = f"{node.keys[name].file}:{node.keys[name].line}"
            if name in _NUMBERS:
                self._number(values, _NUMBERS[name], node, name, path)
                origins[_NUMBERS[name].field] = at
            elif name in _TEXTS:
                values[_TEXTS[name]] = node.text(name) or ""
                origins[_TEXTS[name]] = at
            elif name in _NAMED:
                self._headers(values, origins, node.table(name), path)
        return SiteBlock(compared, values, origins, str(place))

    def _number(self, values: dict[str, Any], wanted: _Number, node: Table, name: str, path: str) -> None:
        number = read_integer(node.text(name) or "")
        if number is None:
            return  # a finding of its shape
        if not wanted.least <= number <= wanted.most:
            what = f"{name} is {number}, {wanted.least} to {wanted.most} is allowed"
            self._findings.error(node.at(name), path, what, "correct it, or take it out")
            return
        values[wanted.field] = number

    def _headers(
        self, values: dict[str, Any], origins: dict[str, str], node: Table | None, path: str
    ) -> None:
        headers = values["headers"] = dict[str, str]()
        for name, text, place in _texts(node):
            what = header_fault(name, text)
            fault = Fault(what, "take it out") if what else secret_fault("header", name, text)
            if fault is not None:
                if not what:
                    self._findings.hide(text)
                self._findings.error(place, f'{path}."{name}"', fault.what, fault.hint)
            headers[name] = text
            origins[f"headers.{name}"] = f"{place.file}:{place.line}"


def header_fault(name: str, text: str) -> str:
    """Why a header cannot be sent; empty when it can."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum()):
        return f"{name!r} is not the name of a header"
    if name.lower() in FRAMING:
        return f"the header {name} is set by Scoopi for each request"
    if _NOT_IN_HEADERS & set(text):
        return f"the header {name} has a line break"
    return ""


def _texts(node: Table | None) -> list[tuple[str, str, Place]]:
    entries = {} if node is None else node.entries
    return [(name, each.text, each.place) for name, each in entries.items() if isinstance(each, Text)]


def secret_fault(kind: str, name: str, text: str, *, always: bool = False) -> Fault | None:
    """What is wrong with how a value is given.

    Args:
        kind: what has the value: header, cookie, …
        always: it is a credential whatever its name and form.
    """
    if variable_of(text) is not None:
        return None
    hint = f"set it in the environment, and write ${{env:{_variable(name)}}}"
    if has_reference(text):
        return Fault(f"${{env:…}} must be the whole value of the {kind} {name}", hint)
    if text and (always or is_secret_name(name) or _TOKEN.fullmatch(text)):
        return Fault(f"the {kind} {name} holds a credential in clear", hint)
    return None


def _variable(name: str) -> str:
    return _VARIABLE.sub("_", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).upper()).strip("_") or "SECRET"
