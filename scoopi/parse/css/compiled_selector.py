"""CompiledSelector: a compiled selector, which finds its elements in a page, a block or below an element."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cached_property
from typing import Any, cast

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.bridge.html_backend import found_elements
from scoopi.parse.css import syntax
from scoopi.parse.css.element_text import attributes
from scoopi.parse.css.set_selector import ChainQuery, FindElements, holders_of, selected
from scoopi.parse.css.xpath_conditions import is_name
from scoopi.parse.css.xpath_writer import NAMESPACE, ChainParts, Select, Within, XPathWriter
from scoopi.parse.element import Element
from scoopi.parse.walks.simple_chain import SimpleChain

LARGE = 500
"""Number of elements from which a selector is evaluated with sets if its XPath may be slow."""

_TEXT_MARK = "{scoopi}text"
"""Marks an element that wraps one text; no page can have this attribute."""

_IS_COPY = "{scoopi}copy"
_DATA = frozenset({"script", "style"})


class CompiledSelector:
    """A compiled selector, which finds its elements in a page, a block or below an element.

    A small page is searched with a single XPath. In a large one that may take quadratic time: libxml2
    compares each element that a step finds with all others, and evaluates `:has` for each element again. So
    there, and always for chains of siblings, the elements of each compound are found separately and joined as
    sets, in time proportional to the size of the page.

    Args:
        selectors: the parsed selector.
        scope: what `select` searches.
        regex_timeout_ms: time limit of one regular expression on one text.
        large: number of elements from which a page or block is large; 0 for every one.
    Raises:
        ParseError: a pattern is not a valid regular expression, or the selector is too large.
    """

    def __init__(
        self, selectors: syntax.Selectors, scope: Within, regex_timeout_ms: int, *, large: int = LARGE
    ) -> None:
        self._selectors = selectors
        self._scope = scope
        self._regex_timeout_ms = regex_timeout_ms
        self._large = large
        self._may_be_slow = syntax.may_be_slow(selectors)
        self._joins_siblings = syntax.joins_siblings(selectors)
        self._text_trees = _TextTrees() if syntax.matches_text(selectors) else None
        writer = self._writer()
        self.expression = writer.write(selectors)
        self._query = _query(self.expression, writer)
        self._is_large = etree.XPath(f"boolean(descendant::*[{large}])") if large else None
        self._tag = "" if scope is Within.BELOW else _only_tag(selectors)

    def select(self, root: Element) -> list[Element]:
        """The elements in document order, each once.

        Raises:
            ParseError: a regular expression took too long, or the selector finds too many elements.
        Source: defs/README.md, 3.2.
        """
        if (walk := self._walk) is not None and (found := walk(root)) is not None:
            return found
        if self._tag:  # half the time of an XPath
            return list((root.getroottree() if self._scope is Within.PAGE else root).iter(self._tag))
        if self._text_trees is not None:
            root = self._text_trees.twin(root)
        by_sets = self._may_be_slow and (self._joins_siblings or not self._is_large or self._is_large(root))
        return selected(self._chains, root) if by_sets else self._query(root)

    @classmethod
    def onward(cls, chain: syntax.SelectorChain, regex_timeout_ms: int) -> FindElements:
        """Compile the rest of a chain, for elements that match its first compound.

        Returns:
            A query that gives, for such an element, the elements that match the last compound.
        """
        writer = XPathWriter(Within.BLOCK, _Nested(regex_timeout_ms, LARGE), regex_timeout_ms)
        return _query(writer.onward(chain), writer)

    @cached_property
    def _walk(self) -> Callable[[Element], list[Element] | None] | None:
        """Finds the elements of tags, ids and classes in C, for which libxml2 would set up an XPath."""
        if self._scope is Within.BELOW:  # where the first element is enough
            return None
        search, chain = found_elements(), SimpleChain.of(self._selectors)
        # With a blank between compounds, all ancestors of each element would be searched.
        links = None if chain is None or " " in chain.combinators else chain.links()
        if search is None or links is None:
            return None
        in_page = self._scope is Within.PAGE
        return lambda root: search(root, *links, in_page)

    @cached_property
    def _chains(self) -> list[ChainQuery]:
        writer = self._writer(by_sets=True)
        return [_chain_query(chain, writer.parts(chain), writer) for chain in self._selectors]

    def _writer(self, *, by_sets: bool = False) -> XPathWriter:
        nested = _Nested(self._regex_timeout_ms, self._large)
        return XPathWriter(self._scope, nested, self._regex_timeout_ms, by_sets=by_sets)


class _Nested:
    """Compiles nested selectors."""

    def __init__(self, regex_timeout_ms: int, large: int) -> None:
        self._regex_timeout_ms = regex_timeout_ms
        self._large = large

    def select(self, selectors: syntax.Selectors, scope: Within) -> Select:
        """A query for the elements that the selectors match."""
        return CompiledSelector(selectors, scope, self._regex_timeout_ms, large=self._large).select

    def holders(self, selectors: syntax.Selectors) -> Select:
        """A query for the elements inside which the selectors match something."""
        writer = XPathWriter(Within.BELOW, self, self._regex_timeout_ms, by_sets=True)
        chains = [
            _chain_query(chain, writer.holder_parts(chain), writer)
            for chain in selectors
            if chain.compounds and not (chain.scoped and chain.combinators[0] in "+~")
        ]
        return lambda root: holders_of(chains, root)


def _only_tag(selectors: syntax.Selectors) -> str:
    """The tag of a selector that consists only of a tag; empty for any other."""
    if len(selectors) != 1 or selectors[0].scoped or len(selectors[0].compounds) != 1:
        return ""
    match selectors[0].compounds[0]:
        case (syntax.Tag(name),) if is_name(name):
            return name
    return ""


def _chain_query(chain: syntax.SelectorChain, parts: ChainParts, writer: XPathWriter) -> ChainQuery:
    heads = [_query(head, writer) for head in parts.heads]
    return ChainQuery(chain, heads, [(combinator, _query(text, writer)) for combinator, text in parts.links])


def _query(expression: str, writer: XPathWriter) -> FindElements:
    """Compile an expression: root -> the elements in document order.

    Raises:
        ParseError: the expression is too large.
    """
    wants_root = "$root" in expression
    try:
        xpath = etree.XPath(
            expression,
            namespaces={NAMESPACE: NAMESPACE},
            extensions=writer.extensions,
            smart_strings=False,
        )
    except etree.XPathSyntaxError as error:
        raise ParseError(f"the selector is too large: {error}", hint="split it at its commas") from error
    except ValueError as error:
        raise ParseError(f"the selector cannot be used: {error}", hint="remove control characters") from error

    def query(root: Element) -> list[Element]:
        try:
            variables: dict[str, Any] = {"root": root} if wants_root else {}
            return cast(list[Element], xpath(root, **variables))
        except etree.XPathError as error:
            raise ParseError(f"the selector cannot be evaluated: {error}", hint="write it simpler") from error

    return query


class _TextTrees:
    """Copies pages for `:matchText`, with each text wrapped in an element; keeps the last copy.

    `<p>One<br>Two</p>` becomes `<p><p>One</p><br><p>Two</p></p>`, where the inner elements have the
    attributes of the outer one. (jsoup changes the page itself.)
    """

    def __init__(self) -> None:
        self._page: Element | None = None
        self._twins: dict[Element, Element] = {}

    def twin(self, element: Element) -> Element:
        """The element's copy; an element of the last copy itself."""
        page = element.getroottree().getroot()
        if page is not self._page and page.get(_IS_COPY) is None:
            self._make(page)
        return self._twins.get(element, element)

    def _make(self, page: Element) -> None:
        copy = deepcopy(page.getroottree()).getroot()
        self._page = page
        self._twins = dict(zip(page.iter("*"), copy.iter("*"), strict=True))
        for element in list(self._twins.values()):
            if element.tag not in _DATA:
                _wrap_texts(element)
        copy.set(_IS_COPY, "")


def _wrap_texts(element: Element) -> None:
    children = list(element)
    if element.text:
        element.insert(0, _wrapped(element, element.text))
        element.text = None
    for child in children:
        if child.tail:
            text, child.tail = child.tail, None
            child.addnext(_wrapped(element, text))


def _wrapped(element: Element, text: str) -> Element:
    wrapper = element.makeelement(element.tag, {**attributes(element), _TEXT_MARK: ""})
    wrapper.text = text
    return wrapper
