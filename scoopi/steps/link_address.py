"""link_address: the absolute address of a link on a page."""

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
"""Absolute paths without empty or dot segments, like most links of a site."""


def link_address(reference: str, page_url: str, base_href: str | None) -> str:
    """A link joined to its page (RFC 3986), after the same clean-up as in browsers.

    >>> link_address("../b.html?p=2", "http://h/shop/a.html", None)
    'http://h/b.html?p=2'
    >>> link_address("b.html", "pages/a.html", None)
    'pages/b.html'

    >>> link_address("../b.html?x=1", "https://a.example/one/two.html", None)
    'https://a.example/b.html?x=1'
    >>> link_address("b.html", "/pages/a.html", None)
    '/pages/b.html'

    Args:
        reference: the link as written on the page.
        page_url: the final address of the page; for a page loaded from a path, the path as written.
        base_href: the page's `<base href>` as written, if it has one.
    Returns:
        An absolute URL; for a page loaded from a path, a path of the same form. A link of a web page always
        has a scheme: one that cannot be joined keeps its own, or gets the page's, and the loader reports the
        error.
    """
    if not base_href and _PLAIN_PATH.fullmatch(reference) and (origin := _ORIGIN.match(page_url)):
        return origin[0] + reference
    return _joined(_base(page_url, base_href), reference)


def _base(page_url: str, base_href: str | None) -> str:
    """The address to which the page's links are relative.

    A `<base href>` of a web page counts only if it is an http(s) address: `about:blank`, `data:,` and
    `file:///` are ignored.
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
        joined = f"./{joined}"  # or its first folder would be parsed as a scheme
    return joined + rest
