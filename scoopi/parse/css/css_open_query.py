"""CssOpenQuery: a selector with open `:nth-child(k)` positions, shared by selectors that differ only in k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.element_text import attribute_of, join_texts, own_text
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element
from scoopi.parse.query_ports import ChildValue, ColumnPlan
from scoopi.parse.walks.simple_chain import CHILD, WITHIN, SimpleChain, is_plain_name

_OPEN = syntax.Nth(0, -1)
"""Marks an open position; no selector contains it, as it matches nothing."""


@dataclass(frozen=True, slots=True)
class PositionalShape:
    """A chain with open positions; equal shapes share one index of a page.

    Attributes:
        chain: the chain, with an open position in some of its compounds.
        attribute: name of the attribute that is read; empty for the own text.
        key: equal for equal shapes, and faster to compare.
    """

    chain: syntax.SelectorChain
    attribute: str = ""
    key: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.attribute} {self.chain}")

    @property
    def open_compounds(self) -> tuple[int, ...]:
        """Indexes of the compounds with an open position, from the left."""
        return tuple(i for i, compound in enumerate(self.chain.compounds) if _OPEN in compound)

    def filled(self, positions: Sequence[int]) -> syntax.Selectors:
        """The selector with these positions filled in, from the left."""
        compounds = list(self.chain.compounds)
        for at, position in zip(self.open_compounds, positions, strict=True):
            compounds[at] = _replaced(compounds[at], _OPEN, syntax.Nth(0, position))
        return (replace(self.chain, compounds=tuple(compounds)),)

    def segments(self) -> list[syntax.SelectorChain]:
        """The chain split after each open compound, without the positions.

        The first segment is searched in a block, each further one below an element of the previous one.
        """
        cuts = [at + 1 for at in self.open_compounds]
        ends = cuts if cuts[-1] == len(self.chain.compounds) else [*cuts, len(self.chain.compounds)]
        return [self._segment(begin, end) for begin, end in zip([0, *cuts], ends, strict=False)]

    def _segment(self, begin: int, end: int) -> syntax.SelectorChain:
        compounds = tuple(
            tuple(test for test in compound if test != _OPEN) for compound in self.chain.compounds[begin:end]
        )
        scoped = self.chain.scoped or begin > 0
        first = begin if self.chain.scoped else begin - 1 if begin else 0
        last = first + len(compounds) - (0 if scoped else 1)
        return syntax.SelectorChain(compounds, self.chain.combinators[first:last], scoped)


class CssOpenQuery:
    """A selector with open `:nth-child(k)` positions, shared by selectors that differ only in k.

    An OpenQuery; all blocks are searched.

    Args:
        shape: the selector.
        regex_timeout_ms: time limit of one regular expression on one text.
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
        tag = self._tail.child_tag if self._tail is not None else None
        is_plain = not {":", "{"} & {*shape.attribute}
        self.tail = ChildValue(tag, shape.attribute) if tag is not None and is_plain else None
        self.column = self._column(chains[0]) if levels == 1 else None
        self.keys = [str(chains[: level + 1]) for level in range(levels)]
        self._text = partial(_attribute_text, shape.attribute) if shape.attribute else own_text

    def _column(self, chain: syntax.SelectorChain) -> ColumnPlan | None:
        """The plan of a chain to the only position; None if a walk cannot find it, or what is read below."""
        attribute, is_child = self.shape.attribute, self.steps[0].child_tag is not None
        if (self.reads_below and self.tail is None) or (attribute and not is_plain_name(attribute)):
            return None
        simple = SimpleChain.of((syntax.SelectorChain(chain.compounds) if is_child else chain,))
        links = simple.links() if simple is not None else None
        if links is None:
            return None
        child_tag = self.tail.child_tag if self.tail is not None else ""
        return ColumnPlan(*links, CHILD if is_child else WITHIN, child_tag, attribute)

    def blocks(self, found: Sequence[Element]) -> list[Element]:
        """All of the blocks, as a CSS selector searches every one."""
        return list(found)

    def below(self, elements: list[Element]) -> list[Element]:
        """The elements, or what the rest of the selector finds below them."""
        if self._tail is None:
            return elements
        return [found for element in elements for found in self._tail.select(element)]

    def value(self, elements: list[Element]) -> str | None:
        """The joined texts of what `below` finds; None if it finds nothing."""
        return join_texts([self._text(element) for element in self.below(elements)])

    def filled(self, positions: Sequence[int]) -> Callable[[Sequence[Element]], str | None]:
        """Compile the selector for these positions, from the left: blocks -> value."""
        selector = CompiledSelector(self.shape.filled(positions), Within.BLOCK, self._regex_timeout_ms)

        def value(blocks: Sequence[Element]) -> str | None:
            found = dict.fromkeys(element for block in blocks for element in selector.select(block))
            return join_texts([self._text(element) for element in found])

        return value


