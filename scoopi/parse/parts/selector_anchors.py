"""part_of: the part of a page in which a CSS selector has the same matches as in the whole page."""

from __future__ import annotations

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.parts.page_part import ATTRIBUTE, CLASS, ID, TAG, Anchor, Kind, PagePart

_AROUND = frozenset(("html", "head", "body"))
"""Contain the whole page, so they are no use as anchors."""
_OF_TAG = (syntax.Tag, syntax.TagSuffix, syntax.Id, syntax.ClassName, syntax.AttributeTest)


def part_of(selector: str, *, joins_siblings: bool = False) -> PagePart | None:
    """The part of a page in which the selector has the same matches as in the whole page; None for all of it.

    >>> part_of("table.prices > tbody > tr:nth-child(2)").anchors
    (Anchor(kind='c', name='prices', joins_siblings=False),)
    >>> part_of("h2:contains(Prices) + table, #prices").anchors
    (Anchor(kind='t', name='h2', joins_siblings=True), Anchor(kind='i', name='prices', joins_siblings=False))
    >>> part_of("*:contains(Prices)")

    Args:
        selector: as written; with placeholders it may match anywhere, which gives None.
        joins_siblings: whether values may be read from siblings of the elements it matches.
    """
    if "%{" in selector:
        return None
    try:
        selectors = parse_selector(selector)
    except ParseError:
        return None  # it is reported when it is compiled
    if syntax.needs_root(selectors) or syntax.lists_see_root(selectors) or syntax.matches_text(selectors):
        return None
    anchors = [_anchor_of(chain, joins_siblings=joins_siblings) for chain in selectors]
    known = tuple(anchor for anchor in anchors if anchor is not None)
    return PagePart(known) if len(known) == len(anchors) else None


def _anchor_of(chain: syntax.SelectorChain, *, joins_siblings: bool) -> Anchor | None:
    """The anchor whose elements contain all matches of a chain.

    The chain begins at these elements, or with tags and attributes of their ancestors, which a part keeps.
    """
    if chain.scoped:
        return None
    marks: list[tuple[int, int, Kind, str]] = []
    for at, compound in enumerate(chain.compounds):
        marks += ((rank, at, kind, name) for rank, kind, name in filter(None, map(_mark, compound)))
        if chain.combinators[at : at + 1] not in ((" ",), (">",)) or not all(map(_is_of_tag, compound)):
            break
    if not marks:
        return None
    _, at, kind, name = min(marks)
    leaves = any(combinator in "+~" for combinator in chain.combinators[at : at + 1])
    return Anchor(kind, name, joins_siblings or leaves or _has_siblings(chain.compounds[at]))


def _is_of_tag(test: syntax.Test) -> bool:
    """Whether the test depends only on the element's tag and attributes."""
    return isinstance(test, _OF_TAG)


def _mark(test: syntax.Test) -> tuple[int, Kind, str] | None:
    """Rank, kind and name of the anchor that a test gives; rarer kinds have a lower rank."""
    if isinstance(test, syntax.Id):
        mark = (0, ID, test.value)
    elif isinstance(test, syntax.ClassName):
        mark = (1, CLASS, test.name)
    elif isinstance(test, syntax.AttributeTest) and test.operator not in ("!=", "^"):
        mark = (2, ATTRIBUTE, test.name)
    elif isinstance(test, syntax.Tag) and test.name not in _AROUND:
        mark = (3, TAG, test.name)
    else:
        return None
    return mark if mark[2].isascii() and ":" not in mark[2] else None


def _has_siblings(compound: syntax.Compound) -> bool:
    """Whether a test of the compound depends on siblings or their contents."""
    return any(
        isinstance(test, syntax.NestedTest)
        and (
            syntax.joins_siblings(test.selectors)
            or any(_has_siblings(inner) for chain in test.selectors for inner in chain.compounds)
        )
        for test in compound
    )
