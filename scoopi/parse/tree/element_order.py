"""are_nested, sibling_places: whether elements are nested, and where they are among their siblings."""

from __future__ import annotations

from itertools import pairwise

from scoopi.parse.element import Element


def are_nested(elements: list[Element]) -> bool:
    """Whether one of the elements, given in document order, is nested in another."""
    for former, latter in pairwise(elements):
        if latter.getparent() is not former.getparent() and former in latter.iterancestors():
            return True
    return False


def sibling_places(parent: Element, *, of_type: bool, from_end: bool = False) -> dict[Element, int]:
    """The position of each child element among its siblings, from 1.

    Args:
        of_type: count only the siblings of the same name.
        from_end: count from the last sibling.
    """
    children = parent.iterchildren("*", reversed=from_end)
    if not of_type:
        return {child: at for at, child in enumerate(children, 1)}
    counts: dict[str, int] = {}
    places = {}
    for child in children:
        counts[child.tag] = places[child] = counts.get(child.tag, 0) + 1
    return places
