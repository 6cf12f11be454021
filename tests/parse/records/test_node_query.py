"""A selector of a field, CSS or XPath, gives nodes of the record's element or of the page."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.records.node_query import SelectorText, compile_elements, compile_nodes

PAGE = etree.fromstring(
    "<html><body><p id='out'>away</p><div id='r'><a href='/x' TITLE='T'>one</a>"
    "<p id='in'>two</p><span/></div></body></html>"
)
RECORD = PAGE[0][1]
LIMIT_MS = 1000


def texts_of(selector: str, *, of_page: bool = False) -> list[str]:
    """Texts as they are, elements by their tags."""
    found = compile_nodes(selector, LIMIT_MS, of_page=of_page)(PAGE if of_page else RECORD)
    return [node if isinstance(node, str) else str(node.tag) for node in found]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("h3 > a @Title", ("h3 > a", "title", False)),
        ("@abs:href", ("", "abs:href", False)),
        (" .//a/@href ", (".//a/@href", "", True)),
        ("(//a)[1]", ("(//a)[1]", "", True)),
        ("../p", ("../p", "", True)),
        ("a", ("a", "", False)),
    ],
)
def test_a_selector_has_a_path_and_perhaps_an_attribute(text: str, parts: tuple[str, str, bool]) -> None:
    assert SelectorText.of(text) == SelectorText(*parts)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("a", ["a"]),
        ("p", ["p"]),
        ("a @href", ["/x"]),
        ("p @href", []),
        ("@id", ["r"]),
        ("//p", ["p"]),
        (".//a/@href", ["/x"]),
        ("//a/text()", ["one"]),
        ("count(//p)", ["1"]),
        ("string(//p)", ["two"]),
        ("boolean(//p)", ["true"]),
        ("(//a | //p)[2]", ["p"]),
        ("//*[//span]/@id", ["in"]),
    ],
)
def test_inside_of_a_record_its_element_is_the_root(selector: str, found: list[str]) -> None:
    if selector in ("count(//p)", "string(//p)", "boolean(//p)"):
        selector = f"({selector})"
    assert texts_of(selector) == found


def test_in_a_page_all_of_it_is_searched() -> None:
    assert texts_of("p", of_page=True) == ["p", "p"]
    assert texts_of("//p/@id", of_page=True) == ["out", "in"]


@pytest.mark.parametrize(
    ("selector", "fault"),
    [("", "the selector is empty"), ("//a[", "is wrong"), ("a >", "a selector is missing")],
)
def test_a_wrong_selector_is_refused_with_a_hint(selector: str, fault: str) -> None:
    with pytest.raises(ParseError, match=fault) as refused:
        compile_nodes(selector, LIMIT_MS)
    assert refused.value.hint


def test_each_finds_elements_only() -> None:
    assert [element.get("id") for element in compile_elements("p", LIMIT_MS)(PAGE)] == ["out", "in"]
    with pytest.raises(ParseError, match="not attributes"):
        compile_elements("a @href", LIMIT_MS)
    with pytest.raises(ParseError, match="finds texts, not elements"):
        compile_elements("//a/@href", LIMIT_MS)(PAGE)