class _Segment:
    """One segment of a shape, without its position; an OpenStep."""

    of_type = False

    def __init__(self, chain: syntax.SelectorChain, regex_timeout_ms: int) -> None:
        self.child_tag = _child_tag(chain)
        self._query = CompiledSelector((chain,), Within.BLOCK, regex_timeout_ms)

    def select(self, context: Element) -> list[Element]:
        if self.child_tag is not None:
            return list(context.iterchildren(self.child_tag))
        return self._query.select(context)


def _child_tag(chain: syntax.SelectorChain) -> str | None:
    if chain.scoped and chain.combinators == (">",) and len(chain.compounds) == 1:
        match chain.compounds[0]:
            case ():
                return "*"
            case (syntax.Tag(name),) if name.isalnum() and name.isascii():
                return name
    return None


def _attribute_text(attribute: str, element: Element) -> str:
    return attribute_of(element, attribute) or ""


class OpenedShape(NamedTuple):
    """A shape and its positions, from the left: each a stand-in or a number as written."""

    shape: PositionalShape
    positions: tuple[int, ...]


def shape_of(selector: str, stand_ins: Sequence[int], attribute: str = "") -> OpenedShape | None:
    """The shape of a selector and its positions.

    Args:
        selector: with a unique number (stand-in) in place of each open position.
        stand_ins: these numbers, at least one; each must be the k of exactly one `:nth-child(k)`.
        attribute: see PositionalShape.
    Returns:
        None if the selector is invalid or has several alternatives, if a stand-in is not the position of
        exactly one compound, or if a sibling combinator follows an open position.
    """
    try:
        selectors = parse_selector(selector)
    except ParseError:
        return None
    if len(selectors) != 1 or syntax.needs_root(selectors) or syntax.matches_text(selectors):
        return None
    chain = selectors[0]
    opened = [_opened(compound, stand_ins) for compound in chain.compounds]
    positions = tuple(position for _, position in opened if position is not None)
    if any(positions.count(number) != 1 for number in stand_ins):
        return None
    shape = PositionalShape(replace(chain, compounds=tuple(compound for compound, _ in opened)), attribute)
    before = 0 if chain.scoped else 1
    cuts = [
        chain.combinators[at + 1 - before] for at in shape.open_compounds if at + 1 < len(chain.compounds)
    ]
    begins = cuts + list(chain.combinators[:1] if chain.scoped else ())
    return OpenedShape(shape, positions) if all(combinator in " >" for combinator in begins) else None


def _opened(compound: syntax.Compound, stand_ins: Sequence[int]) -> tuple[syntax.Compound, int | None]:
    """The compound with its position left open, and that position; None if it has none.

    A number as written is left open only in compounds of just a tag, so that `td:nth-child(2)` shares an
    index with `td:nth-child(%{index})`.
    """
    nths = [test for test in compound if isinstance(test, syntax.Nth)]
    if len(nths) != 1 or nths[0] != syntax.Nth(0, nths[0].b) or nths[0].b < 0:
        return compound, None
    is_plain = all(isinstance(test, syntax.Tag | syntax.Nth) for test in compound)
    if nths[0].b not in stand_ins and not is_plain:
        return compound, None
    return _replaced(compound, nths[0], _OPEN), nths[0].b


def _replaced(compound: syntax.Compound, old: syntax.Test, new: syntax.Test) -> syntax.Compound:
    return tuple(new if test == old else test for test in compound)
