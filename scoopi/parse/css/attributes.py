"""attribute_of: an element's attribute by its name as a definition writes it."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from lxml import etree

_WEB = ("http", "https")
_BASE = etree.XPath("string(//base[@href][1]/@href)", smart_strings=False)


def attribute_of(element: etree._Element, name: str) -> str | None:
    """The attribute's value as written; None if the element has no such attribute.

    Args:
        element: any element.
        name: in lower case; `abs:href` gives the href joined to the page's base, if it has one.
    Source: defs/README.md, 2.7 and 3.2.
    """
    if name.startswith("abs:"):
        return _absolute(element, attribute_of(element, name[4:]))
    return attributes(element).get(name) if "{" in name else element.get(name)


def attributes(element: etree._Element) -> dict[str, str]:
    """All attributes by their names, which are in lower case and keep their prefix, as `xlink:href`."""
    return {str(key): str(value) for key, value in element.attrib.items()}


def _absolute(element: etree._Element, url: str | None) -> str | None:
    """The address as seen from its page; of a page from a path it is a path; None for one that is broken."""
    if url is None:
        return None
    base = _base(element)
    try:
        if urlsplit(url).scheme:
            return url
        return urljoin(base, url) if base else None
    except ValueError:
        return None


def _base(element: etree._Element) -> str:
    """The page's base: of a web page an http(s) address, whatever its `<base href>` holds."""
    page = element.getroottree().docinfo.URL or ""
    try:
        base = urljoin(page, str(_BASE(element)))
        is_web = urlsplit(base).scheme in _WEB
    except ValueError:
        return page
    return base if is_web or urlsplit(page).scheme not in _WEB else page
