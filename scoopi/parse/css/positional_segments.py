"""PositionalSegments: a shape cut at its open positions, each part compiled."""

from __future__ import annotations

from lxml import etree

from scoopi.parse.css import syntax
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.positional import PositionalShape
from scoopi.parse.css.xpath_writer import Scope

Element = etree._Element


class PositionalSegments:
    """The segments of a shape, compiled; the same for all pages.

    Args:
        shape: what they are the segments of.
        regex_timeout_ms: limit of one regular expression on one text.

    Attributes:
        open_ones: the segments that end at an open position.
        tail: what follows the last open position; None when nothing does.
        keys: by level; equal for shapes whose segments are equal up to there.
    """

    def __init__(self, shape: PositionalShape, regex_timeout_ms: int) -> None:
        self.shape = shape
        self.regex_timeout_ms = regex_timeout_ms
        chains = shape.segments()
        segments = [Segment(chain, regex_timeout_ms) for chain in chains]
        levels = len(shape.open_compounds)
        self.open_ones = segments[:levels]
        self.tail = segments[levels] if len(segments) > levels else None
        self.keys = [str(chains[: level + 1]) for level in range(levels)]


class Segment:
    """One segment of a shape, without its position; `child_tag` if it is just `> tag` (`*` for any)."""

    def __init__(self, chain: syntax.Chain, regex_timeout_ms: int) -> None:
        self.child_tag = _child_tag(chain)
        self._query = CompiledSelector((chain,), Scope.BLOCK, regex_timeout_ms)

    def select(self, context: Element) -> list[Element]:
        """What it finds below the context, in document order; raises as `CompiledSelector.select`."""
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
