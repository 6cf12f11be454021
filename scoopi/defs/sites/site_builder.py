"""SiteBuilder: builds the settings of hosts from entries of `sites`, and reports invalid values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from scoopi.defs.scrape.checkers import Checkers, Fault, report_fault
from scoopi.defs.sites.budget_language import BUDGET, read_budget
from scoopi.defs.sites.request_faults import cookie_fault, header_fault, proxy_fault, secret_fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text, plain, read_bool, read_integer
from scoopi.model.place import Place
from scoopi.model.sites import SiteBlock

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
_RETRY = {
    "attempts": _Number("attempts", 1, 100),
    "delay": _Number("delay", 0),
    "factor": _Number("factor", 1, 10),
    "maxDelay": _Number("maxDelay", 0),
    "jitter": _Number("jitter", 0, 100),
    "perHost": _Number("perHost", 0, 2**31 - 1),
}
_TEXTS = {"userAgent": "user_agent", "ca": "ca"}
_NAMED = {"headers": "headers", "cookies": "cookies"}
_AUTH, _PROXY, _CA, _SESSION, _LOGIN, _RETRIES = "auth", "proxy", "ca", "session", "login", "retry"
_ROBOTS, _HTTP2 = "robots", "http2"
_BOOLS = frozenset({_SESSION, _ROBOTS, _HTTP2})
KEY_OF = MappingProxyType(
    {
        **{number.field: key for key, number in _NUMBERS.items()},
        **{field: key for key, field in {**_TEXTS, **_NAMED}.items()},
        _AUTH: _AUTH,
        _PROXY: _PROXY,
        _SESSION: _SESSION,
        _LOGIN: _LOGIN,
        _ROBOTS: _ROBOTS,
        _HTTP2: _HTTP2,
        _RETRIES: _RETRIES,
        BUDGET: BUDGET,
    }
)
"""Field of Site -> its key."""

AUTH_EXAMPLE = 'auth: { user: reader, password: "${env:SHOP_PASSWORD}" }'


class SiteBuilder:
    """Builds the blocks of one section `sites`, whose shape was checked before.

    An invalid value is a finding.

    Args:
        checkers: check host patterns and files of certificate authorities.
    """

    def __init__(self, checkers: Checkers, findings: Findings) -> None:
        self._checkers = checkers
        self._findings = findings

    def blocks(self, section: Table | None) -> tuple[SiteBlock, ...]:
        """Build the blocks in the order of the file; entries that are not mappings are skipped."""
        if section is None:
            return ()
        blocks: list[SiteBlock] = []
        places: dict[str, Place] = {}
        for pattern, node in section.entries.items():
            if isinstance(node, Table):
                place = section.keys[pattern]
                blocks.append(self._block(pattern, node, place))
                first = places.setdefault(blocks[-1].pattern, place)
                if first is not place:
                    what, hint = "another entry stands for the same hosts", "put the keys of both into one"
                    self._findings.warning(place, f'sites."{pattern}"', what, hint, also=first)
        return tuple(blocks)

    def _block(self, pattern: str, node: Table, place: Place) -> SiteBlock:
        key = f'sites."{pattern}"'
        compared = self._checkers.host_pattern(pattern)
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
                if name == _CA and (fault := self._checkers.ca(node.text(name) or "")):
                    report_fault(self._findings, fault, "", path, node.at(name))
            elif name in _NAMED:
                self._named(values, origins, node, name, path)
            elif name == _AUTH:
                values[_AUTH] = self._auth(node.table(name), node.keys[name], path)
                origins[_AUTH] = at
            elif name in _BOOLS:
                is_on = read_bool(node.text(name) or "") is True
                values[name] = is_on if name != _SESSION else compared if is_on else ""
                origins[name] = at
            elif name == _LOGIN:
                values[_LOGIN] = self._login(node.table(name), path)
                values[_SESSION] = compared
                origins[_LOGIN] = origins[_SESSION] = at
            elif name == _RETRIES:
                values[_RETRIES] = self._retry(node.table(name), origins, path)
            elif name == BUDGET:
                values[BUDGET] = self._budget(node.table(name), origins, path)
            elif name == _PROXY:
                values[_PROXY] = self._proxies(node.entries[name], path)
                origins[_PROXY] = at
        return SiteBlock(compared, values, origins, str(place))

    def _number(self, values: dict[str, Any], wanted: _Number, node: Table, name: str, path: str) -> None:
        number = read_integer(node.text(name) or "")
        if number is None:
            return  # the shape checker reports it
        if not wanted.least <= number <= wanted.most:
            what = f"{name} is {number}, but must be {wanted.least} to {wanted.most}"
            self._findings.error(node.at(name), path, what, "correct it, or remove it")
            return
        values[wanted.field] = number

    def _retry(self, node: Table | None, origins: dict[str, str], path: str) -> dict[str, int]:
        values: dict[str, int] = {}
        for name in node.entries if node is not None else ():
            if node is not None and name in _RETRY:
                self._number(values, _RETRY[name], node, name, f"{path}.{name}")
                origins[f"{_RETRIES}.{name}"] = f"{node.keys[name].file}:{node.keys[name].line}"
        if node is not None and values.get("delay", 0) > values.get("maxDelay", _DAY_MS):
            what = f"delay is {values['delay']}, but no wait is longer than maxDelay, {values['maxDelay']}"
            self._findings.warning(node.at("delay"), f"{path}.delay", what, "raise maxDelay, or lower delay")
        return values

    def _budget(self, node: Table | None, origins: dict[str, str], path: str) -> dict[str, int]:
        def note(key: str, at: Place) -> None:
            origins[f"{BUDGET}.{key}"] = f"{at.file}:{at.line}"

        return read_budget(node, path, self._findings, note)

    def _named(
        self, values: dict[str, Any], origins: dict[str, str], node: Table, name: str, path: str
    ) -> None:
        pairs = values[_NAMED[name]] = dict[str, str]()
        fault_of, kind = _KINDS[name]
        table = node.table(name)
        for each, text, place in _texts(table):
            what = fault_of(each, text)
            if table is not None and fault_of(each, ""):
                place = table.keys[each]  # the name is wrong, whatever the value is
            fault = Fault(what, "remove it") if what else secret_fault(kind, each, text)
            report_fault(self._findings, fault, text, f'{path}."{each}"', place)
            pairs[each] = text
            origins[f"{_NAMED[name]}.{each}"] = f"{place.file}:{place.line}"

    def _auth(self, node: Table | None, owner: Place, path: str) -> dict[str, str]:
        texts = {name: text for name, text, _ in _texts(node)}
        for name in ("password", "bearer"):
            if node is not None and name in texts:
                fault = secret_fault("value", name, texts[name], always=True)
                report_fault(self._findings, fault, texts[name], f"{path}.{name}", node.at(name))
        if not ("bearer" in texts) ^ ("user" in texts) or ("password" in texts) != ("user" in texts):
            what = "auth needs user and password, or bearer"
            self._findings.error(owner, path, what, f"write `{AUTH_EXAMPLE}`")
        return texts

    def _login(self, node: Table | None, path: str) -> dict[str, Any] | None:
        if node is None:
            return None
        url = node.text("url") or ""
        if fault := self._checkers.url(url):
            report_fault(self._findings, fault, "", f"{path}.url", node.at("url"))
        elif url and not url.lower().startswith(("http://", "https://")):
            fault = Fault(f"{url} is not a web address", "write https://host/path")
            report_fault(self._findings, fault, "", f"{path}.url", node.at("url"))
        fields: dict[str, str] = {}
        for name, text, place in _texts(node.table("fields")):
            report_fault(
                self._findings, secret_fault("field", name, text), text, f"{path}.fields.{name}", place
            )
            fields[name] = text
        signs = {
            name: plain(sign) for name in ("success", "expired") if (sign := node.table(name)) is not None
        }
        for name, sign in signs.items():
            if not sign:
                what = f"{name} needs a selector or a url"
                self._findings.error(node.at(name), f"{path}.{name}", what, 'write { selector: "a.logout" }')
        for selector, at in self._selectors(node):
            report_fault(self._findings, self._checkers.page_selector(selector), "", path, at)
        return {"url": url, "form": node.text("form") or "", "fields": fields, **signs}

    def _selectors(self, node: Table) -> Iterator[tuple[str, Place]]:
        for table, name in (
            (node, "form"),
            (node.table("success"), "selector"),
            (node.table("expired"), "selector"),
        ):
            if table is not None and (text := table.text(name)):
                yield text, table.at(name)

    def _proxies(self, node: Node, path: str) -> list[str]:
        entries = node.entries if isinstance(node, Listing) else (node,)
        texts = [entry for entry in entries if isinstance(entry, Text)]
        for entry in texts:
            report_fault(self._findings, proxy_fault(entry.text), entry.text, path, entry.place)
        return [entry.text for entry in texts]


_KINDS: Mapping[str, tuple[Callable[[str, str], str], str]] = MappingProxyType(
    {"headers": (header_fault, "header"), "cookies": (cookie_fault, "cookie")}
)


def _texts(node: Table | None) -> list[tuple[str, str, Place]]:
    entries = {} if node is None else node.entries
    return [(name, each.text, each.place) for name, each in entries.items() if isinstance(each, Text)]
