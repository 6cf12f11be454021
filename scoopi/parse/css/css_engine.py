"""CssEngine: queries in the jsoup dialect of CSS."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.bound_text import BoundText, bound
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.css_open_query import CssOpenQuery, shape_of
from scoopi.parse.css.element_text import attribute_of, join_texts, own_text
from scoopi.parse.css.label_chain import LabelChain
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element
from scoopi.parse.query_ports import (
    BlockQuery,
    PageMemory,
    Positional,
    PositionalBlock,
    ValueQuery,
    WalkedQuery,
)
from scoopi.parse.walks.label_plan import LabelPlan
from scoopi.parse.walks.simple_chain import SimpleChain

_ATTRIBUTE = " attribute: "


class CssEngine:
    """Compiles queries in the jsoup dialect of CSS. A QueryEngine with an LRU cache.

    Args:
        regex_timeout_ms: time limit of one regular expression on one text.
        cached_queries: maximum number of cached queries of each kind.
    """

    def __init__(self, regex_timeout_ms: int = 1000, cached_queries: int = 4096) -> None:
        self._regex_timeout_ms = regex_timeout_ms
        self._block_queries = lru_cache(cached_queries)(self._compile_block)
        self._open_queries: dict[str, CssOpenQuery] = {}
        self._value_queries = lru_cache(cached_queries)(self._compile_value)

    def compile_block(self, selector: str) -> BlockQuery:
        """A query for block elements; its argument is the root element of the page.

        Raises:
            ParseError: the selector is wrong; names the character, with a hint.
        Source: defs/README.md, 3.2.
        """
        return self._block_queries(selector)

    def compile_value(self, selector: str) -> ValueQuery:
        """A query for own texts, or for an attribute if the selector ends in ` attribute: name`.

        Raises:
            ParseError: as `compile_block`.
        Source: defs/README.md, 2.7 and 3.2.
        """
        return self._value_queries(selector)

    def walked(self, selector: str, at: int) -> WalkedQuery | None:
        """See QueryEngine; handles tags, ids and classes, and siblings of a label."""
        text, _, attribute = selector.partition(_ATTRIBUTE)
        attribute = attribute.strip().lower()
        try:
            selectors = parse_selector(*BoundText.of(text))
        except ParseError:
            return None
        label = LabelPlan.of(selectors)
        chain = SimpleChain.of(selectors) if label is None else label.chain
        target = None if label is None else label.target
        plan = None if chain is None else chain.plan(at, attribute, "o", is_list=True, label=target)
        return None if plan is None else WalkedQuery(plan, join_texts, bool(attribute))

    def positional_block(self, selector: str, stand_ins: Sequence[int]) -> PositionalBlock | None:
        """See QueryEngine; also None if the selector treats the page's root specially."""
        opened = shape_of(selector, stand_ins)
        if opened is None or opened.shape.chain.scoped or syntax.lists_see_root((opened.shape.chain,)):
            return None
        return PositionalBlock(CssOpenQuery(opened.shape, self._regex_timeout_ms), opened.positions)

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        """See QueryEngine; handles chains with `:nth-child`."""
        text, _, attribute = selector.partition(_ATTRIBUTE)
        opened = shape_of(text, stand_ins, attribute.strip().lower())
        if opened is None:
            return None
        query = self._open_queries.get(opened.shape.key)
        if query is None:
            query = self._open_queries[opened.shape.key] = CssOpenQuery(opened.shape, self._regex_timeout_ms)
        return Positional(query, opened.positions)

    def _compile_block(self, selector: str) -> BlockQuery:
        return CompiledSelector(
            parse_selector(*BoundText.of(selector)), Within.PAGE, self._regex_timeout_ms
        ).select

    def _compile_value(self, selector: str) -> ValueQuery:
        text, values = BoundText.of(selector)
        query, _, attribute = text.partition(_ATTRIBUTE)
        selectors = parse_selector(query, values)
        compiled = CompiledSelector(selectors, Within.BLOCK, self._regex_timeout_ms)
        label = LabelChain(selectors[0], self._regex_timeout_ms) if LabelChain.fits(selectors) else None
        return _CssValue(compiled, bound(attribute.strip(), values).lower(), label)


class _CssValue:
    """Blocks -> the joined texts or attributes of the elements that the selector finds inside them."""

    __slots__ = ("_attribute", "_label", "_selector")

    def __init__(self, selector: CompiledSelector, attribute: str, label: LabelChain | None) -> None:
        self._selector = selector
        self._attribute = attribute
        self._label = label

    def __call__(self, blocks: Sequence[Element], memory: PageMemory | None = None, /) -> str | None:
        found = None
        if memory is not None and self._label is not None and len(blocks) == 1:
            found = self._label.select(blocks[0], memory)
        elements = self._elements(blocks) if found is None else found
        if not self._attribute:
            return join_texts([own_text(element) for element in elements])
        return join_texts([attribute_of(element, self._attribute) or "" for element in elements])

    def _elements(self, blocks: Sequence[Element]) -> list[Element]:
        if len(blocks) == 1:
            return self._selector.select(blocks[0])
        return list(dict.fromkeys(found for block in blocks for found in self._selector.select(block)))
