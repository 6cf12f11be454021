"""Placeholders that can be resolved, and those that cannot."""

# Messages are quoted whole.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from scoopi.defs.scrape.placeholders import with_stand_ins
from tests.defs.written import Check, Outcome

_DIMS = "dims: [ item: { name: day, selector: b }, item: { name: year, match: Y, index: 2 } ]"


def _errors(outcome: Outcome) -> list[str]:
    return [each.sentence() for each in outcome.report.errors]


@pytest.mark.parametrize(
    "text",
    [
        "%{index}",
        "%{item.index}",
        "%{dim.index}",
        "%{dim.year.index}",
        "%{dim.year.match}",
        "%{dim.year.order} %{itemName} %{axisName} %{nameString}",
        "%%{nothing}",
        "% {nothing}",
    ],
)
def test_what_an_item_may_ask_for(check_item: Check, text: str) -> None:
    assert _errors(check_item(f"name: hour, selector: 'td {text}'", _DIMS)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "%{indx}",
            "placeholder %{indx} asks for the unknown property 'indx'; did you mean index?",
        ),
        (
            "%{}",
            "placeholder %{} asks for the unknown property ''; "
            "known are index, value, match, order, itemName, axisName, nameString",
        ),
        (
            "%{itm.index}",
            "placeholder %{itm.index} names the unknown axis 'itm'; did you mean item?",
        ),
        (
            "%{dim.yeer.index}",
            "placeholder %{dim.yeer.index} names the dim 'yeer', which no row of 'hour' has; "
            "did you mean year?",
        ),
        (
            "%{dim.a.b.index}",
            "placeholder %{dim.a.b.index} has more than three parts; write %{axis.name.property}",
        ),
        (
            "%{value}",
            "placeholder %{value} has no value when it is needed; "
            "only constants, and values of axes before this one (item, dims, fact), are known here",
        ),
        (
            "%{dim.day.value}",
            "placeholder %{dim.day.value} has no value when it is needed; "
            "only constants, and values of axes before this one (item, dims, fact), are known here",
        ),
        (
            "%{match}",
            "placeholder %{match} has no value when it is needed; define its match",
        ),
    ],
)
def test_what_an_item_can_never_be_given(check_item: Check, text: str, found: str) -> None:
    outcome = check_item(f"name: hour, selector: 'td {text}'", _DIMS)
    assert _errors(outcome) == [f"dataDefs.temps.items[0].selector: {found}"]
    assert outcome.report.errors[0].place.line == 8


def test_a_missing_dim_is_reported(check_item: Check) -> None:
    assert _errors(check_item("name: hour, selector: 'td %{dim.index}'")) == [
        "dataDefs.temps.items[0].selector: placeholder %{dim.index} needs a dim, but there is none; define a dim"
    ]


def test_values_to_the_left_are_known_to_the_fact(check_item: Check) -> None:
    selector = "td %{item.value} %{dim.day.value} %{dim.year.value}"
    assert _errors(check_item("name: hour, selector: th", _DIMS, selector=selector)) == []


def test_constants_are_known_everywhere(check_item: Check) -> None:
    dims = "dims: [ item: { name: unit, value: C } ]"
    assert _errors(check_item("name: hour, selector: 'td %{dim.value}'", dims)) == []


def test_an_item_without_anything_to_read_has_no_value(check_item: Check) -> None:
    outcome = check_item("name: hour", selector="td %{item.value}")
    assert _errors(outcome) == [
        "dataDefs.temps.query.selector: placeholder %{item.value} has no value when it is needed; "
        "only constants, and values of axes before this one (item, dims, fact), are known here"
    ]


def test_the_name_of_another_item_is_not_in_every_row(check_item: Check) -> None:
    outcome = check_item("name: hour }, item: { name: minute", selector="td %{item.hour.index}")
    assert _errors(outcome) == [
        "dataDefs.temps.query.selector: placeholder %{item.hour.index} names the item 'hour', "
        "which no row of 'minute' has; write %{item.index} for the item of the row"
    ]


def test_a_block_may_hold_what_some_of_its_users_can_resolve(check_item: Check) -> None:
    block = "table %{item.value}"
    assert _errors(check_item("name: hour, value: x", selector="td", block=block)) == []
    assert _errors(check_item("name: hour, selector: th", selector="td", block=block)) == []


def test_a_match_of_some_items_only_is_enough(check_item: Check) -> None:
    outcome = check_item("name: hour, match: h }, item: { name: minute", selector="td %{item.match}")
    assert _errors(outcome) == []


def test_a_script_may_keep_a_placeholder_without_value_but_no_unknown_name(check_item: Check) -> None:
    outcome = check_item('name: hour, script: \'"%{value}" + "%{valu}"\'')
    assert _errors(outcome) == [
        "dataDefs.temps.items[0].script: placeholder %{valu} asks for the unknown property 'valu'; "
        "did you mean value?"
    ]


def test_what_is_never_used_may_hold_anything(check_item: Check) -> None:
    assert _errors(check_item("name: hour, match: x, selector: 'td %{nothing}', script: '%{nothing}'")) == []


def test_stand_ins_are_harmless() -> None:
    assert with_stand_ins("a(%{item.index}) + '%%{x}'") == "a(1) + '%{x}'"
