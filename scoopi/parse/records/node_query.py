"""NodeQuery: a compiled CSS or XPath selector of a field, which finds elements or texts of attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.element_text import attribute_of
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_tokens import TokenKind, XPathToken, invalid_xpath, tokens_of, translate
from scoopi.parse.xpath.xpath_values import text_of_number

FoundNode = Element | str
"""An element, or the text of an attribute or text node."""
NodeQuery = Callable[[Element], Sequence[FoundNode]]
"""Element of a record, or root of the page -> nodes in document order."""

_ATTRIBUTE = re.compile(r"(?:^|\s)@((?:abs:)?[\w:.-]+)$")
_XPATH_BEGINS = ("/", "./", "../", "(")
_BEFORE_A_PATH = frozenset(("(", ","))


class SelectorText(NamedTuple):
    """A selector, split into its parts.

    Attributes:
        path: the selector without ` @attribute`; empty for the element of the record itself.
        attribute: the name after ` @`, in lower case; empty for none.
        is_xpath: whether the path is XPath.
    """

    path: str
    attribute: str
    is_xpath: bool

    @classmethod
    def of(cls, text: str) -> SelectorText:
        """Split a selector.

        >>> SelectorText.of("h3 > a @title")
        SelectorText(path='h3 > a', attribute='title', is_xpath=False)
        >>> SelectorText.of(".//a/@href")
        SelectorText(path='.//a/@href', attribute='', is_xpath=True)
        """
        text = text.strip()
        found = _ATTRIBUTE.search(text)
        path = text[: found.start()].rstrip() if found else text
        return cls(path, found[1].lower() if found else "", path.startswith(_XPATH_BEGINS))


def compile_nodes(text: str, regex_timeout_ms: int, *, of_page: bool = False) -> NodeQuery:
    """Compile a selector of the record language.

    Args:
        of_page: the query gets the root of the page; otherwise a record's element, which is the root of
            paths.
    Raises:
        ParseError: the selector is wrong; names the character, with a hint.
    """
    path, attribute, is_xpath = SelectorText.of(text)
    if not path and not attribute:
        raise ParseError("the selector is empty", hint="name an element, as in 'h3 > a'")
    select = (
        _self if not path else _xpath(path, of_page) if is_xpath else _css(path, regex_timeout_ms, of_page)
    )
    return _attributes(select, attribute) if attribute else select


def compile_elements(text: str, regex_timeout_ms: int) -> Callable[[Element], list[Element]]:
    """Compile the selector of `each`; the query's argument is the root of the page.

    Raises:
        ParseError: the selector is wrong; the query raises it if it finds texts instead of elements.
    """
    select = compile_nodes(text, regex_timeout_ms, of_page=True)
    if SelectorText.of(text).attribute:
        raise ParseError("`each` finds elements, not attributes", hint="remove the @ and what follows it")

    def elements_in(root: Element) -> list[Element]:
        found = select(root)
        elements = [node for node in found if not isinstance(node, str)]
        if len(elements) < len(found):
            raise ParseError(f"{text!r} of `each` finds texts, not elements", hint="select elements")
        return elements

    return elements_in


def _self(element: Element) -> Sequence[FoundNode]:
    return (element,)


def _css(path: str, regex_timeout_ms: int, of_page: bool) -> NodeQuery:
    scope = Within.PAGE if of_page else Within.BLOCK
    return CompiledSelector(parse_selector(path), scope, regex_timeout_ms).select


def _xpath(path: str, of_page: bool) -> NodeQuery:
    expression = translate(path if of_page else _inside(path), from_document=False)
    try:
        query = etree.XPath(expression, regexp=False, smart_strings=False)
        query(etree.Element("html"))
    except (etree.XPathError, ValueError) as error:
        raise invalid_xpath(path, error) from None

    def nodes(element: Element) -> Sequence[FoundNode]:
        try:
            return _nodes(query(element))
        except etree.XPathError as error:
            raise invalid_xpath(path, error) from None

    return nodes


def _inside(path: str) -> str:
    """The path with the element of the record as its root, so that `//a` searches inside it.

    >>> _inside("(//a | //b[//c])[1]/@href")
    '(.//a | .//b[//c])[1]/@href'
    """
    written, depth = [], 0
    previous: XPathToken | None = None
    for token in tokens_of(path):
        is_symbol = token.kind is TokenKind.SYMBOL
        depth += {"[": 1, "]": -1}.get(token.text, 0) if is_symbol else 0
        begins = previous is None or previous.text in _BEFORE_A_PATH or previous.text == "|"
        is_root = token.text in ("/", "//") and begins and depth == 0
        written.append(f"{token.gap}{'.' if is_root else ''}{token.text}")
        previous = token
    return "".join(written)


def _nodes(found: Any) -> Sequence[FoundNode]:
    if isinstance(found, list):
        return [node for node in found if not isinstance(node, tuple)]
    if isinstance(found, bool):
        return ("true" if found else "false",)
    return (found,) if isinstance(found, str) else (text_of_number(found),)


def _attributes(select: NodeQuery, name: str) -> NodeQuery:
    def values(element: Element) -> Sequence[FoundNode]:
        found = (attribute_of(node, name) for node in select(element) if not isinstance(node, str))
        return [value for value in found if value is not None]

    return values
