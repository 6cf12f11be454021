"""XPathEngine: queries in XPath 1.0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.text.page_text import shown
from scoopi.parse.element import Element
from scoopi.parse.query_ports import BlockQuery, PageMemory, Positional, ValueQuery, WalkedQuery
from scoopi.parse.walks.walked_path import walked_path
from scoopi.parse.xpath.string_call import StringCall
from scoopi.parse.xpath.xpath_open_query import XPathOpenQuery, opened_steps, steps_of
from scoopi.parse.xpath.xpath_tokens import LOWER_CASE, invalid_xpath, translate
from scoopi.parse.xpath.xpath_values import text_of, xpath_text


class XPathEngine:
    """Compiles queries in XPath 1.0. A QueryEngine with an LRU cache.

    Args:
        cached_queries: maximum number of cached queries of each kind.
    """

    def __init__(self, cached_queries: int = 4096) -> None:
        self._block_queries = lru_cache(cached_queries)(_XPathBlock)
        self._value_queries = lru_cache(cached_queries)(_XPathValue)
        self._open_queries: dict[str, XPathOpenQuery] = {}

    def compile_block(self, selector: str) -> BlockQuery:
        """A query for block nodes; relative paths start at the document.

        Raises:
            ParseError: the selector is wrong; names the character, with a hint. The query raises it if the
                selector yields texts, a number or a boolean instead of elements.
        Source: defs/README.md, 3.3.
        """
        return self._block_queries(selector)

    def compile_value(self, selector: str) -> ValueQuery:
        """A query whose context is the block; the value is the last node in the last block.

        Raises:
            ParseError: as `compile_block`.
        Source: defs/README.md, 3.3.
        """
        return self._value_queries(selector)

    def walked(self, selector: str, at: int) -> WalkedQuery | None:
        """See QueryEngine; handles paths of names, and siblings of a label."""
        return walked_path(selector, at)

    def positional_block(self, _selector: str, _stand_ins: Sequence[int]) -> None:
        """Always None: blocks are found by ordinary queries."""

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        """See QueryEngine; handles paths of steps down, and string functions around one."""
        call = StringCall.of(selector)
        steps = steps_of(selector if call is None else call.path)
        opened = opened_steps(steps, stand_ins) if steps else None
        if not steps or opened is None:
            return None
        try:
            query = XPathOpenQuery(steps, opened, _query_of, takes_first=call is not None)
        except ParseError:
            return None
        shared = self._open_queries.setdefault(query.key, query)
        positions = tuple(steps[at].position or 0 for at in opened)
        return Positional(shared, positions, None if call is None else call.remembered)


class _XPathBlock:
    __slots__ = ("_selector", "_xpath")

    def __init__(self, selector: str) -> None:
        self._selector = shown(selector)
        self._xpath = _compiled(selector, from_document=True)

    def __call__(self, root: Element) -> Sequence[Element]:
        found = _evaluated(self._xpath, root, self._selector)
        if isinstance(found, list) and not any(isinstance(node, (str, tuple)) for node in found):
            return found
        raise ParseError(
            f"the XPath {self._selector!r} of a block yields {_kind(found)}, not elements",
            hint="let the block select elements, and the selector the text or attribute in them",
        )


class _XPathValue:
    __slots__ = ("_selector", "_xpath")

    def __init__(self, selector: str) -> None:
        self._selector = shown(selector)
        self._xpath = _compiled(selector, from_document=False)

    def __call__(self, blocks: Sequence[Element], _memory: PageMemory | None = None, /) -> str | None:
        if not blocks:
            return None
        try:
            found = self._xpath(blocks[-1])
        except etree.XPathError as error:
            raise invalid_xpath(self._selector, error) from None
        return found if isinstance(found, str) else text_of(found)


def _query_of(expression: str) -> Callable[[Element], Any]:
    return partial(_evaluated, _compiled(expression, from_document=False), selector=expression)


def _compiled(selector: str, *, from_document: bool) -> etree.XPath:
    if not selector.strip():
        raise ParseError("the XPath is empty", hint="write an expression, such as //td[2]")
    expression = translate(xpath_text(selector), from_document=from_document)
    selector = shown(selector)
    try:
        extensions = {(None, LOWER_CASE): _lower_case} if LOWER_CASE in expression else None
        xpath = etree.XPath(expression, extensions=extensions, regexp=False, smart_strings=False)
    except (etree.XPathError, ValueError) as error:
        raise invalid_xpath(selector, error) from None
    _evaluated(xpath, etree.Element("html"), selector)
    return xpath


def _evaluated(xpath: etree.XPath, context: Element, selector: str) -> Any:
    try:
        return xpath(context)
    except etree.XPathError as error:
        raise invalid_xpath(selector, error) from None


def _lower_case(_context: object, text: str) -> str:
    return text.lower()


def _kind(found: Any) -> str:
    if isinstance(found, list):
        return "texts or attributes"
    if isinstance(found, bool):
        return "a boolean"
    return "a text" if isinstance(found, str) else "a number"
