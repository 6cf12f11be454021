"""read_feed: reads the entries of a feed (RSS, Atom or JSON Feed).

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from functools import reduce
from typing import Any
from urllib.parse import urljoin

import msgspec

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.element import Element
from scoopi.parse.listings.sitemap import listed
from scoopi.parse.listings.xml_entries import (
    OnDamage,
    is_xml,
    local_name,
    no_damage,
    text_of,
    whole_text,
    xml_entries,
)

_ROOTS = ("rss", "rdf", "feed")
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_WEB = ("http://", "https://")
_DAYS = ("updated", "modified", "published", "issued", "pubdate", "date")


def read_feed(document: Document, damaged: OnDamage = no_damage) -> dict[str, Any]:
    """Read a feed into the value that selectors search.

    Args:
        damaged: called with a description of a fault in the document that may have hidden entries.
    Returns:
        {"pages": entries}, each with `address`, `title`, `updated` (ISO 8601 if it can be read, else as
        written) and `changed` (see `listed`).
    Raises:
        ParseError: the page is not a feed.
    """
    if not is_xml(document):
        return {"pages": _of_json(document)}
    entries = xml_entries(document, _ROOTS, ("item", "entry"), "feed", damaged)
    found = (
        _entry(_address(entry, document.url), text_of(entry, "title"), text_of(entry, *_DAYS))
        for entry in entries
    )
    return {"pages": [entry for entry in found if entry["address"]]}


def _entry(address: str, title: str, updated: str) -> dict[str, Any]:
    return listed(address, _iso(updated), title=title)


def _iso(day: str) -> str:
    if not day or day[:4].isdecimal():
        return day
    try:
        return parsedate_to_datetime(day).isoformat()
    except (ValueError, OverflowError):
        return day


def _address(entry: Element, page: str) -> str:
    """The address of an entry's page: RSS link, Atom alternate link, or a guid that is an address."""
    links = [child for child in entry if local_name(child) == "link"]
    alternates = [link for link in links if link.get("href") and link.get("rel", "alternate") == "alternate"]
    alternates.sort(key=lambda link: link.get("type", "text/html") != "text/html")
    link = next(filter(whole_text, links), alternates[0] if alternates else None)
    if link is not None:
        return _based(whole_text(link) or str(link.get("href")).strip(), link, page)
    for guid in entry:
        text = whole_text(guid)
        is_page = guid.get("isPermaLink", "true") != "false" and text.startswith(_WEB)
        if local_name(guid) == "guid" and is_page:
            return text
    return ""


def _based(address: str, link: Element, page: str) -> str:
    """The address, joined to the `xml:base` of its elements if they have one (RFC 4287, 2)."""
    bases = [base for element in (link, *link.iterancestors()) if (base := element.get(_BASE))]
    try:
        return urljoin(reduce(urljoin, reversed(bases), page), address) if bases else address
    except ValueError:
        return address  # a malformed base; the address alone may be right


def _of_json(document: Document) -> list[dict[str, Any]]:
    try:
        feed = msgspec.json.decode(document.body)
        items = [item for item in feed["items"] if isinstance(item, dict)]
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError):
        what = "the page is not a feed"
        hint = "name a feed: RSS, Atom, or JSON Feed"
        raise ParseError(f"{what}: it is {_kind(document)}", at=document.url, hint=hint, cause=what) from None
    entries = (
        _entry(
            _text(item, "url") or _text(item, "external_url"),
            _text(item, "title"),
            _text(item, "date_modified") or _text(item, "date_published"),
        )
        for item in items
    )
    return [entry for entry in entries if entry["address"]]


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _kind(document: Document) -> str:
    return document.content_type or "neither XML nor JSON"
