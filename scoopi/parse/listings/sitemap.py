"""read_sitemap: reads the pages that a sitemap lists, and the sitemaps that an index lists.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

import re
from typing import Any

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.listings.xml_entries import OnDamage, is_xml, local_name, no_damage, text_of, xml_entries

_DAY = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?(?!\d)")
_IN_ROBOTS = re.compile(r"(?im)^[ \t]*sitemap[ \t]*:[ \t]*(\S+)")
_LINE = re.compile(r"(?im)^[ \t]*((?:https?|file):\S+)[ \t]*\r?$")


def read_sitemap(document: Document, damaged: OnDamage = no_damage) -> dict[str, Any]:
    """Read an XML sitemap, a text sitemap or robots.txt into the value that selectors search.

    Args:
        damaged: called with a description of a fault in the document that may have hidden entries.
    Returns:
        {"pages": entries, "sitemaps": entries}, each entry with `address`, `updated` (as written) and
        `changed` (see `listed`).
    Raises:
        ParseError: the page is none of these.
    """
    found: dict[str, list[dict[str, Any]]] = {"pages": [], "sitemaps": []}
    if is_xml(document):
        roots, names = ("urlset", "sitemapindex"), ("url", "sitemap")
        for entry in xml_entries(document, roots, names, "sitemap", damaged):
            kind = "pages" if local_name(entry) == "url" else "sitemaps"
            if address := text_of(entry, "loc"):
                found[kind].append(listed(address, text_of(entry, "lastmod")))
        return found
    text = document.body.decode("utf-8-sig", "replace")
    found["sitemaps"] = [listed(address) for address in _IN_ROBOTS.findall(text)]
    found["pages"] = [listed(address) for address in _LINE.findall(text)]
    if not any(found.values()) and text.strip():
        what = "the page is not a sitemap"
        hint = "name a sitemap in XML, a text with an address in each line, or robots.txt"
        raise ParseError(f"{what}: it lists no address", at=document.url, hint=hint, cause=what)
    return found


def listed(address: str, updated: str = "", **more: str) -> dict[str, Any]:
    """Make an entry of a sitemap or feed: its address, when it was updated, and further texts by name.

    `updated` is None if it is empty. `changed` is its day as a sortable number, YYYYMMDD, with 99 for an
    unknown month or day; None if it is not a date.

    >>> listed("http://a/", "2026-01-31T10:00:00Z")["changed"], listed("http://a/", "2026-01")["changed"]
    (20260131, 20260199)
    """
    return {"address": address, "updated": updated or None, "changed": _changed(updated), **more}


def _changed(updated: str) -> int | None:
    """The day as a sortable number, YYYYMMDD, with 99 for an unknown month or day; None if there is none."""
    day = _DAY.match(updated.strip())
    return None if day is None else int(f"{day[0].replace('-', '')}9999"[:8])
