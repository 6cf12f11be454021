"""compile_source: finds the source of records on a page: its tree, its JSON, or embedded data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache, partial
from typing import Any

import msgspec
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.model.records.record_def import SourceDef
from scoopi.parse.element import Element
from scoopi.parse.records.node_query import NodeQuery, compile_nodes
from scoopi.parse.tree.page import Page
from scoopi.parse.xpath.xpath_values import text_of_node

Root = Any
"""The tree's root element, or a JSON value."""
RootOf = Callable[[Page], Root]
"""Page -> the root in which `each` and the fields search. Raises ParseError for a page without such data."""

EXTRAS = {"dateparser": "dates", "chompjs": "js", "extruct": "structured"}
"""Library -> the extra of Scoopi that installs it."""
_HTML_BEGINS = (b"<!doctype", b"<html", b"<?xml", b"<")
_OG = "og:"
_MOST_NESTED = 50
"""Items of microdata within one another; the library's time is the cube of this number."""
_TOO_DEEP_ITEMS = etree.XPath(f"//*[@itemscope][count(ancestor::*[@itemscope]) >= {_MOST_NESTED}][1]")
_UNSEEN = ("script", "style", "link", "meta")
"""Elements whose contents are no text of a property of microdata."""
_ADDRESSES = ("href", "src", "data")


def compile_source(source: SourceDef, regex_timeout_ms: int) -> RootOf:
    """Compile a source: page -> the root in which `each` and the fields search.

    The function raises ParseError for a page without such data.

    Raises:
        ParseError: the selector of a `script` source is wrong.
    """
    match source.kind:
        case "html":
            return _html
        case "json":
            return _json
        case "script":
            return _Script(source, regex_timeout_ms)
    return _OTHERS[source.kind]


def _html(page: Page) -> Root:
    kind = _json_type(page.document)
    if kind:
        raise ParseError(
            f"the page is {kind}, and selectors read HTML",
            at=page.document.url,
            hint="use source: json",
            cause=f"the page is {kind}; use source: json",
        )
    return page.part_root


