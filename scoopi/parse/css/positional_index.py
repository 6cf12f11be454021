"""PositionalIndex: the values of a page by their positions, for all selectors of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from lxml import etree

from scoopi.parse.css.attributes import attribute_of
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.element_text import join_texts, own_text
from scoopi.parse.css.positional_groups import PositionalGroups, are_nested
from scoopi.parse.css.positional_segments import PositionalSegments
from scoopi.parse.css.xpath_writer import Scope

Element = etree._Element


class Leaf(Protocol):
    """The values by the last position."""

    def get(self, position: int, /) -> str | None:
        """The value there; None when nothing is found."""


class PositionalIndex:
    """Answers as the filled selector would, but goes over each row of a table only once.

    Where elements found on the way lie inside each other, order and doubles are left to an ordinary
    query.

    Args:
        segments: what is asked for, positions left open.
        groups: of the blocks where it is looked for.
    """

    def __init__(self, segments: PositionalSegments, groups: PositionalGroups) -> None:
        self._segments = segments
        self._groups = groups
        attribute = segments.shape.attribute
        # No method of this index: a circle would keep the page's whole tree in memory.
        self._text = partial(_attribute_text, attribute) if attribute else own_text
        self._leaves: dict[tuple[int, ...], Leaf] = {}

    def leaf(self, positions: tuple[int, ...]) -> Leaf:
        """The values under all positions but the last.

        Raises:
            ParseError: a regular expression of the selector took too long.
        """
        found = self._leaves.get(positions)
        if found is None:
            found = self._leaves[positions] = self._make_leaf(positions)
        return found

    def queried(self, positions: Sequence[int]) -> str | None:
        """The value as an ordinary query finds it; raises as `leaf`."""
        segments = self._segments
        filled = segments.shape.filled(positions)
        selector = CompiledSelector(filled, Scope.BLOCK, segments.regex_timeout_ms)
        found = dict.fromkeys(element for block in self._groups.blocks for element in selector.select(block))
        return self._value(list(found))

    def _make_leaf(self, positions: tuple[int, ...]) -> Leaf:
        contexts = self._groups.contexts(self._segments, positions)
        if contexts is None:
            return _QueriedLeaf(self, positions)
        segment, has_tail = self._segments.open_ones[-1], self._segments.tail is not None
        if segment.child_tag is not None and len(contexts) == 1 and not has_tail:
            return self._row(contexts[0], segment.child_tag)
        groups = self._groups.group(contexts, segment)
        return {at: self._end(elements, (*positions, at)) for at, elements in groups.items()}

    def _row(self, element: Element, tag: str) -> dict[int, str | None]:
        """The values of the children of that tag, `*` for any."""
        text = self._text
        if tag == "*":
            return {at: text(child) for at, child in enumerate(element.iterchildren("*"), 1)}
        return {at: text(child) for at, child in enumerate(element.iterchildren("*"), 1) if child.tag == tag}

    def _end(self, elements: list[Element], positions: tuple[int, ...]) -> str | None:
        """The value of the elements at the last open position, or of what the tail finds below them."""
        tail = self._segments.tail
        if tail is None:
            return self._value(elements)
        if are_nested(elements):
            return self.queried(positions)
        return self._value([found for element in elements for found in tail.select(element)])

    def _value(self, elements: list[Element]) -> str | None:
        return join_texts([self._text(element) for element in elements])


def _attribute_text(attribute: str, element: Element) -> str:
    return attribute_of(element, attribute) or ""


class _QueriedLeaf:
    """A leaf that asks an ordinary query for each value."""

    def __init__(self, index: PositionalIndex, positions: tuple[int, ...]) -> None:
        self._index = index
        self._positions = positions
        self._known: dict[int, str | None] = {}

    def get(self, position: int, /) -> str | None:
        if position not in self._known:
            self._known[position] = self._index.queried((*self._positions, position))
        return self._known[position]
