"""CssEngine: queries in the jsoup dialect of CSS."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.bound_text import BoundText, bound
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.css_open_query import CssOpenQuery, shape_of
from scoopi.parse.css.element_text import attribute_of, join_texts, own_text
from scoopi.parse.css.label_chain import LabelChain
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
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
    """Compiles queries in the jsoup dialect of CSS.

    A QueryEngine; compiled queries are kept, the least used ones forgotten.

    Args:
        regex_timeout_ms: limit of one regular expression on one text.
        cached_queries: how many compiled queries of each kind are kept.
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
        """A query for own texts, or for an attribute if ` attribute: name` ends the selector.

        Raises:
            ParseError: as `compile_block`.
        Source: defs/README.md, 2.7 and 3.2.
        """
        return self._value_queries(selector)

    def walked(self, selector: str, at: int) -> WalkedQuery | None:
        """What a walk looks for: tags, ids and classes, or siblings of a label; None if it is more."""
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
        """As `positional`, of the selector of a block; None, too, where the page's root is special."""
        opened = shape_of(selector, stand_ins)
        if opened is None or opened.shape.chain.scoped or syntax.lists_see_root((opened.shape.chain,)):
            return None
        return PositionalBlock(CssOpenQuery(opened.shape, self._regex_timeout_ms), opened.positions)

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        """The selector as a chain of positions, if nothing but positions varies in it.

        Args:
            selector: with numbers that occur nowhere else standing for the positions not known yet.
            stand_ins: these numbers, at least one.
        Returns:
            None when the selector must be compiled for each position, or is wrong.
        """
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
    """Blocks -> the joined texts (or attributes) of the elements inside them."""

    __slots__ = ("_attribute", "_label", "_selector")

    def __init__(self, selector: CompiledSelector, attribute: str, label: LabelChain | None) -> None:
        self._selector = selector
        self._attribute = attribute
        self._label = label

    def __call__(self, blocks: Sequence[etree._Element], memory: PageMemory | None = None, /) -> str | None:
        found = None
        if memory is not None and self._label is not None and len(blocks) == 1:
            found = self._label.select(blocks[0], memory)
        elements = self._elements(blocks) if found is None else found
        if not self._attribute:
            return join_texts([own_text(element) for element in elements])
        return join_texts([attribute_of(element, self._attribute) or "" for element in elements])

    def _elements(self, blocks: Sequence[etree._Element]) -> list[etree._Element]:
        if len(blocks) == 1:
            return self._selector.select(blocks[0])
        return list(dict.fromkeys(found for block in blocks for found in self._selector.select(block)))
