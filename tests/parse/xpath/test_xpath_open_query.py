"""A path is cut at its open positions, and each part is compiled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree

from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_open_query import XPathOpenQuery, XPathStep, opened_steps, steps_of

TABLE = etree.fromstring("<t><tr><td>a</td><td>b<i>1</i><i>2</i></td></tr><tr><td>c</td></tr></t>")


def compiled(expression: str) -> Callable[[Element], Any]:
    return etree.XPath(expression)


def steps(expression: str) -> list[XPathStep]:
    found = steps_of(expression)
    assert found is not None
    return found


def test_a_step_has_its_node_test_predicates_and_position() -> None:
    assert steps("//t/tr[2]/td[@x='1'][3]/@href") == [
        XPathStep("//", "t"),
        XPathStep("/", "tr", ("[2]",), 2),
        XPathStep("/", "td", ("[@x='1']", "[3]")),
        XPathStep("/", "@href"),
    ]
    assert [step.text for step in steps("./tr[ 2 ]")] == [".", "/tr[ 2 ]"]
    assert steps("tr[ 2 ]")[0].position == 2


@pytest.mark.parametrize("expression", ["count(//a)", "a | b", "../a", "a/following::b", "a[", "a b", "//"])
def test_what_is_no_plain_path_downward_has_no_steps(expression: str) -> None:
    assert steps_of(expression) is None


@pytest.mark.parametrize(
    ("expression", "stand_ins", "opened"),
    [
        ("tr[901]/td[902]", [901, 902], [0, 1]),
        ("tr[1]/td[901]", [901], [0, 1]),
        ("tr[901]/td[1]", [901], [0, 1]),
        ("tr/td[901]", [901], [1]),
        ("tr/td[@x=901]", [901], None),
        ("/*[901]/td", [901], None),
    ],
)
def test_positions_are_opened_where_stand_ins_are_and_a_number_beside_a_single_one(
    expression: str, stand_ins: list[int], opened: list[int] | None
) -> None:
    assert opened_steps(steps(expression), stand_ins) == opened


def query(expression: str, *opened: int, takes_first: bool = False) -> XPathOpenQuery:
    return XPathOpenQuery(steps(expression), opened, compiled, takes_first=takes_first)


def test_filled_positions_give_the_value_of_the_last_block() -> None:
    open_query = query("tr[901]/td[902]", 0, 1)
    assert open_query.filled((1, 1))([TABLE]) == "a"
    assert open_query.filled((2, 1))([TABLE]) == "c"
    assert open_query.filled((1, 1))([]) is None
    assert open_query.blocks([TABLE, TABLE[0]]) == [TABLE[0]]


def test_each_part_finds_what_its_position_is_counted_in() -> None:
    rows, cells = query("tr[901]/td[902]", 0, 1).steps
    assert [*rows.select(TABLE)] == [*TABLE]
    assert [*cells.select(TABLE[0])] == [*TABLE[0]]


@pytest.mark.parametrize(("takes_first", "value"), [(False, "2"), (True, "1")])
def test_of_several_nodes_the_last_counts_or_the_first(takes_first: bool, value: str) -> None:
    with_tail = query("tr/td[901]/i", 1, takes_first=takes_first)
    assert with_tail.reads_below
    assert with_tail.value([TABLE[0][0], TABLE[0][1]]) == value
    assert with_tail.value([]) is None


def test_queries_that_differ_in_positions_only_have_one_key() -> None:
    assert query("tr[1]/td[901]", 0, 1).key == query("tr[7]/td[8]", 0, 1).key == "tr[]/td[]"
    assert query("tr[1]/td[901]", 1).key == "tr[1]/td[]"
    assert query("tr[1]/td[901]", 0, 1, takes_first=True).key == "first tr[]/td[]"
