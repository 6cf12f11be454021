"""attribute_of: an element's attribute by its name as a definition writes it."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from lxml import etree

_BASE = etree.XPath("string(//base[@href][1]/@href)", smart_strings=False)


def attribute_of(element: etree._Element, name: str) -> str | None:
    """The attribute's value as written; None if the element has no such attribute.

    Args:
        element: any element.
        name: in lower case; `abs:href` gives the href as an absolute URL, if it is or can be one.
    Source: language, B 2.7, B 3.2.
    """
    if name.startswith("abs:"):
        return _absolute(element, attribute_of(element, name[4:]))
    return attributes(element).get(name) if "{" in name else element.get(name)


def attributes(element: etree._Element) -> dict[str, str]:
    """All attributes by their names, which are in lower case and keep their prefix, as `xlink:href`."""
    return {str(key): str(value) for key, value in element.attrib.items()}


def _absolute(element: etree._Element, url: str | None) -> str | None:
    if url is None or urlsplit(url).scheme:
        return url
    base = _BASE(element)
    return urljoin(base, url) if isinstance(base, str) and urlsplit(base).scheme else None
