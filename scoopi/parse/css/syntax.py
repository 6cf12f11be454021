"""The syntax tree of a selector: alternatives are chains of compounds, a compound is a tuple of tests."""

from __future__ import annotations

import msgspec


class Tag(msgspec.Struct, frozen=True):
    """`name`: the element's name, in lower case."""

    name: str


class TagSuffix(msgspec.Struct, frozen=True):
    """`*|name`: the element's full name ends in `:name`."""

    name: str


class Id(msgspec.Struct, frozen=True):
    """`#id`, case-sensitive."""

    value: str


class ClassName(msgspec.Struct, frozen=True):
    """`.c`, in lower case; case-insensitive."""

    name: str


class AttributeTest(msgspec.Struct, frozen=True):
    """`[name operator value]`.

    Attributes:
        name: in lower case; may begin with `abs:`.
        operator: empty for presence, `^` for a prefix of the name, else one of `= != ^= $= *= ~=`.
        value: in lower case; for `~=` the pattern as written.
    """

    name: str
    operator: str = ""
    value: str = ""


class Nth(msgspec.Struct, frozen=True):
    """`:nth-…`: the 1-based position among the siblings is a·n + b for some n >= 0.

    Attributes:
        from_end: positions are counted from the last sibling.
        of_type: only siblings of the same name are counted.
    """

    a: int
    b: int
    from_end: bool = False
    of_type: bool = False


class SiblingIndex(msgspec.Struct, frozen=True):
    """`:eq`, `:lt` or `:gt`: compares the 0-based position among the siblings with the index.

    Attributes:
        operator: `=`, `<` or `>`.
    """

    operator: str
    index: int


class StateTest(msgspec.Struct, frozen=True):
    """`:empty`, `:root` or `:matchText`; `name` is without the colon."""

    name: str


class TextTest(msgspec.Struct, frozen=True):
    """`:contains(text)`, `:matches(text)` or a variant of these.

    Attributes:
        kind: name of the pseudo-class, such as `containsOwn`; one with `Whole` tests the text with its white
            space.
        text: for `matches…` a Java pattern; for `contains…` the text, in lower case unless `Whole`.
    """

    kind: str
    text: str


class NestedTest(msgspec.Struct, frozen=True):
    """`:has`, `:not` or `:is` with its selectors; `kind` is without the colon."""

    kind: str
    selectors: tuple[SelectorChain, ...]


Test = (
    Tag | TagSuffix | Id | ClassName | AttributeTest | Nth | SiblingIndex | StateTest | TextTest | NestedTest
)
Compound = tuple[Test, ...]
"""Tests that an element must all pass; empty for `*`."""


class SelectorChain(msgspec.Struct, frozen=True):
    """Compounds with a combinator (blank, `>`, `+` or `~`) between each two.

    A `scoped` chain starts with a combinator, whose left side is the block itself. A scoped chain without
    compounds is the block itself, as in `, p`.
    """

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...] = ()
    scoped: bool = False


Selectors = tuple[SelectorChain, ...]
"""The alternatives between commas."""


def tag_of(compound: Compound) -> Tag | None:
    """The compound's tag; None if it has none, and so matches elements of any name."""
    return next((test for test in compound if isinstance(test, Tag)), None)


def needs_root(selectors: Selectors) -> bool:
    """Whether the selectors contain a `:not(a b)` or `:is(a b)`.

    It depends on elements around the tested one, and only those inside the block count.
    """
    return any(
        isinstance(test, NestedTest)
        and (
            (test.kind != "has" and any(is_chained(c) for c in test.selectors)) or needs_root(test.selectors)
        )
        for chain in selectors
        for compound in chain.compounds
        for test in compound
    )


def is_chained(chain: SelectorChain) -> bool:
    """Whether the chain has more than one compound, or starts with a combinator."""
    return chain.scoped or len(chain.compounds) > 1


def sees_root(compound: Compound) -> bool:
    """Whether the compound treats the block itself differently from elements inside it."""
    return any(
        (isinstance(test, StateTest) and test.name == "root")
        or (isinstance(test, SiblingIndex) and test.operator == "<")
        or (isinstance(test, NestedTest) and test.kind != "has" and lists_see_root(test.selectors))
        for test in compound
    )


def lists_see_root(selectors: Selectors) -> bool:
    """Whether `sees_root` is true for any compound of the selectors."""
    return any(sees_root(compound) for chain in selectors for compound in chain.compounds)


def matches_text(selectors: Selectors) -> bool:
    """Whether `:matchText` occurs in the selectors."""
    return any(
        test == StateTest("matchText") or (isinstance(test, NestedTest) and matches_text(test.selectors))
        for chain in selectors
        for compound in chain.compounds
        for test in compound
    )


def joins_siblings(selectors: Selectors) -> bool:
    """Whether a chain leads to siblings (`+`, `~`)."""
    return any(combinator in "+~" for chain in selectors for combinator in chain.combinators)


def may_be_slow(selectors: Selectors) -> bool:
    """Whether the selectors' XPath may take more than linear time."""
    return len(selectors) > 1 or any(
        joins_siblings((chain,))
        or " " in chain.combinators[chain.scoped :]
        or any(_is_slow(compound) for compound in chain.compounds)
        for chain in selectors
    )


def _is_slow(compound: Compound) -> bool:
    """Whether siblings may be counted, or descendants searched, again for each element."""
    places = [test for test in compound if isinstance(test, Nth | SiblingIndex)]
    return (
        len(places) > 1
        or any(isinstance(test, SiblingIndex) or test.of_type for test in places)
        or any(
            isinstance(test, NestedTest) and (test.kind == "has" or _is_slow_list(test)) for test in compound
        )
    )


def _is_slow_list(test: NestedTest) -> bool:
    tests = [each for chain in test.selectors for compound in chain.compounds for each in compound]
    return may_be_slow(test.selectors) or any(isinstance(each, Nth | SiblingIndex) for each in tests)
