"""Functions of one path are taken apart, and give what libxml2 gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.xpath.string_call import StringCall
from scoopi.parse.xpath.xpath_tokens import translate

CALLS = (
    "string(b)",
    "normalize-space(b)",
    "lower-case(b)",
    "substring-after(b, 'a')",
    "substring-before(b, ' a')",
    "translate(b, 'aba ', 'xy')",
    "translate(b, 'ab', '')",
    "concat('<', b, '|', '>')",
    "normalize-space(substring-after(concat(' a ', string(b)), 'b'))",
)


@pytest.mark.parametrize("written", CALLS)
@settings(max_examples=60, deadline=None)
@given(text=st.text("abA \t\u00a0é\U0001f600", max_size=8))
def test_a_text_is_changed_as_libxml2_changes_it(written: str, text: str) -> None:
    element = etree.Element("a")
    etree.SubElement(element, "b").text = text
    call = StringCall.of(written)
    assert call is not None
    assert call.path == "b"
    extensions = {(None, "lower-case"): lambda _context, given: given.lower()}
    wanted = etree.XPath(translate(written, from_document=False), extensions=extensions)(element)
    assert call.change(text) == call.remembered(text) == wanted


def test_no_node_gives_what_an_empty_text_gives() -> None:
    call = StringCall.of("concat('y', td[1])")
    assert call is not None
    assert call.remembered(None) == "y"


def test_a_path_with_predicates_and_functions_inside_is_left_as_it_is() -> None:
    call = StringCall.of("normalize-space( tr[contains(., ',)')]/td[position() = 2] )")
    assert call is not None
    assert call.path == "tr[contains(., ',)')]/td[position() = 2]"


@pytest.mark.parametrize(
    "expression",
    [
        "td[1]",
        "count(td)",
        "string()",
        "concat('a', 'b')",
        "concat(td[1], td[2])",
        "normalize-space(td[1]) = 'a'",
        "string(td | th)",
        "string(td + 1)",
        "substring(td, 2)",
        "substring-after(td, '')",
        "substring-after('a', td)",
        "translate(td, th, 'a')",
        "string(td",
        "",
    ],
)
def test_other_expressions_are_left_to_libxml2(expression: str) -> None:
    assert StringCall.of(expression) is None
