"""The CSS engine finds blocks, and values inside them, as the language says."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.query_ports import QueryEngine

PAGE = etree.fromstring(
    "<html><body><div class='x'><p>one</p><p/><p>three</p></div>"
    "<div class='x'><p title='T'>four</p><a href=''>five</a><div class='x'><p>six</p></div></div>"
    "</body></html>"
)


def value(block: str, selector: str) -> str | None:
    engine: QueryEngine = CssEngine()
    return engine.compile_value(selector)(engine.compile_block(block)(PAGE))


@pytest.mark.parametrize(
    ("block", "selector", "expected"),
    [
        ("body", "p", "one three four six"),
        ("div.x", "p", "one three four six"),
        ("div.x", "div.x > div.x > p", "six"),
        ("body", "div.x:nth-child(1) > p:nth-child(2)", ""),
        ("body", "h1", None),
        ("h1", "p", None),
        ("body", "p attribute: title", "T"),
        ("body", "p:contains(four) attribute: TITLE", "T"),
        ("body", "a attribute: href", ""),
        ("body", "h1 attribute: href", None),
    ],
)
def test_a_value_is_the_joined_text_of_what_is_found_in_all_blocks(
    block: str, selector: str, expected: str | None
) -> None:
    assert value(block, selector) == expected


def test_blocks_come_in_document_order_nested_ones_included() -> None:
    blocks = CssEngine().compile_block("div.x")(PAGE)
    assert [len(block) for block in blocks] == [3, 3, 1]


def test_a_query_is_compiled_once() -> None:
    engine = CssEngine()
    assert engine.compile_value("p") is engine.compile_value("p")


def test_the_least_used_queries_are_forgotten() -> None:
    engine = CssEngine(cached_queries=2)
    first = engine.compile_value("p")
    for selector in ("a", "b", "i"):
        engine.compile_value(selector)
    assert engine.compile_value("p") is not first


def test_a_wrong_selector_fails_when_it_is_compiled() -> None:
    with pytest.raises(ParseError, match="did you mean ':nth-child'"):
        CssEngine().compile_value("td:nthchild(2)")
    with pytest.raises(ParseError, match="at character 3"):
        CssEngine().compile_block("td[")
