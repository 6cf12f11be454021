"""Conditions of XPath hold for the elements for which their tests hold."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from scoopi.parse.css import xpath_conditions
from scoopi.parse.css.syntax import AttributeTest, ClassName, Id, Nth, SiblingIndex, Tag, Test

ROOT = etree.fromstring(
    "<r><p id='p1' class='New  Card' title='  Foo bar '/><p id='p2' title='foo  bar'/>"
    "<p id='p3'/><p id='p4' class='newer'/></r>"
)


def ids(path: str) -> str:
    found: Any = ROOT.xpath(path)
    return " ".join(str(element.get("id")) for element in found)


@pytest.mark.parametrize(
    ("text", "is_name", "is_plain"),
    [
        ("td", True, True),
        ("x-y_1", True, True),
        ("1a", False, True),
        ("A", False, True),
        ("ä", False, False),
        ("", False, True),
    ],
)
def test_what_xpath_can_be_given(text: str, is_name: bool, is_plain: bool) -> None:
    assert xpath_conditions.is_name(text) is is_name
    assert xpath_conditions.is_plain(text) is is_plain


def test_a_class_is_a_whole_word_in_any_case() -> None:
    assert ids(f"p[{xpath_conditions.class_condition('new')}]") == "p1"


@pytest.mark.parametrize(
    ("operator", "value", "found"),
    [
        ("", "", "p1 p2"),
        ("=", "foo bar", "p1"),
        ("!=", "foo  bar", "p1 p3 p4"),
        ("^=", "foo", "p2"),
        ("$=", "bar", "p2"),
        ("*=", "oo", "p1 p2"),
    ],
)
def test_an_attribute_is_compared_in_lower_case(operator: str, value: str, found: str) -> None:
    condition = xpath_conditions.attribute_condition(AttributeTest("title", operator, value))
    assert ids(f"p[{condition}]") == found


@pytest.mark.parametrize(
    "test",
    [
        AttributeTest("data-", "^"),
        AttributeTest("x:y"),
        AttributeTest("t", "~=", "a"),
        AttributeTest("t", "=", "ä"),
    ],
)
def test_what_xpath_cannot_express_has_no_condition(test: AttributeTest) -> None:
    assert xpath_conditions.attribute_condition(test) is None
    assert xpath_conditions.attribute_path(test) is None


@pytest.mark.parametrize(
    ("test", "found"),
    [
        (Id("p2"), "p2"),
        (ClassName("card"), "p1"),
        (AttributeTest("title"), "p1 p2"),
        (AttributeTest("title", "*=", "  bar"), "p2"),
    ],
)
def test_the_way_to_an_attribute_finds_its_elements(test: Test, found: str) -> None:
    assert ids(f"p/{xpath_conditions.attribute_path(test)}/parent::*") == found


def test_a_tag_needs_no_attribute() -> None:
    assert xpath_conditions.attribute_path(Tag("p")) is None
    assert xpath_conditions.attribute_path(AttributeTest("title", "!=", "x")) is None


@pytest.mark.parametrize(
    ("test", "found"),
    [
        (Nth(0, 2), "p2"),
        (Nth(2, 1), "p1 p3"),
        (Nth(-1, 2), "p1 p2"),
        (Nth(2, 3), "p3"),
        (Nth(0, 1, from_end=True), "p4"),
        (Nth(2, 0, from_end=True), "p1 p3"),
        (SiblingIndex("=", 0), "p1"),
        (SiblingIndex(">", 1), "p3 p4"),
        (SiblingIndex("<", 1), "p1"),
    ],
)
def test_places_are_predicates_behind_an_axis(test: Nth | SiblingIndex, found: str) -> None:
    assert ids(f"*[{xpath_conditions.position_condition(test)}]") == found


def test_a_suffix_is_the_end_of_a_text() -> None:
    assert ids(f"p[{xpath_conditions.suffix_condition('@id', '3')}]") == "p3"
