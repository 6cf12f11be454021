"""xml_entries: iterates over the listing elements of an XML document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from io import BytesIO

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document

_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=")
_ROOTS = {"rss": "feed", "feed": "feed", "rdf": "feed", "urlset": "sitemap", "sitemapindex": "sitemap"}
"""Root element, in lower case -> the source that reads it."""
_BOM = b"\xef\xbb\xbf"


def is_xml(document: Document) -> bool:
    """Whether a page starts like XML."""
    return document.body.removeprefix(_BOM)[:100].lstrip()[:1] == b"<"


def xml_entries(
    document: Document, roots: Collection[str], names: Collection[str], what: str
) -> Iterator[etree._Element]:
    """Iterate over the elements with these names; each is emptied when the next one is requested.

    Names are compared without their namespace. Small faults (an undefined entity, a bare `&`) are ignored, as
    feed readers do. Entities that the document declares are not expanded, and nothing external is loaded.

    Args:
        roots: allowed names of the root element.
        what: the kind of document, for the message.
    Raises:
        ParseError: it has another root element, or is damaged.
    """
    body = document.body.removeprefix(_BOM).lstrip()
    encoding = None if _DECLARED.match(body) else document.charset
    try:
        yield from _entries(body, encoding, roots, names)
    except (etree.LxmlError, LookupError, _OtherRootError) as error:
        found = str(error) if isinstance(error, _OtherRootError) else f"is malformed: {error}"
        other = next((kind for root, kind in _ROOTS.items() if found == f"begins with <{root}>"), "")
        raise ParseError(
            f"the page is not a {what}: it {found}",
            at=document.url,
            hint=f"write `from: {other}`" if other else f"name the address of a {what}",
            cause=f"the page is not a {what}",
        ) from None


class _OtherRootError(Exception):
    """The document does not begin with an expected root element; the message names what it has."""


def _entries(
    body: bytes, encoding: str | None, roots: Collection[str], names: Collection[str]
) -> Iterator[etree._Element]:
    events = etree.iterparse(
        BytesIO(body),
        events=("start", "end"),
        recover=True,
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    depth, has_root = 0, False
    for event, element in events:
        name = local_name(element)
        if event == "start":
            depth += 1
            if depth == 1 and name not in roots:
                raise _OtherRootError(f"begins with <{name}>")
            has_root = True
            continue
        depth -= 1
        if name in names:
            yield element
            element.clear()
    if not has_root:
        raise _OtherRootError("is HTML, or malformed")


def local_name(element: etree._Element) -> str:
    """The name of an element without its namespace, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def text_of(element: etree._Element, *names: str) -> str:
    """The text of the child with the first of these names that has one; empty if there is none."""
    texts: dict[str, str] = {}
    for child in element:
        texts.setdefault(local_name(child), whole_text(child))
    return next((texts[name] for name in names if texts.get(name)), "")


def whole_text(element: etree._Element) -> str:
    """All text inside an element, stripped."""
    return "".join(map(str, element.itertext())).strip()
