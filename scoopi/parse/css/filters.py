"""Filters: tests of selectors that XPath 1.0 cannot express, as functions of one element."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from scoopi.java.java_blank import JAVA_TRIMMED
from scoopi.parse.css import syntax
from scoopi.parse.css.element_text import (
    attribute_of,
    attributes,
    full_text,
    own_text,
    whole_own_text,
    whole_text,
)
from scoopi.parse.element import Element
from scoopi.parse.tree.element_order import sibling_places

Known = dict[Any, Any]
"""Cache of a filter for one evaluation of a selector."""
Filter = Callable[[Element, Known], bool]

_TEXT_NODES = etree.XPath("descendant::text()[not(parent::script or parent::style)]", smart_strings=False)
_STRING = etree.XPath("string()", smart_strings=False)
_ALL_TEXT_NODES = etree.XPath("descendant::text()", smart_strings=False)
_HAS_DATA = etree.XPath("boolean(descendant-or-self::script|descendant-or-self::style)")
_DATA_NODES = etree.XPath(
    "(descendant-or-self::script|descendant-or-self::style)/text()|descendant::comment()",
    smart_strings=False,
)
_SIMPLE = re.compile("[^ \t\n\f\r\u00a0\u200b\u00ad]+(?: [^ \t\n\f\r\u00a0\u200b\u00ad]+)*").fullmatch
_TEXT_OF = {"": full_text, "Own": own_text, "WholeText": whole_text, "WholeOwnText": whole_own_text}
_BORDER = "\x00"
"""Separates two texts of a tree, in which it cannot occur."""
_INVISIBLE = re.compile(f"[\u200b\u00ad{_BORDER}]")


def text_filter(test: syntax.TextTest, regex_timeout_ms: int) -> Filter:
    """The filter of `:contains`, `:matches` and their variants.

    Raises:
        ParseError: the pattern of `:matches` is invalid; the filter raises it if the pattern takes too long.
    """
    text = test.text
    if test.kind == "contains":
        return _contains(text)
    if test.kind == "containsOwn":
        return lambda element, _known: text in own_text(element).lower()
    if test.kind == "containsData":
        return lambda element, _known: text in _data(element).lower()
    text_of = _TEXT_OF[test.kind.removeprefix("contains").removeprefix("matches")]
    if test.kind.startswith("contains"):
        return lambda element, _known: text in text_of(element)
    search = searcher(text, regex_timeout_ms)
    return lambda element, _known: search(text_of(element))


def attribute_filter(test: syntax.AttributeTest, regex_timeout_ms: int) -> Filter:
    """The filter of an attribute test; same errors as `text_filter`."""
    name, value = test.name, test.value
    if test.operator == "^":
        return lambda element, _known: any(key.startswith(name) for key in attributes(element))
    if test.operator == "!=":
        return lambda element, _known: (attribute_of(element, name) or "").lower() != value
    compare = _comparison(test, regex_timeout_ms)

    def passes(element: Element, _known: Known) -> bool:
        found = attribute_of(element, name)
        return found is not None and compare(found)

    return passes


def class_filter(name: str) -> Filter:
    """The filter of `.name`, for names that XPath cannot turn into lower case."""
    return lambda element, _known: name in (element.get("class") or "").lower().split()


def place_filter(test: syntax.Nth | syntax.SiblingIndex) -> Filter:
    """The filter of positions among siblings; counts the children of each parent only once."""
    of_type = isinstance(test, syntax.Nth) and test.of_type
    from_end = isinstance(test, syntax.Nth) and test.from_end

    def fits(place: int) -> bool:
        if isinstance(test, syntax.Nth):
            return is_nth(place, test.a, test.b)
        return {"=": place - 1 == test.index, "<": place - 1 < test.index}.get(
            test.operator, place - 1 > test.index
        )

    def passes(element: Element, known: Known) -> bool:
        parent = element.getparent()
        if parent is None:
            return isinstance(test, syntax.SiblingIndex) and fits(1)
        if parent not in known:
            known[parent] = sibling_places(parent, of_type=of_type, from_end=from_end)
        return fits(known[parent][element])

    return passes


def is_nth(position: int, a: int, b: int) -> bool:
    """Whether the position is a·n + b for some n >= 0."""
    if a == 0:
        return position == b
    return (position - b) * a >= 0 and (position - b) % a == 0


def _contains(text: str) -> Filter:
    """Makes cheap checks first: most elements lack even the letters; most others have the text in one piece.

    A text that an element lacks is not searched in its children; deep pages would take long otherwise.
    """
    letters = _letters(text)
    simple = _SIMPLE(text) is not None and _BORDER not in text
    is_inherited = text.isascii()  # the lower case of other letters depends on their neighbours

    def holds(element: Element) -> bool:
        has_data = _HAS_DATA(element)
        if not has_data and letters not in _letters(str(_STRING(element)).lower()):
            return False
        pieces = _BORDER.join(_found(_TEXT_NODES if has_data else _ALL_TEXT_NODES, element)).lower()
        if simple and text in pieces:
            return True
        return letters in _letters(pieces) and text in full_text(element).lower()

    def passes(element: Element, lacking: Known) -> bool:
        if (not lacking or element.getparent() not in lacking) and holds(element):
            return True
        if is_inherited:
            lacking[element] = True
        return False

    return passes


def _letters(text: str) -> str:
    joined = "".join(text.split())
    return joined if joined.isascii() and _BORDER not in joined else _INVISIBLE.sub("", joined)


def _data(element: Element) -> str:
    return "".join(
        node if isinstance(node, str) else node.text or "" for node in _found(_DATA_NODES, element)
    )


def _found(xpath: etree.XPath, element: Element) -> list[Any]:
    found: Any = xpath(element)
    return list(found)


def _comparison(test: syntax.AttributeTest, regex_timeout_ms: int) -> Callable[[str], bool]:
    value = test.value
    match test.operator:
        case "=":
            return lambda found: found.strip(JAVA_TRIMMED).lower() == value
        case "^=":
            return lambda found: found.lower().startswith(value)
        case "$=":
            return lambda found: found.lower().endswith(value)
        case "*=":
            return lambda found: value in found.lower()
        case "~=":
            return searcher(value, regex_timeout_ms)
    return lambda found: True


def searcher(pattern: str, regex_timeout_ms: int) -> Callable[[str], bool]:
    """A test of whether a Java pattern matches somewhere in a text; same errors as `text_filter`."""
    from scoopi.java.regex.java_regex import compile_java  # needed by few selectors, and slow to import

    return compile_java(pattern, timeout_ms=regex_timeout_ms).search
