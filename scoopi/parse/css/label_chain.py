"""LabelChain: a selector that starts at an element with a given text, like `dt:matchesOwn(^Price) + dd`."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from scoopi.parse.css import syntax
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.element_text import own_text
from scoopi.parse.css.filters import searcher, text_filter
from scoopi.parse.css.xpath_conditions import is_name
from scoopi.parse.css.xpath_writer import Select, Within
from scoopi.parse.element import Element
from scoopi.parse.query_ports import PageMemory
from scoopi.parse.tree.element_order import are_nested

_OWN = frozenset({"matchesOwn", "containsOwn"})
_FULL = frozenset({"matches", "contains"})
_BORDER = "\x00"
"""Separates two texts of a tree, in which it cannot occur."""
_QUANTIFIERS = "?*+{"
_LITERAL = re.compile(r"(?:[\w -]|\\[^\w\s])+")
"""The literal characters of a pattern."""


class LabelChain:
    """A selector that starts at an element with a given text, like `dt:matchesOwn(^Price) + dd`.

    Ten labels of a page are ten selectors that differ only in the text. So the texts of all elements that may
    be a label are read once a page, and each text is searched in all of them at once.

    Args:
        chain: a chain for which `fits` is true.
        regex_timeout_ms: time limit of one regular expression on one text.
    Raises:
        ParseError: a pattern is not valid.
    """

    def __init__(self, chain: syntax.SelectorChain, regex_timeout_ms: int) -> None:
        test = _text_test(chain.compounds[0])
        assert test is not None
        others = tuple(each for each in chain.compounds[0] if each is not test)
        self._passes = text_filter(test, regex_timeout_ms)
        self._is_full = test.kind in _FULL
        self._is_lower = test.kind.startswith("contains")
        self._literal = test.text if self._is_lower else literal_of(test.text)
        self._is_prefix = not self._is_lower and test.text.startswith("^")
        is_plain = self._is_lower or is_literal(test.text)
        self._search = None if is_plain else searcher(test.text, regex_timeout_ms)
        self._key = "texts", self._is_lower, str(others)
        first = syntax.SelectorChain((others,))
        self._labels = CompiledSelector((first,), Within.BLOCK, regex_timeout_ms).select
        self._combinators = chain.combinators
        self._rest: Select | None = None
        if chain.combinators:
            self._rest = _siblings_of(chain) or CompiledSelector.onward(chain, regex_timeout_ms)

    @staticmethod
    def fits(selectors: syntax.Selectors) -> bool:
        """Whether parsed selectors are a single chain whose first compound tests the text of a label."""
        if len(selectors) != 1 or syntax.matches_text(selectors) or syntax.needs_root(selectors):
            return False
        chain = selectors[0]
        return not chain.scoped and bool(chain.compounds) and _text_test(chain.compounds[0]) is not None

    def select(self, block: Element, memory: PageMemory) -> list[Element] | None:
        """The elements in the block, in document order; None if only an ordinary query can order them.

        Args:
            memory: the page's cache, in which the texts of labels are kept.

        Raises:
            ParseError: a regular expression took too long.
        """
        key = (*self._key, block)
        texts = memory.get(key)
        if texts is None:
            texts = memory[key] = _Texts(self._labels(block), is_lower=self._is_lower)
        found = self._found(texts)
        if self._rest is None or not found:
            return found
        if self._combinators[0] in "+~" and found[0] is block:
            del found[0]  # siblings of the block are outside it
        if len(found) == 1:
            return list(self._rest(found[0]))
        if self._combinators != ("+",) or are_nested(found):
            return None
        return [each for label in found for each in self._rest(label)]

    def _found(self, texts: _Texts) -> list[Element]:
        """The elements of the first compound."""
        found = texts.holding(self._literal)
        if self._search is not None:
            found = [at for at in found if self._search(texts.own[at])]
        elif self._is_prefix:
            found = [at for at in found if texts.own[at].startswith(self._literal)]
        elements = texts.elements
        if not self._is_full or not texts.parents:
            return [elements[at] for at in found]
        known: dict[object, object] = {}
        parents = [at for at in texts.parents if self._passes(elements[at], known)]
        return [elements[at] for at in sorted({*found, *parents} - ({*texts.parents} - {*parents}))]


class _Texts:
    """The own texts of elements, given in document order.

    Attributes:
        elements: the elements.
        own: their own texts.
        parents: indexes of the elements with children, whose texts are not part of `own`.
    """

    def __init__(self, elements: list[Element], *, is_lower: bool) -> None:
        texts = [own_text(element) for element in elements]
        if is_lower:
            texts = [text.lower() for text in texts]
        self.elements = elements
        self.own = texts
        self.parents = [at for at, element in enumerate(elements) if len(element)]
        self._joined = _BORDER.join(texts)
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=0))

    def holding(self, literal: str) -> list[int]:
        """Indexes of the elements whose text contains the literal."""
        if not literal:
            return list(range(len(self.elements)))
        found = []
        at = self._joined.find(literal)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            found.append(place)
            at = self._joined.find(literal, self._starts[place + 1])
        return found


def literal_of(pattern: str) -> str:
    r"""A text that every match of a Java pattern contains; empty if none is obvious.

    >>> literal_of(r"^Price \(net\)$")
    'Price (net)'
    >>> literal_of("Prices?|Cost")
    ''
    """
    if "|" in pattern or "(?" in pattern:
        return ""
    begin = 1 if pattern.startswith("^") else 0
    found = _LITERAL.match(pattern, begin)
    if found is None:
        return ""
    signs = re.findall(r"\\?.", found[0])
    if pattern[found.end() : found.end() + 1] in _QUANTIFIERS and found.end() < len(pattern):
        signs.pop()  # it is optional
    return "".join(sign[-1] for sign in signs)


def is_literal(pattern: str) -> bool:
    r"""Whether a Java pattern is literal text, except for a `^` at the start.

    >>> is_literal("^Price"), is_literal("Price$"), is_literal("")
    (True, False, False)
    """
    found = _LITERAL.match(pattern, 1 if pattern.startswith("^") else 0)
    return found is not None and found.end() == len(pattern)


def _siblings_of(chain: syntax.SelectorChain) -> Select | None:
    """The rest of a chain that only leads to siblings by tag, as `+ dd` or `~ p + p`; None for any other."""
    steps: list[tuple[str, str]] = []
    for combinator, compound in zip(chain.combinators, chain.compounds[1:], strict=True):
        match compound:
            case (syntax.Tag(name),) if combinator in "+~" and is_name(name):
                steps.append((combinator, name))
            case _:
                return None

    def rest(label: Element) -> list[Element]:
        found = [label]
        for combinator, tag in steps:
            if combinator == "~":  # siblings after the first one include those after the others
                found = list(found[0].itersiblings(tag))
            else:
                found = [each for each in map(_next, found) if each is not None and each.tag == tag]
            if not found:
                break
        return found

    return rest


def _next(element: Element) -> Element | None:
    """The next sibling element."""
    beside = element.getnext()
    while beside is not None and callable(beside.tag):  # a comment
        beside = beside.getnext()
    return beside


def _text_test(compound: syntax.Compound) -> syntax.TextTest | None:
    """The compound's only text test, if it tests own or full texts; else None."""
    tests = [test for test in compound if isinstance(test, syntax.TextTest)]
    return tests[0] if len(tests) == 1 and tests[0].kind in _OWN | _FULL else None
