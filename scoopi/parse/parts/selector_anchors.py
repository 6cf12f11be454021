"""part_of, shallow_part_of, nested_part_of: the part of a page in which a CSS selector has its matches."""

from __future__ import annotations

from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.parts.page_part import ATTRIBUTE, CLASS, ID, TAG, Anchor, AnchorKind, PagePart

_AROUND = frozenset(("html", "head", "body"))
"""Contain the whole page, so they are no use as anchors."""
_OF_TAG = (syntax.Tag, syntax.TagSuffix, syntax.Id, syntax.ClassName, syntax.AttributeTest)


def part_of(selector: str, *, joins_siblings: bool = False) -> PagePart | None:
    """The part of a page in which the selector has the same matches as in the whole page; None for all of it.

    >>> part_of("table.prices > tbody > tr:nth-child(2)").anchors
    (Anchor(kind='c', name='prices', joins_siblings=False, is_shallow=False, is_nested=False),)
    >>> [anchor[:3] for anchor in part_of("h2:contains(Prices) + table, #prices").anchors]
    [('t', 'h2', True), ('i', 'prices', False)]
    >>> part_of("*:contains(Prices)")

    Args:
        selector: as written; with placeholders it may match anywhere, which gives None.
        joins_siblings: whether values may be read from siblings of the elements that it matches.
    """
    anchors: list[Anchor] = []
    for chain in _parsed(selector):
        begin = _begin_of(chain)
        if begin is None:
            return None
        anchors.append(_whole(chain, begin, joins_siblings=joins_siblings))
    return PagePart(tuple(anchors)) if anchors else None


def shallow_part_of(selector: str) -> PagePart | None:
    """The part of a page with the matches, but not their contents; None if matches may depend on contents.

    >>> [anchor[1:] for anchor in shallow_part_of(".list > li:nth-child(2) > article").anchors]
    [('list', False, True, False), ('li', False, True, True), ('article', False, True, True)]
    """
    anchors: list[Anchor] = []
    for chain in _parsed(selector):
        begin = _begin_of(chain)
        found = None if begin is None else _shallow(chain, begin)
        if found is None:
            return None
        anchors += found
    return PagePart(tuple(anchors)) if anchors else None


def nested_part_of(selector: str) -> PagePart | None:
    """The part of a block in which a selector has the same matches as in the whole; None for the whole block.

    >>> [anchor.name for anchor in nested_part_of("> h3 > a, .price").anchors]
    ['h3', 'price']
    """
    anchors: list[Anchor] = []
    for chain in _parsed(selector):
        inner = syntax.SelectorChain(chain.compounds, chain.combinators[chain.scoped :])
        begin = None if chain.scoped and chain.combinators[:1] != (">",) else _begin_of(inner)
        if begin is None:
            return None
        anchors.append(_whole(inner, begin)._replace(is_nested=True))
    return PagePart(tuple(anchors)) if anchors else None


def _parsed(selector: str) -> syntax.Selectors:
    """The alternatives of the selector; none if they may match anywhere, or depend on anything."""
    if "%{" in selector:
        return ()
    try:
        selectors = parse_selector(selector)
    except ParseError:
        return ()  # it is reported when it is compiled
    if syntax.needs_root(selectors) or syntax.lists_see_root(selectors) or syntax.matches_text(selectors):
        return ()
    return selectors


class _Begin(NamedTuple):
    """Where a chain begins to be found: the index of a compound, and the kind and name of its rarest mark."""

    at: int
    kind: AnchorKind
    name: str


def _begin_of(chain: syntax.SelectorChain) -> _Begin | None:
    """The compound whose elements contain all matches of a chain.

    The chain begins at these elements, or with tags and attributes of their ancestors, which a part keeps.
    """
    if chain.scoped:
        return None
    marks: list[tuple[int, int, AnchorKind, str]] = []
    for at, compound in enumerate(chain.compounds):
        marks += ((rank, at, kind, name) for rank, kind, name in filter(None, map(_mark, compound)))
        if chain.combinators[at : at + 1] not in ((" ",), (">",)) or not all(map(_is_of_tag, compound)):
            break
    return _Begin(*min(marks)[1:]) if marks else None


def _whole(chain: syntax.SelectorChain, begin: _Begin, *, joins_siblings: bool = False) -> Anchor:
    leaves = any(combinator in "+~" for combinator in chain.combinators[begin.at : begin.at + 1])
    joins = joins_siblings or leaves or _has_siblings(chain.compounds[begin.at])
    return Anchor(begin.kind, begin.name, joins)


def _shallow(chain: syntax.SelectorChain, begin: _Begin) -> list[Anchor] | None:
    """Anchors of the elements of a chain that must be there: where it begins, positions, and the matches."""
    compounds = chain.compounds[begin.at :]
    if "+" in chain.combinators or "~" in chain.combinators:
        return None
    if not all(_is_shallow(test) for compound in compounds for test in compound):
        return None
    anchors = [Anchor(begin.kind, begin.name, is_shallow=True)]
    for at, compound in enumerate(compounds[1:], 2):
        if at == len(compounds) or not all(map(_is_of_tag, compound)):
            marks = [mark for mark in map(_mark, compound) if mark is not None]
            if not marks:
                return None
            _, kind, name = min(marks)
            anchors.append(Anchor(kind, name, is_shallow=True, is_nested=True))
    return anchors


def _is_of_tag(test: syntax.Test) -> bool:
    """Whether the test depends only on the element's tag and attributes."""
    return isinstance(test, _OF_TAG)


def _is_shallow(test: syntax.Test) -> bool:
    """Whether the test depends only on tags and attributes of the element, and of its siblings."""
    if isinstance(test, syntax.NestedTest):
        return test.kind != "has" and all(
            _is_shallow(each) for chain in test.selectors for compound in chain.compounds for each in compound
        )
    return isinstance(test, (*_OF_TAG, syntax.Nth, syntax.SiblingIndex))


def _mark(test: syntax.Test) -> tuple[int, AnchorKind, str] | None:
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
