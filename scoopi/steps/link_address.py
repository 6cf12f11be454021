"""link_address: what a link on a page means, seen from that page."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urljoin

from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_C0_AND_BLANK = "".join(map(chr, range(0x21)))
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")
_WEB = ("http:", "https:")
_ORIGIN = re.compile(r"https?://[a-z0-9.:-]+(?=/)")
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+(?:\?[A-Za-z0-9._~=&%-]+)?")
"""A path from the root without empty segments or dots to be resolved: most links of a site are so."""


def link_address(reference: str, page_url: str, base_href: str | None) -> str:
    """A reference joined to its page (RFC 3986); cleaned as browsers clean it.

    Args:
        reference: the link as the page writes it.
        page_url: the page's final address; of a page from a path its address as written.
        base_href: the page's `<base href>`, as written, if it has one.
    Returns:
        An absolute URL, or for a page from a path a path that is written like the page's. A link of a web
        page always has a scheme: what cannot be joined keeps its own, or gets the page's, and its loader
        reports what is wrong with it.
    Source: language, A7.
    """
    if not base_href and _PLAIN_PATH.fullmatch(reference) and (origin := _ORIGIN.match(page_url)):
        return origin[0] + reference
    return _joined(_base(page_url, base_href), reference)


def _base(page_url: str, base_href: str | None) -> str:
    """What the page's links are relative to: a `<base href>` counts only where pages can be loaded from it.

    Of a web page that is an http(s) address: `about:blank`, `data:,` and `file:///` are ignored.
    """
    if not base_href or not base_href.strip(_C0_AND_BLANK):
        return page_url
    base = _joined(page_url, base_href)
    try:
        is_web = parse_address(base).kind is AddressKind.HTTP
    except FetchError:
        return page_url
    return base if is_web or not _is_web(page_url) else page_url


def _is_web(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[0].lower() in _WEB


def _joined(base: str, reference: str) -> str:
    clean = reference.strip(_C0_AND_BLANK).translate(_LINE_BREAKS)
    scheme = _SCHEME.match(base)
    if scheme is None:
        return _joined_path(base, clean)
    if _is_web(base):
        head, mark, query = clean.partition("?")
        clean = head.replace("\\", "/") + mark + query
    try:
        return urljoin(base, clean)
    except ValueError:
        return clean if _SCHEME.match(clean) else scheme[0] + clean


def _joined_path(base: str, reference: str) -> str:
    if _SCHEME.match(reference) or reference.startswith("/"):
        return reference
    path = re.split("[?#]", reference, maxsplit=1)[0]
    rest = reference[len(path) :]
    if not path:
        return base.partition("#")[0] + reference
    folder = posixpath.dirname(re.split("[?#]", base, maxsplit=1)[0])
    joined = posixpath.normpath(posixpath.join(folder, path))
    if path.endswith("/"):
        joined += "/"
    if _SCHEME.match(joined):
        joined = f"./{joined}"  # else its first folder reads as a scheme
    return joined + rest
