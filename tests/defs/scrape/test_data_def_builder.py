"""Data definitions, normalized."""

from __future__ import annotations

import pytest

from scoopi.model.data_def import DataDef
from scoopi.model.place import NOWHERE
from tests.defs.written import Check, Outcome


def _data_def(outcome: Outcome) -> DataDef:
    assert outcome.report.errors == ()
    return outcome.definitions.data_defs["temps"]


@pytest.mark.parametrize(
    ("written", "bounds"),
    [
        ("", (1, 1)),
        ("index: 3", (3, 3)),
        ("index: 010", (10, 10)),
        ("index: 3, breakAfter: [ x ]", (3, None)),
        ("breakAfter: [ x ]", (1, None)),
        ("indexRange: 2-6", (2, 6)),
        ("indexRange: 6-2", (2, 6)),
        ("indexRange: 3", (3, 3)),
        ("indexRange: 4-", (4, None)),
        ('indexRange: "-"', (0, 0)),
        ("indexRange: 2-6, breakAfter: [ x ]", (2, 6)),
        ("indexRange: 2-6, index: 9", (2, 6)),
    ],
)
def test_the_range_of_an_axis(check_item: Check, written: str, bounds: tuple[int, int | None]) -> None:
    item = f"name: hour, selector: 'td:nth-child(%{{index}})', {written}"
    axis = _data_def(check_item(item)).items[0]
    assert (axis.first, axis.last) == bounds


@pytest.mark.parametrize(
    ("fact", "bounds"),
    [
        ("name: fact", (1, 1)),
        ("name: fact, breakAfter: [ x ]", (1, 1)),
        ("name: fact, indexRange: 2-3", (2, 3)),
    ],
)
def test_a_fact_has_no_index_by_default(check_item: Check, fact: str, bounds: tuple[int, int]) -> None:
    axis = _data_def(check_item("name: hour", f"facts: [ item: {{ {fact} }} ]")).facts[0]
    assert (axis.first, axis.last) == bounds


def test_a_fact_is_there_by_default(check_item: Check) -> None:
    facts = _data_def(check_item("name: hour")).facts
    assert [(fact.name, fact.value, fact.selector, fact.first, fact.last) for fact in facts] == [
        ("fact", None, None, 1, 1)
    ]


def test_orders_are_positions_unless_given(check_item: Check) -> None:
    data_def = _data_def(
        check_item("name: a", "dims: [ item: { name: b }, item: { name: c, order: 9 }, item: { name: d } ]")
    )
    assert [dim.order for dim in data_def.dims] == [1, 9, 3]


def test_all_keys_of_an_item_arrive(check_item: Check) -> None:
    steps = "{ css: { link: { class: LocatorCreator, previous: parser, next: end } } }"
    item = (
        "name: hour, script: 1 + 1, selector: th, breakAfter: [ a, 5 ], prefix: [ /p/, x ], linkGroup: city, "
        "linkBreakOn: [ /last ], once: yes, filters: [ filter: { type: value, pattern: '' }, "
        "filter: { type: match, pattern: x } ]"
    )
    del steps
    axis = _data_def(check_item(item)).items[0]
    assert (axis.script, axis.selector, axis.break_after, axis.prefix) == (
        "1 + 1",
        "th",
        ("a", "5"),
        ("/p/", "x"),
    )
    assert (axis.link_group, axis.link_break_on, axis.once) == ("city", ("/last",), True)
    assert [(each.type, each.pattern) for each in axis.filters] == [("value", ""), ("match", "x")]


def test_places_of_selectors_and_block_are_kept(check_item: Check) -> None:
    data_def = _data_def(check_item("name: hour, selector: th"))
    places = [data_def.place, data_def.block_place, data_def.selector_place, data_def.items[0].selector_place]
    assert [(place.line, place.column) for place in places] == [(6, 3), (7, 21), (7, 40), (8, 44)]
    assert data_def.facts[0].selector_place == NOWHERE


def test_the_digest_is_that_of_what_is_defined_wherever_it_is_written(check_item: Check) -> None:
    one = _data_def(check_item("name: hour, index: 1")).digest
    same = _data_def(check_item("  name: 'hour'", "dims: [ item: { name: d } ]"))
    assert len(one) == 32
    assert _data_def(check_item('"name":   hour, order: 1')).digest == one
    assert _data_def(check_item("name: hour, index: 2")).digest != one
    assert same.digest != one
