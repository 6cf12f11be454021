"""Reads texts and attributes of elements as jsoup does: own text, full text, joined texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit

from lxml import etree

from scoopi.java.java_blank import JAVA_TRIMMED, is_blank
from scoopi.parse.element import Element

_WEB = ("http", "https")
_BASE = etree.XPath("string(//base[@href][1]/@href)", smart_strings=False)
_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*").fullmatch
_COLLAPSIBLE = re.compile("[ \t\n\f\r\u00a0]+")
_INVISIBLE = {0x200B: None, 0xAD: None}
_PRESERVING = frozenset({"pre", "plaintext", "title", "textarea"})
_PRESERVING_LEVELS = 6
_DATA = frozenset({"script", "style"})
_BLOCK_NAMES = """
    address article aside audio blockquote body canvas caption center col colgroup dd del details div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ins li
    link main math menu meta nav noframes noscript ol p plaintext pre script section style svg table tbody td
    template tfoot th thead title tr ul video
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())


def attribute_of(element: Element, name: str) -> str | None:
    """The attribute's value as written; None if the element has no such attribute.

    Args:
        element: any element.
        name: in lower case; `abs:href` gives the href resolved against the page's base, if it has one.
    Source: defs/README.md, 2.7 and 3.2.
    """
    if name.startswith("abs:"):
        return _absolute(element, attribute_of(element, name[4:]))
    return attributes(element).get(name) if "{" in name else element.get(name)


def attributes(element: Element) -> dict[str, str]:
    """All attributes by name, in lower case and with any prefix, such as `xlink:href`."""
    return {str(key): str(value) for key, value in element.attrib.items()}


def _absolute(element: Element, url: str | None) -> str | None:
    """The address resolved against its page; a path if the page was read from a path; None if malformed."""
    if url is None:
        return None
    base = _base(element)
    try:
        if urlsplit(url).scheme:
            return url
        return urljoin(base, url) if base else None
    except ValueError:
        return None


def _base(element: Element) -> str:
    """The page's base address; for a web page always http(s), whatever its `<base href>` says."""
    page = element.getroottree().docinfo.URL or ""
    try:
        base = urljoin(page, str(_BASE(element)))
        is_web = urlsplit(base).scheme in _WEB
    except ValueError:
        return page
    return base if is_web or urlsplit(page).scheme not in _WEB else page


def name_of(element: Element) -> str:
    """The element's name; empty for comments and processing instructions."""
    tag: object = element.tag
    return tag if isinstance(tag, str) else ""


def own_text(element: Element) -> str:
    """The element's own text, without its descendants'; trimmed, white space collapsed outside of `<pre>`.

    Source: defs/README.md, 3.2.
    """
    text = element.text
    if len(element):
        for child in element:
            if child.tag == "br":
                return _Text(element).own()
            if child.tail:
                text = text + child.tail if text else child.tail
    if not text or element.tag in _DATA:
        return ""
    if _PLAIN(text):
        return text
    if not _preserves(element):
        text = _COLLAPSIBLE.sub(" ", text.translate(_INVISIBLE))
    return text.strip(JAVA_TRIMMED)


def full_text(element: Element) -> str:
    """The text of the element and its descendants, with a blank where a block or `<br>` starts or ends.

    Trimmed, and with white space collapsed outside of `<pre>`.
    """
    return _Text(element).full()


def whole_text(element: Element) -> str:
    """The text of the element and its descendants, white space as written, without scripts and styles.

    A `<br>` becomes a line feed.
    """
    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            pieces.append("\n" if node.tag == "br" else "" if node.tag in _DATA else node.text or "")
        elif node is not element and node.tail and _name_of_parent(node) not in _DATA:
            pieces.append(node.tail)
    return "".join(pieces)


def whole_own_text(element: Element) -> str:
    """As `whole_text`, without the text of descendants."""
    if element.tag in _DATA:
        return ""
    pieces = [element.text or ""]
    for child in element:
        pieces.append("\n" if child.tag == "br" else "")
        pieces.append(child.tail or "")
    return "".join(pieces)


def join_texts(texts: Sequence[str]) -> str | None:
    """The texts joined by blanks, without blank ones; None for no texts, the last text if all are blank.

    Source: defs/README.md, 3.2.
    """
    if len(texts) < 2:
        return texts[0] if texts else None
    return " ".join([text for text in texts if not is_blank(text)]) or texts[-1]


class _Text:
    """Builds the text of one element from pieces; knows whether the last piece ends in a blank."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self._pieces: list[str] = []
        self._ends_blank = False

    def own(self) -> str:
        element = self._element
        if name_of(element) not in _DATA:
            self._add(element.text, element)
            for child in element:
                if child.tag == "br":
                    self._add_blank()
                self._add(child.tail, element)
        return self._trimmed()

    def full(self) -> str:
        element = self._element
        for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._begin(node)
            elif node is not element and node.tail:
                if event == "end" and name_of(node) in _BLOCKS:
                    self._add_blank()
                parent = node.getparent()
                if parent is not None and name_of(parent) not in _DATA:
                    self._add(node.tail, parent)
        return self._trimmed()

    def _begin(self, node: Element) -> None:
        name = name_of(node)
        if self._pieces and (name in _BLOCKS or name == "br"):
            self._add_blank()
        if name not in _DATA:
            self._add(node.text, node)

    def _add(self, text: str | None, parent: Element) -> None:
        if not text:
            return
        if not _PLAIN(text) and not _preserves(parent):
            text = _COLLAPSIBLE.sub(" ", text.translate(_INVISIBLE))
            if self._ends_blank:
                text = text.removeprefix(" ")
        if text:
            self._pieces.append(text)
            self._ends_blank = text[-1] == " "

    def _add_blank(self) -> None:
        if not self._ends_blank:
            self._pieces.append(" ")
            self._ends_blank = True

    def _trimmed(self) -> str:
        return "".join(self._pieces).strip(JAVA_TRIMMED)


def _name_of_parent(node: Element) -> str:
    parent = node.getparent()
    return "" if parent is None else name_of(parent)


def _preserves(element: Element | None) -> bool:
    """Whether white space is preserved here: in `<pre>` and the like, as many levels up as jsoup checks."""
    for _ in range(_PRESERVING_LEVELS):
        if element is None:
            return False
        if name_of(element) in _PRESERVING:
            return True
        element = element.getparent()
    return False
