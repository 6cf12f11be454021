"""CssOpenQuery: a shape cut at its open positions, each part compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lxml import etree

from scoopi.parse.css import syntax
from scoopi.parse.css.attributes import attribute_of
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.element_text import join_texts, own_text
from scoopi.parse.css.positional import PositionalShape
from scoopi.parse.css.xpath_writer import Scope

Element = etree._Element


class CssOpenQuery:
    """An OpenQuery; all blocks count.

    Args:
        shape: what it is the query of.
        regex_timeout_ms: limit of one regular expression on one text.
    """

    is_full_text = False

    def __init__(self, shape: PositionalShape, regex_timeout_ms: int) -> None:
        self.shape = shape
        self.key = shape.key
        self._regex_timeout_ms = regex_timeout_ms
        chains = shape.segments()
        segments = [_Segment(chain, regex_timeout_ms) for chain in chains]
        levels = len(shape.open_compounds)
        self.steps = segments[:levels]
        self._tail = segments[levels] if len(segments) > levels else None
        self.reads_below = self._tail is not None
        self.is_text = self._tail is None and not shape.attribute
        self.keys = [str(chains[: level + 1]) for level in range(levels)]
        self._text = partial(_attribute_text, shape.attribute) if shape.attribute else own_text

    def blocks(self, found: Sequence[Element]) -> list[Element]:
        """All of them."""
        return list(found)

    def value(self, elements: list[Element]) -> str | None:
        """The joined texts of the elements, or of what the tail finds below them."""
        if self._tail is not None:
            elements = [found for element in elements for found in self._tail.select(element)]
        return join_texts([self._text(element) for element in elements])

    def filled(self, positions: Sequence[int]) -> Callable[[Sequence[Element]], str | None]:
        """Blocks -> the value, by a selector compiled for these positions."""
        selector = CompiledSelector(self.shape.filled(positions), Scope.BLOCK, self._regex_timeout_ms)

        def value(blocks: Sequence[Element]) -> str | None:
            found = dict.fromkeys(element for block in blocks for element in selector.select(block))
            return join_texts([self._text(element) for element in found])

        return value


class _Segment:
    """One segment of a shape, without its position; an OpenStep."""

    of_type = False

    def __init__(self, chain: syntax.Chain, regex_timeout_ms: int) -> None:
        self.child_tag = _child_tag(chain)
        self._query = CompiledSelector((chain,), Scope.BLOCK, regex_timeout_ms)

    def select(self, context: Element) -> list[Element]:
        if self.child_tag is not None:
            return list(context.iterchildren(self.child_tag))
        return self._query.select(context)


def _child_tag(chain: syntax.Chain) -> str | None:
    if chain.scoped and chain.combinators == (">",) and len(chain.compounds) == 1:
        match chain.compounds[0]:
            case ():
                return "*"
            case (syntax.Tag(name),) if name.isalnum() and name.isascii():
                return name
    return None


def _attribute_text(attribute: str, element: Element) -> str:
    return attribute_of(element, attribute) or ""
