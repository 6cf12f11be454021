"""Filters of single elements, for what XPath cannot express."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css.filters import (
    attribute_filter,
    class_filter,
    is_nth,
    place_filter,
    searcher,
    text_filter,
)
from scoopi.parse.css.syntax import AttributeTest, Nth, SiblingIndex, TextTest
from scoopi.parse.element import Element

ROOT = etree.fromstring(
    "<div title=' Foo Bar ' data-x='1' class='One ÄB'>Own <p>in \n the</p><p>Deep</p>"
    "<b>bold</b><p>last</p><script>var data = 1;</script></div>"
)
FIRST, SECOND, BOLD, LAST, SCRIPT = ROOT
LIMIT_MS = 1000


@pytest.mark.parametrize(
    ("kind", "text", "passes"),
    [
        ("contains", "in the deep", True),
        ("contains", "in thedeep", False),
        ("contains", "bold", True),
        ("contains", "data", False),
        ("containsOwn", "own", True),
        ("containsOwn", "bold", False),
        ("containsData", "data", True),
        ("containsWholeText", "in \n the", True),
        ("containsWholeOwnText", "own", False),
        ("containsWholeOwnText", "Own ", True),
        ("matches", "^Own in the", True),
        ("matchesOwn", "^Own$", True),
        ("matchesOwn", "bold", False),
    ],
)
def test_texts_are_looked_for_in_their_form(kind: str, text: str, passes: bool) -> None:
    assert text_filter(TextTest(kind, text), LIMIT_MS)(ROOT, {}) is passes


def test_what_an_element_lacks_is_not_looked_for_in_its_children() -> None:
    known: dict[object, object] = {}
    passes = text_filter(TextTest("contains", "absent"), LIMIT_MS)
    assert not passes(ROOT, known)
    assert ROOT in known
    assert not passes(FIRST, known)


@pytest.mark.parametrize(
    ("name", "operator", "value", "passes"),
    [
        ("title", "", "", True),
        ("lang", "", "", False),
        ("data-", "^", "", True),
        ("lang-", "^", "", False),
        ("title", "=", "foo bar", True),
        ("title", "=", "foo", False),
        ("title", "!=", "foo", True),
        ("title", "!=", " foo bar ", False),
        ("lang", "!=", "de", True),
        ("title", "^=", " foo", True),
        ("title", "^=", "foo", False),
        ("title", "$=", "bar ", True),
        ("title", "*=", "o b", True),
        ("title", "*=", "ob", False),
        ("title", "~=", "o+ B", True),
        ("title", "~=", "^F", False),
    ],
)
def test_attributes_are_compared_without_case(name: str, operator: str, value: str, passes: bool) -> None:
    assert attribute_filter(AttributeTest(name, operator, value), LIMIT_MS)(ROOT, {}) is passes


def test_a_class_is_one_word_in_any_case() -> None:
    assert class_filter("äb")(ROOT, {})
    assert not class_filter("ä")(ROOT, {})
    assert not class_filter("one")(FIRST, {})


@pytest.mark.parametrize(
    ("test", "found"),
    [
        (Nth(0, 1), [FIRST]),
        (Nth(2, 1), [FIRST, BOLD, SCRIPT]),
        (Nth(0, 2, from_end=True), [LAST]),
        (Nth(0, 3, of_type=True), [LAST]),
        (Nth(0, 2, from_end=True, of_type=True), [SECOND]),
        (SiblingIndex("=", 1), [SECOND]),
        (SiblingIndex("<", 1), [FIRST]),
        (SiblingIndex(">", 2), [LAST, SCRIPT]),
    ],
)
def test_places_are_counted_among_siblings(test: Nth | SiblingIndex, found: list[Element]) -> None:
    passes, known = place_filter(test), dict[object, object]()
    assert [element for element in ROOT if passes(element, known)] == found


def test_the_root_has_an_index_but_no_place() -> None:
    assert place_filter(SiblingIndex("=", 0))(ROOT, {})
    assert not place_filter(Nth(0, 1))(ROOT, {})


@pytest.mark.parametrize(
    ("position", "a", "b", "fits"),
    [
        (3, 0, 3, True),
        (3, 0, 2, False),
        (3, 2, 1, True),
        (2, 2, 1, False),
        (1, 2, 3, False),
        (1, -2, 5, True),
        (7, -2, 5, False),
    ],
)
def test_a_place_is_a_step_times_n_and_a_start(position: int, a: int, b: int, fits: bool) -> None:
    assert is_nth(position, a, b) is fits


def test_a_pattern_that_is_wrong_is_refused() -> None:
    with pytest.raises(ParseError, match="a group is not closed"):
        searcher("(", LIMIT_MS)
