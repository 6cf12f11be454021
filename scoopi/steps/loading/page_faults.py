"""unusable: why a page on which no value was found is not a page that its definitions can read."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from scoopi.errors import ParseError
from scoopi.fetch.address import FILE_HOST, host_of
from scoopi.fetch.page_kind import essence
from scoopi.model.locator import Document
from scoopi.parse.tree.page import Page
from scoopi.parse.tree.page_signs import instead_of_content

LONGEST_PATH = 100
_USABLE_TYPES = re.compile(r"text/html|application/xhtml\+xml|(?:text|application)/xml|[^/]+/[^/]+\+xml")
_LOGIN = re.compile(
    r"(?:^|[/._-])(?:log-?in|log-?on|sign-?in|auth|authenticate|sso|consent|captcha|challenge)(?:$|[/._-])",
    re.IGNORECASE,
)


def unusable(page: Page, in_browser: bool = False) -> str | None:
    """Return why a page without values is not one that its definitions can read; None if it looks usable.

    Args:
        in_browser: whether a browser has loaded the page and run its scripts, unless it is a local file.
    """
    document = page.document
    kind = _other_kind(document)
    if kind:
        return f"the page is {kind}, and selectors read HTML"
    if not document.body.strip():
        return "the page is empty"
    path = _login_path(document)
    if path:
        return f"the page came from {path} after a redirect: the site wants a login or a consent"
    try:
        root = page.root
    except ParseError:
        return None  # its tasks have failed already
    return instead_of_content(root, in_browser and host_of(document.locator.url) != FILE_HOST)


def _other_kind(document: Document) -> str:
    """The media type of a page that is neither HTML nor XML, or `JSON`; empty if it may be either."""
    declared = essence(document.content_type)
    if declared and not _USABLE_TYPES.fullmatch(declared):
        return declared
    body = document.body
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
    return came.path[:LONGEST_PATH] if moved and _LOGIN.search(came.path) else ""
