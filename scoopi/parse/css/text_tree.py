"""TextTrees: a page in which each text is an element of its own, as `:matchText` wants it."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from scoopi.parse.css.attributes import attributes

Element = etree._Element

MARK = "{scoopi}text"
"""Attribute of the elements that hold one text; no page can have it."""

_IS_COPY = "{scoopi}copy"
_DATA = frozenset({"script", "style"})


class TextTrees:
    """Makes such a copy of a page and keeps the last one; jsoup changes the page itself.

    `<p>One<br>Two</p>` becomes `<p><p>One</p><br><p>Two</p></p>`, the inner ones with the attributes of the
    outer.
    """

    def __init__(self) -> None:
        self._page: Element | None = None
        self._twins: dict[Element, Element] = {}

    def twin(self, element: Element) -> Element:
        """The element's copy; an element of the last copy is its own."""
        page = element.getroottree().getroot()
        if page is not self._page and page.get(_IS_COPY) is None:
            self._make(page)
        return self._twins.get(element, element)

    def _make(self, page: Element) -> None:
        copy = deepcopy(page.getroottree()).getroot()
        self._page = page
        self._twins = dict(zip(page.iter("*"), copy.iter("*"), strict=True))
        for element in list(self._twins.values()):
            if element.tag not in _DATA:
                _wrap_texts(element)
        copy.set(_IS_COPY, "")


def _wrap_texts(element: Element) -> None:
    children = list(element)
    if element.text:
        element.insert(0, _wrapped(element, element.text))
        element.text = None
    for child in children:
        if child.tail:
            text, child.tail = child.tail, None
            child.addnext(_wrapped(element, text))


def _wrapped(element: Element, text: str) -> Element:
    wrapper = element.makeelement(element.tag, {**attributes(element), MARK: ""})
    wrapper.text = text
    return wrapper
