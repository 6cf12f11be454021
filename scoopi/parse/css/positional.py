"""PositionalShape: what selectors that differ in their `:nth-child(k)` only have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.selector_parser import parse_selector

_OPEN = syntax.Nth(0, -1)
"""Stands where a position is to be filled in; no selector can mean it, for it matches nothing."""


@dataclass(frozen=True, slots=True)
class PositionalShape:
    """A chain whose positions are left open; equal shapes share one index of a page.

    Attributes:
        chain: the chain, with an open position in some of its compounds.
        attribute: what is read of the elements; empty for their own text.
        key: the same for equal shapes; quicker to compare.
    """

    chain: syntax.Chain
    attribute: str = ""
    key: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.attribute} {self.chain}")

    @property
    def open_compounds(self) -> tuple[int, ...]:
        """Which compounds have an open position, from the left."""
        return tuple(i for i, compound in enumerate(self.chain.compounds) if _OPEN in compound)

    def filled(self, positions: Sequence[int]) -> syntax.Selectors:
        """The selector with these positions, from the left."""
        compounds = list(self.chain.compounds)
        for at, position in zip(self.open_compounds, positions, strict=True):
            compounds[at] = _replaced(compounds[at], _OPEN, syntax.Nth(0, position))
        return (replace(self.chain, compounds=tuple(compounds)),)

    def segments(self) -> list[syntax.Chain]:
        """The chain cut behind each open compound, positions left out.

        The first segment is looked for in a block, each further one below an element of the one before.
        """
        cuts = [at + 1 for at in self.open_compounds]
        ends = cuts if cuts[-1] == len(self.chain.compounds) else [*cuts, len(self.chain.compounds)]
        return [self._segment(begin, end) for begin, end in zip([0, *cuts], ends, strict=False)]

    def _segment(self, begin: int, end: int) -> syntax.Chain:
        compounds = tuple(
            tuple(test for test in compound if test != _OPEN) for compound in self.chain.compounds[begin:end]
        )
        scoped = self.chain.scoped or begin > 0
        first = begin if self.chain.scoped else begin - 1 if begin else 0
        last = first + len(compounds) - (0 if scoped else 1)
        return syntax.Chain(compounds, self.chain.combinators[first:last], scoped)


class OpenedShape(NamedTuple):
    """A shape and what to fill in from the left: a stand-in, or a number as written."""

    shape: PositionalShape
    positions: tuple[int, ...]


def shape_of(selector: str, stand_ins: Sequence[int], attribute: str = "") -> OpenedShape | None:
    """The shape of a selector and its positions.

    Args:
        selector: its open positions are written as stand-ins, numbers that occur nowhere else.
        stand_ins: these numbers, at least one; each must turn up as the k of one `:nth-child(k)`.
        attribute: see PositionalShape.
    Returns:
        None when the selector is wrong, or more than positions varies in it.
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
    """The compound with its position open, and that position.

    A number as written opens compounds of a tag only, so that `td:nth-child(2)` shares an index with
    `td:nth-child(%{index})`.
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
