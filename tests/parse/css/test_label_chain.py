"""Elements that are found by their text, among all texts of a page at once, are those of ordinary queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoopi.errors import ParseError
from scoopi.java.regex.java_regex import compile_java
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.css.label_chain import LabelChain, literal_of
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.element import Element
from scoopi.parse.query_ports import PageMemory

texts = st.sampled_from(
    ("", "Price", "price net", "Price (net)", "\u00a0Price", "net", " Pri\nce", "<!-- -->Price", "x")
)
leaves = st.builds(
    "<{0} class='{1}'>{2}</{0}>".format,
    st.sampled_from(("dt", "dd", "b", "pre", "br")),
    st.sampled_from("kK"),
    texts,
)
nodes = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda tag, text, below, tail: f"<{tag}>{text}{''.join(below)}</{tag}>{tail}",
        st.sampled_from(("dt", "div", "dd")),
        texts,
        st.lists(inner, max_size=4),
        texts,
    ),
    max_leaves=12,
)
pages = st.lists(nodes, min_size=1, max_size=4).map(
    lambda parts: etree.fromstring(f"<html><body>{''.join(parts)}</body></html>")
)
tests = st.builds(
    ":{}({})".format,
    st.sampled_from(("matchesOwn", "containsOwn", "matches", "contains")),
    st.sampled_from(
        (
            "Price",
            "^Price",
            "^Price$",
            r"Price \(net\)",
            "net",
            "^Prices?",
            "price|net",
            "(?i)PRICE",
            "^$",
            "[Pp]rice",
        )
    ),
)
selectors = st.builds(
    "{}{}{}".format,
    st.sampled_from(("dt", "*", "", "div", ".k", "dd.k")),
    tests,
    st.sampled_from(
        (
            "",
            " + dd",
            " ~ dd",
            " > b",
            " b",
            " + dd > b",
            " + *",
            " ~ dt + dd",
            " + dd ~ dt",
            " ~ dd ~ dd",
            " attribute: class",
        )
    ),
)


@given(
    page=pages,
    several=st.lists(selectors, min_size=1, max_size=4),
    block=st.sampled_from(("body", "div", "dt")),
)
def test_values_by_labels_are_those_of_ordinary_queries(
    page: Element, several: list[str], block: str
) -> None:
    engine = CssEngine()
    memory: PageMemory = {}
    for one in engine.compile_block(block)(page):
        for selector in several:
            query = engine.compile_value(selector)
            assert query([one], memory) == query([one]), (selector, etree.tostring(page))


@pytest.mark.parametrize(
    "selector",
    [
        "dt + dd",
        "p > dt:matchesOwn(^a) + dd",
        "dt:matchesOwn(a):matchesOwn(b)",
        "dt:matches(a), dd",
        "dt:containsData(x)",
    ],
)
def test_other_selectors_are_left_to_ordinary_queries(selector: str) -> None:
    assert not LabelChain.fits(parse_selector(selector))


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("^Price$", "Price"),
        ("Price", "Price"),
        (r"^Price \(net\):?", "Price (net)"),
        ("^Prices*", "Price"),
        ("Prices{2}", "Price"),
        ("^P.*e", "P"),
        (r"\d+ pages", ""),
        ("Price|Cost", ""),
        ("(?i)price", ""),
        ("^", ""),
        ("a?", ""),
    ],
)
def test_every_match_of_a_pattern_holds_its_literal(pattern: str, literal: str) -> None:
    assert literal_of(pattern) == literal


@given(
    pattern=st.text("ab^$.?*+()[]|\\ ", min_size=1, max_size=8),
    text=st.text("ab() ^.", max_size=8),
)
def test_a_text_without_the_literal_never_matches(pattern: str, text: str) -> None:
    try:
        compiled = compile_java(pattern, timeout_ms=1000)
    except ParseError:
        return
    if compiled.search(text):
        assert literal_of(pattern) in text
