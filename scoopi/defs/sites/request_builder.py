"""locator_def: reads the keys of a locator that describe its request; RequestChecker checks them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_plus

from scoopi.defs.locators.locator_checker import VALUES, values_of
from scoopi.defs.locators.row_checker import FROM
from scoopi.defs.locators.values_builder import local_today
from scoopi.defs.scrape.checkers import Fault, report_fault
from scoopi.defs.sites.request_faults import header_fault, secret_fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text, read_bool
from scoopi.model.locator import PageRequest, Pairs
from scoopi.model.place import Place
from scoopi.model.scrape.locator_def import LocatorDef
from scoopi.model.text.json_text import read_json
from scoopi.model.text.secrets import variable_of
from scoopi.model.text.text_template import unescaped

METHODS = ("GET", "POST", "PUT", "PATCH")
PLAIN_KEYS = frozenset({"name", "url", FROM, VALUES})
_BODIES = ("form", "json")
_OTHER_SCHEME = re.compile(r"\s*(?!file:|https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""An address with a scheme that no page has, which is reported elsewhere."""
_PLACEHOLDER = re.compile(r"(%{1,2}\{[^{}]*\})")
_JSON_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}


def locator_def(entry: Table) -> LocatorDef:
    """Build the locator of an entry; `params` that are not `${env:…}` become part of its address."""
    name, url, place = entry.text("name") or "", entry.text("url") or "", entry.at("url")
    names = entry.names()
    values = values_of(entry, local_today()) if VALUES in names else ()
    if ("%%{" in url or "%%{" in name) and not values and FROM not in names:
        name, url = unescaped(name), unescaped(url)
    if PLAIN_KEYS.issuperset(names):
        return LocatorDef(name, url, place, values=values)
    params = _pairs(entry.table("params"))
    open_params = tuple(pair for pair in params if variable_of(pair[1]) is None)
    request = PageRequest(
        method=_method(entry),
        params=tuple(pair for pair in params if variable_of(pair[1]) is not None),
        headers=_pairs(entry.table("headers")),
        form=_pairs(entry.table("form")) if "form" in entry.entries else None,
        json=_json_text(entry.entries.get("json")),
        idempotent=read_bool(entry.text("idempotent") or "false") is True,
    )
    return LocatorDef(
        name, with_params(url, open_params), place, None if request == PageRequest() else request, values
    )


def with_params(url: str, params: Pairs) -> str:
    """Add parameters to the query of an address.

    >>> with_params("http://a.example/s?q=1#top", (("lang", "de"), ("t", "a b")))
    'http://a.example/s?q=1&lang=de&t=a+b#top'
    """
    if not params:
        return url
    page, mark, fragment = url.partition("#")
    query = "&".join(f"{quote_plus(name)}={_quoted(text)}" for name, text in params)
    joint = "" if page.endswith(("?", "&")) else "&" if "?" in page else "?"
    return f"{page}{joint}{query}{mark}{fragment}"


def _quoted(text: str) -> str:
    """A text encoded for a query, except placeholders: their values are encoded when they are filled in."""
    parts = _PLACEHOLDER.split(text)
    return "".join(part if at % 2 else quote_plus(part) for at, part in enumerate(parts))


class RequestChecker:
    """Reports faults in the requests of locators, whose shape was checked before."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def check(self, entry: Table, key: str) -> None:
        """Check one entry of `locators`; `key` is the path of names to it."""
        if PLAIN_KEYS.issuperset(entry.names()):
            return
        self._check_method(entry, key)
        for kind in ("params", "headers", "form"):
            table = entry.table(kind)
            for name, text, place in _texts(table):
                what = header_fault(name, text) if kind == "headers" else ""
                if what and table is not None and header_fault(name, ""):
                    place = table.keys[name]  # the name is wrong, whatever the value is
                fault = Fault(what, "remove it") if what else secret_fault(_KINDS[kind], name, text)
                report_fault(self._findings, fault, text, f"{key}.{kind}.{name}", place)
        self._check_json(entry.entries.get("json"), f"{key}.json")

    def _check_method(self, entry: Table, key: str) -> None:
        bodies = [name for name in _BODIES if name in entry.entries]
        if len(bodies) > 1:
            self._findings.error(entry.keys["json"], key, "form and json are both given", "keep one of them")
        method = (entry.text("method") or "").upper()
        if method and method not in METHODS:
            what = f"{entry.text('method')} is not a method for pages"
            hint = f"known are {', '.join(METHODS)}"
            self._findings.error(entry.at("method"), f"{key}.method", what, hint)
        elif method == "GET" and bodies:
            what = f"a GET has no {bodies[0]}"
            self._findings.error(entry.at("method"), f"{key}.method", what, "write `method: POST`")
        url = (entry.text("url") or "").strip()
        if url and not url.lower().startswith(("http", "%{")) and not _OTHER_SCHEME.match(url):
            what = "a local file has no request"
            self._findings.error(entry.at("url"), f"{key}.url", what, "write http://host/path, or remove it")

    def _check_json(self, node: Node | None, key: str) -> None:
        if isinstance(node, Text) and not node.is_empty:
            try:
                document = read_json(node.text)
            except ValueError as error:
                hint = """write a mapping, or a text, as in '{"page": 1}'"""
                self._findings.error(node.place, key, f"json is not a JSON document: {error}", hint)
                return
            for name, text in _strings("", document):
                report_fault(
                    self._findings, secret_fault("value", name or "json", text), text, key, node.place
                )
        elif node is not None:
            for name, inner in _inner_texts("", node):
                path = f"{key}.{name}" if name else key
                report_fault(
                    self._findings,
                    secret_fault("value", name or "json", inner.text),
                    inner.text,
                    path,
                    inner.place,
                )


_KINDS = {"params": "parameter", "headers": "header", "form": "field"}


def _method(entry: Table) -> str:
    given = (entry.text("method") or "").upper()
    return given or ("POST" if any(name in entry.entries for name in _BODIES) else "GET")


def _pairs(node: Table | None) -> Pairs:
    return tuple((name, text) for name, text, _ in _texts(node))


def _texts(node: Table | None) -> Iterator[tuple[str, str, Place]]:
    """The names and texts of a table, with their places; a name with a list of texts is repeated."""
    for name, entry in {}.items() if node is None else node.entries.items():
        for each in entry.entries if isinstance(entry, Listing) else (entry,):
            if isinstance(each, Text):
                yield name, each.text, each.place


def _json_text(node: Node | None) -> str:
    if node is None:
        return ""
    if isinstance(node, Text):
        return node.text.strip()
    return json.dumps(_json_value(node), ensure_ascii=False, separators=(",", ":"))


def _json_value(node: Node) -> Any:
    if isinstance(node, Listing):
        return [*map(_json_value, node.entries)]
    if isinstance(node, Table):
        return {name: _json_value(entry) for name, entry in node.entries.items()}
    if node.is_quoted:
        return node.text
    if node.text.lower() in _JSON_WORDS:
        return _JSON_WORDS[node.text.lower()]
    try:
        number = read_json(node.text, parse_constant=str)  # JSON has no NaN, which Python reads and writes
    except ValueError:
        return node.text
    return number if isinstance(number, int | float) and abs(number) != math.inf else node.text


def _strings(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for inner, each in value.items():
            yield from _strings(inner, each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(name, each)


def _inner_texts(name: str, node: Node) -> Iterator[tuple[str, Text]]:
    if isinstance(node, Text):
        yield name, node
    elif isinstance(node, Table):
        for inner, each in node.entries.items():
            yield from _inner_texts(inner, each)
    else:
        for each in node.entries:
            yield from _inner_texts(name, each)
