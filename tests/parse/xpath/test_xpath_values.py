"""xpath_text: a value of a page is a literal, whatever it holds; text_of: results as XPath's string()."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.text.page_text import marked
from scoopi.parse.xpath.xpath_values import text_of, text_of_number, xpath_text

ROOT = etree.fromstring("<a><b id='x'>one</b><b>two<!-- no --><i>!</i></b></a>")


@pytest.mark.parametrize("text", ["plain", "it's", 'say "x"', """it's "x" """, "']|//*['", ""])
def test_a_literal_is_the_text(text: str) -> None:
    assert ROOT.xpath(xpath_text(f"concat('<{marked(text)}>', \"\")")) == f"<{text}>"


def test_a_value_is_a_name_a_position_or_a_text_by_where_it_stands() -> None:
    assert xpath_text(f"//{marked('b')}[@{marked('id')}]") == "//b[@id]"
    assert xpath_text(f"//b[{marked('2')}]") == "//b[number('2')]"
    assert xpath_text(f"//b[. = {marked('one')}]") == "//b[. = 'one']"
    assert xpath_text("//b") == "//b"


def test_a_value_that_is_no_name_cannot_stand_for_one() -> None:
    with pytest.raises(ParseError, match="needs a name where a value of the page stands"):
        xpath_text(f"//{marked('b]|//*[')}")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (1.5, "1.5"),
        (1e-7, "0.0000001"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_number_has_no_exponent(number: float, text: str) -> None:
    assert text_of_number(number) == text


def test_the_last_node_is_the_result() -> None:
    assert text_of(ROOT.xpath("//b")) == "two!"
    assert text_of(ROOT.xpath("//@id")) == "x"
    assert (text_of([]), text_of(True), text_of("s"), text_of(2.0)) == (None, "true", "s", "2")
