"""PositionalGroups: the elements of some blocks by their positions, for all queries that begin alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lxml import etree

from scoopi.parse.bridge.html_backend import row_reader
from scoopi.parse.cells.open_query import OpenQuery, OpenStep

Element = etree._Element
ByPosition = dict[int, list[Element]]


class PositionalGroups:
    """Belongs to one page; what queries find on the way to their last step is found once.

    Args:
        blocks: where elements are looked for.
    """

    def __init__(self, blocks: Sequence[Element]) -> None:
        self.blocks = list(blocks)
        self._are_apart = not are_nested(self.blocks)
        self._groups: dict[tuple[str, tuple[int, ...]], ByPosition | None] = {}

    def contexts(self, query: OpenQuery, positions: tuple[int, ...]) -> list[Element] | None:
        """The elements at these positions of the first steps; None when some lie inside others.

        Raises:
            ParseError: the evaluation of a step failed.
        """
        if not positions:
            return self.blocks if self._are_apart else None
        groups = self.inner(query, positions[:-1])
        elements = [] if groups is None else groups.get(positions[-1], [])
        return None if groups is None or are_nested(elements) else elements

    def inner(self, query: OpenQuery, outer: tuple[int, ...]) -> ByPosition | None:
        """What the step behind these positions finds, by position; None and raises as `contexts`."""
        key = query.keys[len(outer)], outer
        if key not in self._groups:
            contexts = self.contexts(query, outer)
            step = query.steps[len(outer)]
            self._groups[key] = None if contexts is None else grouped(contexts, step)
        return self._groups[key]


def grouped(contexts: list[Element], step: OpenStep) -> ByPosition:
    """What the step finds below the contexts, by position among its siblings; raises as `OpenStep.select`."""
    elements = [element for context in contexts for element in step.select(context)]
    places = row_reader().positions(elements, step.of_type)
    if len(set(places)) == len(places) and 0 not in places:
        return {place: [element] for place, element in zip(places, elements, strict=True)}
    groups: ByPosition = {}
    for element, position in zip(elements, places, strict=True):
        if position:
            groups.setdefault(position, []).append(element)
    return groups


def are_nested(elements: list[Element]) -> bool:
    """Whether one of the elements, which are in document order, lies inside another."""
    if len(elements) < 2:
        return False
    for former, latter in pairwise(elements):
        if latter.getparent() is not former.getparent() and former in latter.iterancestors():
            return True
    return False
