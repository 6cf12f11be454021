"""xml_entries: iterates over the listing elements of an XML document."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from io import BytesIO

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.element import Element

_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=")
_ROOTS = {"rss": "feed", "feed": "feed", "rdf": "feed", "urlset": "sitemap", "sitemapindex": "sitemap"}
"""Root element, in lower case -> the source that reads it."""
_BOM, _UTF16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&(?!#[0-9]+;|#x[0-9a-fA-F]+;|[A-Za-z_][\w.-]*;)",
    re.DOTALL,
)
"""An ampersand that begins no reference, or a section in which it is text."""
_HARMLESS = frozenset(
    {
        etree.ErrorTypes.ERR_UNDECLARED_ENTITY,
        etree.ErrorTypes.WAR_UNDECLARED_ENTITY,
        etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE,
    }
)
"""Faults with which no entry is lost."""

OnDamage = Callable[[str], None]
"""Called with a description of a fault in a document that may have hidden entries."""


def no_damage(what: str) -> None:
    """Do nothing, for callers that ignore damage."""


def is_xml(document: Document) -> bool:
    """Whether a page starts with `<`, as XML does."""
    return _utf8(document.body[:200])[:100].lstrip()[:1] == b"<"


def xml_entries(
    document: Document,
    roots: Collection[str],
    names: Collection[str],
    what: str,
    damaged: OnDamage = no_damage,
) -> Iterator[Element]:
    """Iterate over the elements with these names; each is emptied when the next one is requested.

    Names are compared without their namespace. Small faults (an undefined entity, a bare `&`) are ignored, as
    feed readers do. Entities that the document declares are not expanded, and nothing external is loaded.

    Args:
        roots: allowed names of the root element.
        names: names of the elements to yield.
        what: the kind of document, for the message.
        damaged: called at the end with the first fault that may have hidden entries.
    Raises:
        ParseError: the document has another root element, or is not XML at all.
    """
    is_utf16 = document.body.startswith(_UTF16)
    body = _utf8(document.body).lstrip()
    encoding = "utf-8" if is_utf16 else None if _DECLARED.match(body) else document.charset
    body = _AMPERSAND.sub(lambda found: b"&amp;" if found[0] == b"&" else found[0], body)
    try:
        yield from _entries(body, encoding, roots, names, damaged)
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


def _utf8(body: bytes) -> bytes:
    """The body without its byte order mark, and in UTF-8 if that says that it is UTF-16."""
    if body.startswith(_UTF16):
        return body.decode("utf-16", "replace").encode()
    return body.removeprefix(_BOM)


def _entries(
    body: bytes, encoding: str | None, roots: Collection[str], names: Collection[str], damaged: OnDamage
) -> Iterator[Element]:
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
    depth, has_root, is_cut = 0, False, not body.rstrip().endswith(b">")
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
            if not (is_cut and _has_ended_early(events)):
                yield element
            element.clear()
    if not has_root:
        raise _OtherRootError("is HTML, or malformed")
    wrong = (error for error in events.error_log if error.type not in _HARMLESS)
    if (error := next(wrong, None)) is not None:
        damaged(f"line {error.line}: {error.message}")


def _has_ended_early(events: etree.iterparse) -> bool:
    """Whether the elements that are still open are closed by the end of the document only."""
    return any(error.type == etree.ErrorTypes.ERR_TAG_NOT_FINISHED for error in events.error_log)


def local_name(element: Element) -> str:
    """The name of an element without its namespace, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def text_of(element: Element, *names: str) -> str:
    """The text of the child with the first of these names whose text is not empty; empty without one."""
    texts: dict[str, str] = {}
    for child in element:
        texts.setdefault(local_name(child), whole_text(child))
    return next((texts[name] for name in names if texts.get(name)), "")


def whole_text(element: Element) -> str:
    """All text inside an element, stripped."""
    return "".join(map(str, element.itertext())).strip()