def _json_type(document: Document) -> str:
    """The content type of a page that is JSON; empty for any other."""
    declared = document.content_type
    if declared.endswith("json"):
        return declared
    begin = document.body[:1]
    if begin not in (b"{", b"["):
        return ""
    try:
        msgspec.json.decode(document.body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    return declared if declared and "html" not in declared else "JSON"


def _json(page: Page) -> Root:
    document = page.document
    try:
        return msgspec.json.decode(document.body)
    except (msgspec.DecodeError, RecursionError) as error:
        begin = document.body[:200].lstrip().lower()
        if begin.startswith(_HTML_BEGINS):
            kind = document.content_type or "HTML"
            what, hint = f"the page is {kind}, not JSON", "remove `source: json`"
        else:
            what, hint = f"the page is not JSON: {error}", "look at the page"
        raise ParseError(what, at=document.url, hint=hint, cause=what) from None


class _Script:
    """The data in a script element."""

    def __init__(self, source: SourceDef, regex_timeout_ms: int) -> None:
        # jsoup's `:contains` ignores the text of scripts, which it calls their data.
        self._selector = source.script
        text = source.script.replace(":contains(", ":containsData(")
        self._query: NodeQuery = compile_nodes(text, regex_timeout_ms, of_page=True)
        self._js = source.js

    def __call__(self, page: Page) -> Root:
        found = self._query(page.root)
        if not found:
            raise ParseError(
                f"the page has no element {self._selector!r} with data",
                at=page.document.url,
                hint="look for it in the page as it is loaded, not in the browser",
                cause=f"pages have no element {self._selector!r}",
            )
        text = text_of_node(found[0])
        try:
            return _javascript(text) if self._js else msgspec.json.decode(text)
        except (ValueError, msgspec.DecodeError, RecursionError) as error:
            kind = "a JavaScript object" if self._js else "JSON"
            hint = "" if self._js else "for a JavaScript object add js: true to the source"
            what = f"the element {self._selector!r} does not hold {kind}"
            raise ParseError(f"{what}: {error}", at=page.document.url, hint=hint, cause=what) from None


def _javascript(text: str) -> Root:
    import chompjs

    return chompjs.parse_js_object(text)


def _jsonld(page: Page) -> Root:
    from extruct.jsonld import JsonLdExtractor

    try:
        items = JsonLdExtractor().extract_items(page.root)
    except (ValueError, RecursionError) as error:
        what = "the JSON-LD of the page is malformed"
        raise ParseError(f"{what}: {error}", at=page.document.url, cause=what) from None
    found: list[Root] = []
    for item in items:
        graph = item.get("@graph") if isinstance(item, dict) else None
        found += graph if isinstance(graph, list) else [item]
    return found


def _microdata(page: Page) -> Root:
    if _TOO_DEEP_ITEMS(page.root):
        what = f"the microdata of the page nests more than {_MOST_NESTED} items"
        raise ParseError(what, at=page.document.url, cause=what)
    return [_flat(item) for item in _microdata_extractor().extract_items(page.root, page.document.url)]


@cache
def _microdata_extractor() -> Any:
    """The extractor of the library, except for what it cannot read of some pages."""
    from extruct.w3cmicrodata import MicrodataExtractor, html_text

    class Extractor(MicrodataExtractor):  # type: ignore[misc]  # the library has no types
        def _extract_property_value(self, node: Element, *words: Any, **named: Any) -> Any:
            try:
                return super()._extract_property_value(node, *words, **named)
            except ValueError:  # a malformed address, which cannot be joined to that of the page
                return next((str(node.get(name)).strip() for name in _ADDRESSES if node.get(name)), "")

        def _extract_textContent(self, node: Element) -> str:  # noqa: N802
            """The visible text; the library's own removes only elements that `lxml.html` has made."""
            if node.tag in _UNSEEN:
                return ""
            seen = deepcopy(node)
            etree.strip_elements(seen, *_UNSEEN, etree.Comment, with_tail=False)
            return str(html_text.etree_to_text(seen))

    return Extractor()


def _flat(item: Root) -> Root:
    """An item in the form of JSON-LD: `@type` without the schema's URL, next to the properties."""
    if isinstance(item, list):
        return [_flat(each) for each in item]
    if not isinstance(item, dict):
        return item
    kinds = item.get("type")
    flat: dict[str, Root] = {name: _flat(value) for name, value in item.get("properties", {}).items()}
    if kinds is not None:
        names = [
            each.rstrip("/").rpartition("/")[2] for each in ([kinds] if isinstance(kinds, str) else kinds)
        ]
        flat["@type"] = names[0] if len(names) == 1 else names
    return flat | ({"@id": item["id"]} if "id" in item else {})


def _opengraph(page: Page) -> Root:
    """Property, with and without its prefix `og:` -> value, or a list of several values."""
    values: dict[str, list[str]] = {}
    for element in page.root.iter("meta"):
        name, content = element.get("property"), element.get("content")
        if name and content is not None and ":" in name:
            values.setdefault(name, []).append(content)
    found = {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
    return {**{name.removeprefix(_OG): value for name, value in found.items()}, **found}


def _sitemap(page: Page) -> Root:
    from scoopi.parse.listings.sitemap import read_sitemap

    return read_sitemap(page.document, partial(setattr, page, "damage"))


def _feed(page: Page) -> Root:
    from scoopi.parse.listings.feed import read_feed

    return read_feed(page.document, partial(setattr, page, "damage"))


_OTHERS: Mapping[str, RootOf] = {
    "jsonld": _jsonld,
    "microdata": _microdata,
    "opengraph": _opengraph,
    "sitemap": _sitemap,
    "feed": _feed,
}
