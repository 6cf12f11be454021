"""XPathWriter: translates a parsed selector to one XPath, with filters for what XPath cannot express."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol

from scoopi.parse.css import syntax, xpath_conditions
from scoopi.parse.css.filters import Filter, attribute_filter, class_filter, place_filter, text_filter
from scoopi.parse.xpath.xpath_tokens import xpath_literal

NAMESPACE = "scoopi"
"""Namespace of the filters, and of the attribute `text`, which marks elements that wrap one text."""
Extension = Callable[..., bool]


class Within(Enum):
    """What a selector searches: a page, a block (including itself), or below an element (`:has`)."""

    PAGE = auto()
    BLOCK = auto()
    BELOW = auto()


Select = Callable[[Any], Collection[Any]]
"""Root -> elements inside it."""


class Nested(Protocol):
    """Compiles the selectors inside `:has` and `:not` that must be evaluated separately."""

    def select(self, selectors: syntax.Selectors, scope: Within, /) -> Select:
        """A query for the elements that the selectors match."""

    def holders(self, selectors: syntax.Selectors, /) -> Select:
        """A query for the elements inside which the selectors match something."""


class ChainParts(NamedTuple):
    """A chain split at its combinators, each part evaluated with the root as context.

    Attributes:
        heads: expressions for the first compound; of two, the last one finds the root itself.
        links: each further combinator, and an expression for its compound anywhere below the root.
    """

    heads: list[str]
    links: list[tuple[str, str]]


class XPathWriter:
    """Translates a parsed selector to one XPath; filters for the rest are collected in `extensions`.

    The forms are chosen for speed: a position right after a combinator becomes `*[k][self::td]`, which
    libxml2 finds without counting siblings.

    Args:
        scope: what the selector searches.
        by_sets: evaluate positions and `:has` once a page, not for each element; slower on small pages.
    """

    def __init__(
        self, scope: Within, nested: Nested, regex_timeout_ms: int, *, by_sets: bool = False
    ) -> None:
        self._scope = scope
        self._nested = nested
        self._regex_timeout_ms = regex_timeout_ms
        self._by_sets = by_sets
        self.extensions: dict[tuple[str, str], Extension] = {}

    def write(self, selectors: syntax.Selectors) -> str:
        """The expression; its context is the page's root, the block or the element, as the scope says."""
        return self._union(selectors, self._scope)

    def _union(self, selectors: syntax.Selectors, scope: Within) -> str:
        paths = [path for chain in selectors for path in self._paths(chain, scope)]
        if scope is Within.BELOW:
            paths = [f"{path}[1]" for path in paths]  # one is enough, and libxml2 stops there
        return " | ".join(paths) or "self::*[false()]"

    def parts(self, chain: syntax.SelectorChain) -> ChainParts:
        """Split a chain at its combinators, and write each part as an expression."""
        heads, steps = self._opened(chain, self._scope)
        return ChainParts(heads, [(combinator, self.anywhere(compound)) for combinator, compound in steps])

    def holder_parts(self, chain: syntax.SelectorChain) -> ChainParts:
        """The parts of a chain inside `:has`, independent of the element that `:has` tests."""
        if not chain.scoped:
            return self.parts(chain)
        links = [self.anywhere(compound) for compound in chain.compounds]
        return ChainParts(links[:1], list(zip(chain.combinators[1:], links[1:], strict=True)))

    def anywhere(self, compound: syntax.Compound) -> str:
        """An expression for the compound anywhere below the root."""
        return f"self::*{self._step(' ', compound)}"

    def onward(self, chain: syntax.SelectorChain) -> str:
        """An expression from an element of the chain's first compound to those of its last one."""
        return "self::*" + "".join(map(self._step, chain.combinators, chain.compounds[1:]))

    def _paths(self, chain: syntax.SelectorChain, scope: Within) -> list[str]:
        heads, steps = self._opened(chain, scope)
        path = "".join(self._step(combinator, compound) for combinator, compound in steps)
        return [head + path for head in heads]

    def _opened(
        self, chain: syntax.SelectorChain, scope: Within
    ) -> tuple[list[str], list[tuple[str, syntax.Compound]]]:
        """The paths to the first compound, and the steps from there."""
        compounds, combinators = chain.compounds, chain.combinators
        if not chain.scoped:
            return self._begins(chain, scope), list(zip(combinators, compounds[1:], strict=True))
        begins = self._scoped_begins(chain, scope)
        if not compounds:
            return begins, []
        step = self._step(combinators[0], compounds[0], of_page=scope is Within.PAGE)
        return [begin + step for begin in begins], list(zip(combinators[1:], compounds[1:], strict=True))

    @staticmethod
    def _scoped_begins(chain: syntax.SelectorChain, scope: Within) -> list[str]:
        if not chain.compounds:
            return ["self::*"] if scope is Within.BLOCK else []
        if chain.combinators[0] not in "> ":
            return []
        return [""] if scope is Within.PAGE else ["self::*"]

    def _begins(self, chain: syntax.SelectorChain, scope: Within) -> list[str]:
        first = chain.compounds[0]
        of_page = scope is Within.PAGE
        inside = ("" if of_page else "self::*") + self._step(" ", first, of_page=of_page)
        can_be_root = (
            not of_page
            and (scope is Within.BLOCK or len(chain.compounds) > 1)
            and chain.combinators[:1] not in (("+",), ("~",))
        )
        if not can_be_root:
            return [inside]
        if self._positional(first) is None and not syntax.sees_root(first):
            return ["descendant-or-self::" + self._node(first)]
        return [inside, "self::*" + self._brackets(first, is_root=True)]

    def _step(self, combinator: str, compound: syntax.Compound, *, of_page: bool = False) -> str:
        """A step from an element to a compound, or from the page, whose root has an index but no position."""
        if combinator == "+":
            return "/following-sibling::*[1]" + self._brackets(compound)
        if combinator == "~":
            return "/following-sibling::" + self._node(compound)
        test = self._positional(compound)
        if test is None or (of_page and (combinator == ">" or isinstance(test, syntax.SiblingIndex))):
            return ("/descendant::" if combinator == " " else "/child::") + self._node(compound)
        axis = "/descendant-or-self::*/child::" if combinator == " " else "/child::"
        return (
            f"{axis}*[{xpath_conditions.position_condition(test)}]{self._brackets(_without(compound, test))}"
        )

    @staticmethod
    def _positional(compound: syntax.Compound) -> syntax.Nth | syntax.SiblingIndex | None:
        for test in compound:
            if isinstance(test, syntax.SiblingIndex) or (isinstance(test, syntax.Nth) and not test.of_type):
                return test
        return None

    def _node(self, compound: syntax.Compound) -> str:
        """The compound as node test and predicates, or as the path up from an attribute that it requires.

        libxml2 visits all attributes of a page in a fifth of the time that a predicate on each element takes.
        """
        tag = syntax.tag_of(compound)
        if tag is not None and xpath_conditions.is_name(tag.name):
            return tag.name + self._brackets(_without(compound, tag), tag=tag)
        for test in compound if tag is None else ():
            found = xpath_conditions.attribute_path(test)
            if found:
                return f"*/{found}/parent::*{self._brackets(_without(compound, test))}"
        return "*" + self._brackets(compound)

    def _brackets(
        self, compound: syntax.Compound, *, tag: syntax.Tag | None = None, is_root: bool = False
    ) -> str:
        """The compound as predicates, fast ones first; `tag` is already checked by the node test."""
        tag = tag or syntax.tag_of(compound)
        conditions = [self._condition(test, tag, is_root) for test in compound]
        return "".join(f"[{text}]" for text in sorted(conditions, key=_is_call))

    def _condition(self, test: syntax.Test, tag: syntax.Tag | None, is_root: bool) -> str:
        """One test as a condition on the context element.

        Args:
            test: the test.
            tag: the tag of the same compound, which `:nth-of-type` needs.
            is_root: the element is the block itself.
        """
        match test:
            case syntax.Tag(name):
                return xpath_conditions.tag_condition(name)
            case syntax.TagSuffix(name):
                return xpath_conditions.suffix_condition("name()", f":{name}")
            case syntax.Id(value):
                return f"@id={xpath_literal(value)}"
            case syntax.ClassName(name):
                plain = xpath_conditions.is_plain(name)
                return xpath_conditions.class_condition(name) if plain else self._call(class_filter(name))
            case syntax.AttributeTest():
                condition = xpath_conditions.attribute_condition(test)
                return condition or self._call(attribute_filter(test, self._regex_timeout_ms))
            case syntax.Nth():
                return self._nth(test, tag)
            case syntax.SiblingIndex(operator, index):
                if is_root and operator == "<":
                    return "false()"
                if self._by_sets:
                    return self._call(place_filter(test))
                return f"count(preceding-sibling::*){operator}{index}"
            case syntax.StateTest(name):
                return self._state(name, is_root)
            case syntax.TextTest():
                return self._call(text_filter(test, self._regex_timeout_ms))
            case syntax.NestedTest():
                return self._nested_condition(test, is_root)

    def _state(self, name: str, is_root: bool) -> str:
        if name == "empty":
            return "not(*|text())"
        if name == "matchText":
            return f"@{NAMESPACE}:text"
        if self._scope is Within.PAGE:
            return "not(parent::*)"
        return "true()" if is_root else "false()"

    def _nth(self, test: syntax.Nth, tag: syntax.Tag | None) -> str:
        name = "*"
        if test.of_type:
            if tag is None or not xpath_conditions.is_name(tag.name):
                return self._call(place_filter(test))
            name = tag.name
        axis = "following" if test.from_end else "preceding"
        if (test.a, test.b) == (0, 1):
            return f"parent::* and not({axis}-sibling::{name}[1])"
        if self._by_sets:
            return self._call(place_filter(test))
        position = f"(count({axis}-sibling::{name})+1)"
        return f"parent::* and {xpath_conditions.nth_condition(position, test.a, test.b)}"

    def _nested_condition(self, test: syntax.NestedTest, is_root: bool) -> str:
        if test.kind == "has":
            if syntax.needs_root(test.selectors):
                select = self._nested.select(test.selectors, Within.BELOW)
                return self._call(lambda element, _known: bool(select(element)))
            if self._by_sets and not syntax.lists_see_root(test.selectors):
                return self._membership(self._nested.holders(test.selectors))
            writer = XPathWriter(Within.BELOW, self._nested, self._regex_timeout_ms, by_sets=self._by_sets)
            writer.extensions = self.extensions
            return f"boolean({writer.write(test.selectors)})"
        parts = []
        for chain in test.selectors:
            if syntax.is_chained(chain):
                parts.append(self._membership(self._nested.select((chain,), self._scope)))
            else:
                parts.append(self._conjunction(chain.compounds[0], is_root))
        return f"{'not' if test.kind == 'not' else ''}({' or '.join(parts)})"

    def _conjunction(self, compound: syntax.Compound, is_root: bool) -> str:
        conditions = sorted(
            (self._condition(test, syntax.tag_of(compound), is_root) for test in compound), key=_is_call
        )
        return " and ".join(f"({condition})" for condition in conditions) or "true()"

    def _membership(self, select: Select) -> str:
        """The condition that the element is one of those that `select` finds from the same root."""
        name = f"f{len(self.extensions)}"

        def is_member(context: Any, elements: list[Any], roots: list[Any]) -> bool:
            found = context.eval_context.get((name, roots[0]))
            if found is None:
                found = context.eval_context[(name, roots[0])] = set(select(roots[0]))
            return elements[0] in found

        self.extensions[(NAMESPACE, name)] = is_member
        return f"{NAMESPACE}:{name}(.,$root)"

    def _call(self, passes: Filter) -> str:
        name = f"f{len(self.extensions)}"

        def is_passed(context: Any, elements: list[Any]) -> bool:
            known = context.eval_context.get(name)
            if known is None:
                known = context.eval_context[name] = {}
            return passes(elements[0], known)

        self.extensions[(NAMESPACE, name)] = is_passed
        return f"{NAMESPACE}:{name}(.)"


def _without(compound: syntax.Compound, test: syntax.Test) -> syntax.Compound:
    return tuple(other for other in compound if other is not test)


def _is_call(condition: str) -> bool:
    return f"{NAMESPACE}:" in condition
