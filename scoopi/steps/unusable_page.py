"""unusable: why a page on which nothing was found is probably not the expected one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.tree.page import Page

LEAST_TEXT = 100
"""A page with scripts and fewer characters of text is assumed to be rendered by them."""
LONGEST_TYPE = 60

_USABLE_TYPES = re.compile(r"text/html|application/xhtml\+xml|(?:text|application)/xml|[^/]+/[^/]+\+xml")
_BEGINS = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"\x1f\x8b": "application/gzip",
}
_LOGIN = re.compile(
    r"(?:^|[/._-])(?:log-?in|log-?on|sign-?in|auth|authenticate|sso|consent|captcha|challenge)(?:$|[/._-])",
    re.IGNORECASE,
)
_UNSEEN = frozenset(("script", "style", "noscript", "template"))


def unusable(page: Page) -> str | None:
    """The reason, in a sentence; None if the page looks usable."""
    document = page.document
    kind = _other_kind(document)
    if kind:
        return f"the page is {kind}, and selectors read HTML"
    if not document.body.strip():
        return "the page is empty"
    path = _login_path(document)
    if path:
        return f"the page came from {path} after a redirect: the site wants a login or a consent"
    if _is_filled_by_scripts(page):
        return "the page has an empty body with scripts: the site renders in the browser"
    return None


def _other_kind(document: Document) -> str:
    body = document.body
    for begin, kind in _BEGINS.items():
        if body.startswith(begin):
            return kind
    declared = document.content_type[:LONGEST_TYPE]
    if declared and not _USABLE_TYPES.fullmatch(declared):
        return declared
    text = body[:1000].strip() + body[-1000:].strip()
    is_json = text[:1] + text[-1:] in (b"{}", b"[]") and (b'"' in text or b":" in text)
    return "JSON" if is_json else ""


def _login_path(document: Document) -> str:
    """The path of a redirect's target, if it looks like a login or consent page; else empty."""
    try:
        came, asked = urlsplit(document.url), urlsplit(document.locator.url)
    except ValueError:
        return ""
    moved = (came.netloc, came.path) != (asked.netloc, asked.path)
    return came.path[:LEAST_TEXT] if moved and _LOGIN.search(came.path) else ""


def _is_filled_by_scripts(page: Page) -> bool:
    try:
        root = page.root
    except ParseError:
        return False  # its tasks have failed already
    if next(root.iter("script"), None) is None:
        return False
    length, left = 0, list(root.iterchildren("body"))
    while left and length < LEAST_TEXT:
        element = left.pop()
        if element.tag in _UNSEEN:
            continue
        length += len((element.text or "").strip()) if isinstance(element.tag, str) else 0
        for child in element:
            length += len((child.tail or "").strip())
            left.append(child)
    return length < LEAST_TEXT
