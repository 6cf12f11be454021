"""PositionalGroups: the elements of some blocks by their positions, for all shapes that begin alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lxml import etree

from scoopi.parse.css.positional_segments import PositionalSegments, Segment

Element = etree._Element


class PositionalGroups:
    """Belongs to one page; positions of elements are counted once per parent.

    Args:
        blocks: where elements are looked for.
    """

    def __init__(self, blocks: Sequence[Element]) -> None:
        self.blocks = list(blocks)
        self._are_apart = not are_nested(self.blocks)
        self._places: dict[Element, dict[Element, int]] = {}
        self._groups: dict[tuple[str, tuple[int, ...]], dict[int, list[Element]]] = {}

    def contexts(self, segments: PositionalSegments, positions: tuple[int, ...]) -> list[Element] | None:
        """The elements at these positions of the first segments; None when some lie inside others."""
        if not positions:
            return self.blocks if self._are_apart else None
        outer, last = positions[:-1], positions[-1]
        key = segments.keys[len(outer)], outer
        groups = self._groups.get(key)
        if groups is None:
            contexts = self.contexts(segments, outer)
            if contexts is None:
                return None
            groups = self._groups[key] = self.group(contexts, segments.open_ones[len(outer)])
        elements = groups.get(last, [])
        return None if are_nested(elements) else elements

    def group(self, contexts: list[Element], segment: Segment) -> dict[int, list[Element]]:
        """What the segment finds below the contexts, by position among its siblings."""
        groups: dict[int, list[Element]] = {}
        for context in contexts:
            for element in segment.select(context):
                position = self._position(element)
                if position:
                    groups.setdefault(position, []).append(element)
        return groups

    def _position(self, element: Element) -> int:
        """The position among the siblings, from 1; 0 for the page's root, which has no position."""
        parent = element.getparent()
        if parent is None:
            return 0
        places = self._places.get(parent)
        if places is None:
            places = {child: at for at, child in enumerate(parent.iterchildren("*"), 1)}
            self._places[parent] = places
        return places[element]


def are_nested(elements: list[Element]) -> bool:
    """Whether one of the elements, which are in document order, lies inside another."""
    if len(elements) < 2:
        return False
    for former, latter in pairwise(elements):
        if latter.getparent() is not former.getparent() and former in latter.iterancestors():
            return True
    return False
