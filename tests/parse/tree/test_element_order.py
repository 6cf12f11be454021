"""Where elements lie: inside one another, and at which position among their siblings."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.parse.element import Element
from scoopi.parse.tree.element_order import are_nested, sibling_places


@pytest.fixture
def block() -> Element:
    return etree.fromstring(
        "<div><p id='a'><b id='b'/></p><!-- x --><i id='c'><b id='d'/></i><p id='e'/></div>"
    )


def elements_of(block: Element, ids: str) -> list[Element]:
    return [each for each in block.iter("*") if each.get("id", "-") in ids]


@pytest.mark.parametrize(
    ("ids", "nested"), [("", False), ("a", False), ("ace", False), ("bd", False), ("ab", True), ("acd", True)]
)
def test_elements_are_nested_if_one_holds_another(block: Element, ids: str, nested: bool) -> None:
    assert are_nested(elements_of(block, ids)) is nested


@pytest.mark.parametrize(
    ("of_type", "from_end", "places"),
    [(False, False, [1, 2, 3]), (False, True, [3, 2, 1]), (True, False, [1, 1, 2]), (True, True, [2, 1, 1])],
)
def test_positions_count_elements_only_from_either_end(
    block: Element, of_type: bool, from_end: bool, places: list[int]
) -> None:
    counted = sibling_places(block, of_type=of_type, from_end=from_end)
    assert [counted[each] for each in block.iterchildren("*")] == places
