"""page_kind: recognizes content that is not a page, that is, not HTML, XML, JSON or text."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

import msgspec

from scoopi.errors import FetchError
from scoopi.model.locator import Document
from scoopi.model.text.shown import shown

HINT = "a page is HTML, XML, JSON or text"
LONGEST_TYPE = 60
_GZIP = 31
"""zlib's `wbits` for gzip."""
_LOOKED_AT = 1024
_KEPT_TYPES = 16
"""Size of the caches by Content-Type: most sites send one or two."""
_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_MARKUP = re.compile(r"[^/]+/(?:[^/]+\+)?(?:xml|json)|text/.+|application/(?:xhtml\+xml|(?:x-)?javascript)")
_MEDIA = re.compile(r"(?:image|audio|video|font|model)/.+")
_BEGINS = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"\x1f\x8b": "application/gzip",
}
_BEGINNINGS = tuple(_BEGINS)
_TEXT_BEGINS = (b"<", b"{", b"[", b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
_BLANKS = b"\t\n\x0c\r "


@lru_cache(_KEPT_TYPES)
def is_media(content_type: str) -> bool:
    """Whether the Content-Type alone shows that the body is not a page, so that it need not be received.

    >>> is_media("Image/JPEG"), is_media("image/svg+xml"), is_media("application/octet-stream")
    (True, False, False)
    """
    given = essence(content_type)
    return _MEDIA.fullmatch(given) is not None and _MARKUP.fullmatch(given) is None


def essence(content_type: str) -> str:
    """A Content-Type in lower case, without its parameters, cut to LONGEST_TYPE characters."""
    return media_type(content_type)[:LONGEST_TYPE]


@lru_cache(_KEPT_TYPES)
def media_type(content_type: str) -> str:
    """A Content-Type in lower case, without its parameters.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def foreign_kind(content_type: str, body: bytes) -> str:
    """The type of content that is not a page; empty for a page.

    The start of the body overrules the declared type, which is often wrong: an image is always recognized,
    and markup with an `application/…` type is a page.

    >>> foreign_kind("text/html", b"%PDF-1.7"), foreign_kind("application/zip", b"\\0\\0")
    ('application/pdf', 'application/zip')
    >>> foreign_kind("application/octet-stream", b"<!doctype html>"), foreign_kind("", b"bread")
    ('', '')
    """
    if body.startswith(_BEGINNINGS):
        return next(kind for begin, kind in _BEGINS.items() if body.startswith(begin))
    given = _other_type(content_type)
    if not given:
        return ""
    if is_media(given):
        return given
    return "" if body[:_LOOKED_AT].lstrip(_BLANKS).startswith(_TEXT_BEGINS) else given


@lru_cache(_KEPT_TYPES)
def _other_type(content_type: str) -> str:
    """The type, in lower case, if it is not a page's; else empty."""
    given = essence(content_type)
    is_page = not given or _MARKUP.fullmatch(given) or not _TYPE.fullmatch(given)
    return "" if is_page else given


def unpacked(document: Document, max_bytes: int) -> Document:
    """Return the document as it is, or decompressed if it is a sitemap in a `.xml.gz` file.

    Raises:
        FetchError: the file is damaged, or larger than `max_bytes` when decompressed.
    """
    path = document.url.partition("#")[0].partition("?")[0]
    if not (document.body.startswith(b"\x1f\x8b") and path.lower().endswith(".xml.gz")):
        return document
    inflater = zlib.decompressobj(_GZIP)
    try:
        body = inflater.decompress(document.body, max_bytes + 1)
    except zlib.error as error:
        raise FetchError(f"the gzip file is damaged: {error}", at=shown(document.url)) from None
    if len(body) > max_bytes:
        what = f"the gzip file has more than {max_bytes:,} bytes when decompressed"
        raise FetchError(what, at=shown(document.url), hint="raise scoopi.loader.maxBytes if it is right")
    if not inflater.eof:
        raise FetchError("the gzip file is damaged: its end is missing", at=shown(document.url))
    return msgspec.structs.replace(document, body=body, content_type="application/xml")


def refuse_foreign(document: Document) -> None:
    """Check that a loaded document is a page.

    Raises:
        FetchError: it is not a page; the message names its type.
    """
    kind = foreign_kind(document.content_type, document.body)
    if kind:
        raise FetchError(f"the page is {kind}", at=shown(document.url), hint=HINT)
