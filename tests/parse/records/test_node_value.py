"""node_value: the text or markup of an element as a field asks for it."""

from __future__ import annotations

import pytest
from lxml import html

from scoopi.parse.element import Element
from scoopi.parse.records.node_value import value_of


def element(markup: str) -> Element:
    made: Element = html.fragment_fromstring(markup)
    return made


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>plain</p>", "plain"),
        ("<p> a \n\t b\u00a0c </p>", "a b c"),
        ("<p>one<br>two</p>", "one two"),
        ("<div>one<p>two</p>three</div>", "one two three"),
        ("<p>a<b>b</b>c</p>", "abc"),
        ("<p>a<!-- no -->b</p>", "ab"),
        ("<p><!-- no -->b</p>", "b"),
        ("<p>a <script>x()</script>b</p>", "a b"),
        ("<script>x()</script>", ""),
        ("<p></p>", ""),
    ],
)
def test_visible_text_is_what_a_reader_sees(markup: str, text: str) -> None:
    assert value_of("visible", "")(element(markup)) == text


def test_own_text_leaves_out_elements_inside() -> None:
    assert value_of("own", "")(element("<p> a <b>b</b> c</p>")) == "a c"


def test_raw_text_keeps_white_space_and_scripts() -> None:
    assert value_of("raw", "")(element("<p> a\n<b>b</b><script>x()</script></p>")) == " a\nbx()"


@pytest.mark.parametrize(
    ("markup", "inner"),
    [
        ("<p>a<b>b</b>c</p>", "a<b>b</b>c"),
        ("<p></p>", ""),
        ("<p> </p>", " "),
        ("<p title='a>b'>c</p>", "c"),
        ("<br>", ""),
        ("<div><img src='x'></div>", '<img src="x">'),
    ],
)
def test_inner_markup_is_that_between_the_tags(markup: str, inner: str) -> None:
    assert value_of("visible", "inner")(element(markup)) == inner


def test_outer_markup_is_the_element_without_what_follows_it() -> None:
    (inside,) = element("<div><i>a</i> tail</div>")
    assert value_of("visible", "outer")(inside) == "<i>a</i>"


@pytest.mark.parametrize(("text", "shown"), [("visible", "a b"), ("own", "a b"), ("raw", " a  b ")])
def test_the_value_of_an_attribute_is_a_text_itself(text: str, shown: str) -> None:
    assert value_of(text, "")(" a  b ") == shown
    assert value_of(text, "inner")(" a  b ") == value_of(text, "outer")(" a  b ") == " a  b "
