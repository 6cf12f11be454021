"""selected, holders_of: evaluate selectors with sets of elements, in time proportional to the page's size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoopi.parse.css import syntax
from scoopi.parse.element import Element

FindElements = Callable[[Element], list[Element]]
"""Root -> elements in document order. Raises ParseError."""


class ChainQuery(NamedTuple):
    """A chain split at its combinators, each part compiled and evaluated on the root; see ChainParts."""

    chain: syntax.SelectorChain
    heads: Sequence[FindElements]
    links: Sequence[tuple[str, FindElements]]

    def first(self, root: Element) -> list[Element]:
        """The elements that the first compound matches, the root first if it is one of them."""
        return [element for head in reversed(self.heads) for element in head(root)]


def selected(chains: Sequence[ChainQuery], root: Element) -> list[Element]:
    """The elements that the chains find, in document order, each once.

    Raises:
        ParseError: the evaluation of a part failed.
    """
    found = [_found(chain, root) for chain in chains]
    if len(found) == 1:
        return found[0]
    union = set().union(*found)
    return [element for element in root.iter("*") if element in union]


def holders_of(chains: Sequence[ChainQuery], root: Element) -> set[Element]:
    """The root and the elements below it inside which a chain matches something; same errors as `selected`.

    Works backwards, from the elements of the last compound to those that may contain them.
    """
    holders: set[Element] = set()
    for query in chains:
        parts = [query.first(root), *(link(root) for _, link in query.links)]
        found = parts[-1]
        for (combinator, _), part in zip(reversed(query.links), reversed(parts[:-1]), strict=True):
            reached = _reaching(combinator, found, root)
            found = [element for element in part if element in reached]
        combinators = query.chain.combinators
        if query.chain.scoped:
            holders |= _reaching(combinators[0], found, root)
            continue
        holders |= _reaching(" ", found, root)
        if combinators and combinators[0] in " >":
            holders.update(found)  # an element may be the first compound of its own `:has(a b)`
    return holders


def _found(query: ChainQuery, root: Element) -> list[Element]:
    found = query.first(root)
    for combinator, link in query.links:
        if not found:
            return found
        found = _reached(combinator, found, link(root))
    return found


def _reached(combinator: str, lefts: list[Element], candidates: list[Element]) -> list[Element]:
    """The candidates that the combinator reaches from one of `lefts`; both in document order."""
    if combinator == " ":
        return list(_inside(set(lefts), candidates))
    if combinator == "~":
        followers: set[Element] = set()
        for left in lefts:
            if left not in followers:
                followers.update(left.itersiblings("*"))
        return [element for element in candidates if element in followers]
    before = _parent if combinator == ">" else _previous
    among = set(lefts)
    return [element for element in candidates if before(element) in among]


def _inside(outer: set[Element], candidates: list[Element]) -> Iterable[Element]:
    """The candidates inside one of `outer`; no ancestor is visited twice."""
    known: dict[Element | None, bool] = dict.fromkeys(outer, True)
    known[None] = False
    for candidate in candidates:
        way: list[Element | None] = []
        parent = candidate.getparent()
        while parent not in known:
            way.append(parent)
            parent = _parent(parent)
        is_inside = known[parent]
        known.update(dict.fromkeys(way, is_inside))
        if is_inside:
            yield candidate


def _reaching(combinator: str, rights: list[Element], root: Element) -> set[Element]:
    """The elements, up to the root, from which the combinator leads to one of `rights`."""
    if combinator == " ":
        return _ancestors(rights, root)
    reaching: set[Element] = set()
    if combinator == "~":
        for right in reversed(rights):
            if right not in reaching:
                reaching.update(right.itersiblings("*", preceding=True))
        return reaching
    before = _parent if combinator == ">" else _previous
    found = (before(right) for right in rights if right is not root)
    return {element for element in found if element is not None}


def _ancestors(elements: list[Element], root: Element) -> set[Element]:
    ancestors: set[Element] = set()
    for element in elements:
        at: Element | None = element
        while at is not root and (at := _parent(at)) is not None and at not in ancestors:
            ancestors.add(at)
    return ancestors


def _parent(element: Element | None) -> Element | None:
    return None if element is None else element.getparent()


def _previous(element: Element) -> Element | None:
    return next(element.itersiblings("*", preceding=True), None)
