"""positions, cells, part, tails: where elements stand among their siblings, and what their children hold."""

from __future__ import annotations

from lxml import etree

from scoopi.parse.css.element_text import join_texts, own_text
from scoopi.parse.xpath.xpath_values import text_of_node

Element = etree._Element
Cells = list[str | None]
"""The texts of a row by position: the first entry, for which there is no position, is None."""


def positions(elements: list[Element], of_type: bool) -> list[int]:
    """The place of each element among its siblings, from 1; with `of_type` among those of its name.

    The root of a page is the first of its type, but has no other place: 0.
    """
    places: dict[Element, dict[Element, int]] = {}
    found = []
    for element in elements:
        parent = element.getparent()
        if parent is None:
            found.append(1 if of_type else 0)
            continue
        if parent not in places:
            places[parent] = _places(parent, of_type)
        found.append(places[parent][element])
    return found


def cells(rows: list[Element], tag: str, full: bool) -> list[Cells]:
    """The texts of the children of each row.

    Args:
        tag: of the children that count, `*` for any.
        full: their full texts as XPath has it, by their place among the children that count; else their
            own texts as CSS has it, by their place among all children, None for those that do not count.
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
    """The texts of the cells from one position up to another, row after row.

    Args:
        rows: None for one that is not there.
        tag, full: as in `cells`.
    """
    found: Cells = []
    for row in rows:
        texts = [] if row is None else cells([row], tag, full)[0][first:stop]
        found += [*texts, *[None] * (stop - first - len(texts))]
    return found


def tails(elements: list[Element], tag: str, attribute: str) -> list[str | None]:
    """The joined own texts of each element's children of a tag, or of an attribute, blank where that lacks.

    None for an element without such children; `*` is any tag.
    """
    if attribute:
        return [
            join_texts([child.get(attribute, "") for child in element.iterchildren(tag)])
            for element in elements
        ]
    return [join_texts([own_text(child) for child in element.iterchildren(tag)]) for element in elements]


def _places(parent: Element, of_type: bool) -> dict[Element, int]:
    if not of_type:
        return {child: at for at, child in enumerate(parent.iterchildren("*"), 1)}
    counts: dict[str, int] = {}
    places = {}
    for child in parent.iterchildren("*"):
        counts[child.tag] = places[child] = counts.get(child.tag, 0) + 1
    return places
