"""Compiled selectors find on random pages what a plain reading of the parsed selector finds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.compiled_selector import LARGE, CompiledSelector
from scoopi.parse.css.element_text import full_text, own_text
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element

Page = tuple[Any, ...]
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# --- a matcher as slow and plain as the language's description


def matches(element: Element, root: Element, chain: syntax.SelectorChain) -> bool:
    links = list(zip(chain.combinators, chain.compounds, strict=False)) if chain.scoped else None
    compounds = chain.compounds if links is None else (None, *chain.compounds)
    return matches_from(element, root, list(compounds), list(chain.combinators))


def matches_from(element: Element, root: Element, compounds: list[Any], combinators: list[str]) -> bool:
    if compounds[-1] is None:
        return element is root
    if not all(meets(element, root, test) for test in compounds[-1]):
        return False
    if len(compounds) == 1:
        return True
    return any(
        matches_from(other, root, compounds[:-1], combinators[:-1])
        for other in reached(element, root, combinators[-1])
    )


def reached(element: Element, root: Element, combinator: str) -> Iterator[Element]:
    if element is root:
        return
    siblings = list(element.itersiblings("*", preceding=True))
    if combinator == ">":
        yield from itertools.islice(element.iterancestors(), 1)
    elif combinator == "+":
        yield from siblings[:1]
    elif combinator == "~":
        yield from siblings
    else:
        for parent in element.iterancestors():
            yield parent
            if parent is root:
                return


def meets(element: Element, root: Element, test: syntax.Test) -> bool:
    attributes = {str(key): str(value) for key, value in element.attrib.items()}
    match test:
        case syntax.Tag(name):
            return element.tag == name
        case syntax.Id(value):
            return attributes.get("id") == value
        case syntax.ClassName(name):
            return name in attributes.get("class", "").lower().split()
        case syntax.AttributeTest(name, operator, value):
            return meets_attribute(attributes, name, operator, value)
        case syntax.Nth():
            return element.getparent() is not None and meets_nth(element, test)
        case syntax.SiblingIndex(operator, index):
            at = len(list(element.itersiblings("*", preceding=True)))
            return {"=": at == index, "<": at < index and element is not root, ">": at > index}[operator]
        case syntax.StateTest("empty"):
            return not element.text and not any(child.tail or isinstance(child.tag, str) for child in element)
        case syntax.StateTest("root"):
            return element is root
        case syntax.TextTest("contains", text):
            return text in full_text(element).lower()
        case syntax.TextTest("containsOwn", text):
            return text in own_text(element).lower()
        case syntax.NestedTest("is", selectors):
            return any(matches(element, root, chain) for chain in selectors)
        case syntax.NestedTest("not", selectors):
            return not any(matches(element, root, chain) for chain in selectors)
        case syntax.NestedTest("has", selectors):
            below = [inner for inner in element.iter("*") if inner is not element]
            return any(matches(inner, element, chain) for inner in below for chain in selectors)
    raise AssertionError(test)


def meets_attribute(attributes: dict[str, str], name: str, operator: str, value: str) -> bool:
    found = attributes.get(name)
    if operator == "!=":
        return (found or "").lower() != value
    if found is None:
        return False
    lower = found.lower()
    return {
        "": True,
        "=": lower.strip() == value,
        "^=": lower.startswith(value),
        "$=": lower.endswith(value),
        "*=": value in lower,
    }[operator]


def meets_nth(element: Element, test: syntax.Nth) -> bool:
    parent = element.getparent()
    assert parent is not None
    siblings = list(parent.iterchildren("*"))
    if test.of_type:
        siblings = [s for s in siblings if s.tag == element.tag]
    if test.from_end:
        siblings.reverse()
    position = siblings.index(element) + 1
    return any(test.a * n + test.b == position for n in range(len(siblings) + abs(test.b) + 1))


# --- random pages and selectors

TAGS = ("div", "p", "td", "b", "a")
WORDS = ("", "x", "Foo", "foo bar", " foo  bar ", "\u00a0", "bar\n")
ATTRIBUTES = [
    {key: value for key, value in (("class", classes), ("id", name), ("title", title)) if value is not None}
    for classes in (None, "k", "K m", " m  k ", "km")
    for name in (None, "i", "I")
    for title in (None, *WORDS)
]
# One draw for each element: drawing is what takes the time of these tests.
elements = st.sampled_from(list(itertools.product(TAGS, ATTRIBUTES, WORDS, WORDS)))


def grown(children: st.SearchStrategy[list[Page]]) -> st.SearchStrategy[Page]:
    return st.builds(lambda element, below: (*element[:3], below, element[3]), elements, children)


pages = grown(
    st.lists(st.recursive(grown(st.just([])), lambda one: grown(st.lists(one, max_size=4))), max_size=4)
)


def built(page: Page, parent: Element | None = None) -> Element:
    tag, given_attributes, text, children, tail = page
    element = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    element.attrib.update(given_attributes)
    element.text = text or None
    if parent is not None:
        element.tail = tail or None
    if text == "x":
        element.append(etree.Comment("nothing"))
    for child in children:
        built(child, element)
    return element


def calls(names: Sequence[str], arguments: Sequence[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([f":{name}({argument})" for name in names for argument in arguments])


simple = st.one_of(
    st.sampled_from(
        (".k", ".M", "#i", "[title]", "[title=foo bar]", "[title^=foo]", "[title$=r]", "[title!=x]")
    ),
    st.sampled_from((":first-child", ":last-child", ":only-child", ":empty", ":root", ":only-of-type")),
    calls(
        ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"),
        ("1", "2", "3", "odd", "even", "2n+1", "n+2", "-2n+3", "0"),
    ),
    calls(("eq", "lt", "gt"), "0123"),
    calls(("contains", "containsOwn"), ("foo", "o b", "x")),
)
compounds = st.builds(
    lambda tag, tests: tag + "".join(tests) or "*",
    st.sampled_from(("", "*", *TAGS)),
    st.lists(simple, max_size=2),
)
combinators = st.sampled_from((" ", " > ", " + ", " ~ ", ">"))


def chained(one: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    rest = st.lists(st.builds(str.__add__, combinators, one), max_size=2).map("".join)
    chain = st.builds(str.__add__, one, rest)
    return st.one_of(chain, chain.map("> ".__add__), st.builds("{}, {}".format, chain, chain))


nested = st.builds(":{}({})".format, st.sampled_from(("not", "has", "is")), chained(compounds))
selectors = chained(st.one_of(compounds, st.builds(str.__add__, compounds, nested)))


@pytest.mark.parametrize("large", [0, LARGE])
@QUICK
@given(page=pages, selector=selectors, at=st.integers(0, 5))
def test_a_selector_finds_in_a_block_what_its_plain_reading_finds(
    large: int, page: Page, selector: str, at: int
) -> None:
    elements = list(built(page).iter("*"))
    block = elements[at % len(elements)]
    chains = parse_selector(selector)
    expected = [e for e in block.iter("*") if any(matches(e, block, chain) for chain in chains)]
    assert CompiledSelector(chains, Within.BLOCK, 1000, large=large).select(block) == expected


@pytest.mark.parametrize("large", [0, LARGE])
@settings(QUICK, max_examples=50)
@given(page=pages, selector=selectors.filter(lambda text: not re.search(r":root|:lt|:has|:not|>", text)))
def test_a_page_is_searched_like_a_block_that_is_the_whole_page(
    large: int, page: Page, selector: str
) -> None:
    root = built(page)
    chains = parse_selector(selector)
    expected = CompiledSelector(chains, Within.BLOCK, 1000).select(root)
    assert CompiledSelector(chains, Within.PAGE, 1000, large=large).select(root) == expected


@QUICK
@given(text=st.text(alphabet="tr>+~,.#*[]()=:^n1'\" \\%{}-", max_size=12))
def test_any_text_is_a_selector_or_a_parse_error_with_a_place(text: str) -> None:
    fault = fault_of(text)
    assert fault is None or ("at character" in fault.what and fault.hint)


def fault_of(text: str) -> ParseError | None:
    try:
        CompiledSelector(parse_selector(text), Within.BLOCK, 1000).select(etree.Element("tr"))
    except ParseError as error:
        return error
    return None
