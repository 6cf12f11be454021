"""link_address: what a link on a page means, seen from that page."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urljoin

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
        An absolute URL, or for a page from a path a path that is written like the page's. What cannot be
        joined is given back as it is: its loader says what is wrong.
    Source: language, A7.
    """
    base = page_url
    if not base_href and _PLAIN_PATH.fullmatch(reference) and (origin := _ORIGIN.match(page_url)):
        return origin[0] + reference
    if base_href and base_href.strip(_C0_AND_BLANK):
        base = _joined(page_url, base_href)
    return _joined(base, reference)


def _joined(base: str, reference: str) -> str:
    clean = reference.strip(_C0_AND_BLANK).translate(_LINE_BREAKS)
    scheme = _SCHEME.match(base)
    if scheme is None:
        return _joined_path(base, clean)
    if scheme[0].lower() in _WEB:
        head, mark, query = clean.partition("?")
        clean = head.replace("\\", "/") + mark + query
    try:
        return urljoin(base, clean)
    except ValueError:
        return clean


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
