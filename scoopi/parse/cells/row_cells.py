"""positions, cells, part, tails: positions of elements among their siblings, and texts of their children."""

from __future__ import annotations

from scoopi.parse.css.element_text import join_texts, own_text
from scoopi.parse.element import Element
from scoopi.parse.tree.element_order import sibling_places
from scoopi.parse.xpath.xpath_values import text_of_node

Cells = list[str | None]
"""The texts of a row by position. Positions start at 1, so the first entry is always None."""


def positions(elements: list[Element], of_type: bool) -> list[int]:
    """The position of each element among its siblings, from 1; with `of_type`, among those of its name.

    The root of a page has position 1 with `of_type`, else 0, which matches no selector.
    """
    places: dict[Element, dict[Element, int]] = {}
    found = []
    for element in elements:
        parent = element.getparent()
        if parent is None:
            found.append(1 if of_type else 0)
            continue
        if parent not in places:
            places[parent] = sibling_places(parent, of_type=of_type)
        found.append(places[parent][element])
    return found


def cells(rows: list[Element], tag: str, full: bool) -> list[Cells]:
    """The texts of the children of each row.

    Args:
        tag: tag of the children to read, `*` for any.
        full: read full texts (XPath), by position among the children of the tag; else own texts (CSS), by
            position among all children, with None for children of another tag.
    """
    if full:
        return [[None, *(text_of_node(child) for child in row.iterchildren(tag))] for row in rows]
    if tag == "*":
        return [[None, *(own_text(child) for child in row.iterchildren("*"))] for row in rows]
    return [
        [None, *(own_text(child) if child.tag == tag else None for child in row.iterchildren("*"))]
        for row in rows
    ]


def part(rows: list[Element | None], tag: str, full: bool, first: int, stop: int) -> Cells:
    """The texts of the cells at positions `first` to `stop - 1`, row by row.

    Args:
        rows: None for a missing row.
        tag, full: as in `cells`.
    """
    found: Cells = []
    for row in rows:
        texts = [] if row is None else cells([row], tag, full)[0][first:stop]
        found += [*texts, *[None] * (stop - first - len(texts))]
    return found


def tails(elements: list[Element], tag: str, attribute: str) -> list[str | None]:
    """For each element, the joined own texts of its children of a tag, or their joined attribute values.

    A missing attribute counts as empty. None for an element without such children; `*` is any tag.
    """
    if attribute:
        return [
            join_texts([child.get(attribute, "") for child in element.iterchildren(tag)])
            for element in elements
        ]
    return [join_texts([own_text(child) for child in element.iterchildren(tag)]) for element in elements]
