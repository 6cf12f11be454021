"""axes_read, found_nothing: which axes a page provides, and whether it provided any."""

from __future__ import annotations

import pytest

from scoopi.model.data import Axis, Data, Item
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.place import Place
from scoopi.model.report.found_axes import axes_read, found_nothing, is_nothing

HERE, THERE = Place("a.yml", 1), Place("a.yml", 2)


def test_an_axis_is_read_if_a_selector_or_a_script_gives_its_value() -> None:
    items = (
        ItemDef("selected", selector="td", selector_place=HERE, place=THERE),
        ItemDef("scripted", script="1", place=THERE),
        ItemDef("constant", value="x", selector="td"),
        ItemDef("matched", match="x", selector="td"),
        ItemDef("nothing"),
    )
    facts = (ItemDef("fact", place=THERE),)
    definition = DataDef("towns", "table", "td", items, items[:1], facts, selector_place=HERE)
    assert axes_read(definition) == {
        ("item", "selected"): HERE,
        ("item", "scripted"): THERE,
        ("dim", "selected"): HERE,
        ("fact", "fact"): HERE,
    }


def test_a_fact_without_a_selector_is_read_by_its_script_only() -> None:
    facts = (ItemDef("plain", place=THERE), ItemDef("scripted", script="1", place=THERE))
    assert axes_read(DataDef("towns", "table", None, (), (), facts)) == {("fact", "scripted"): THERE}


@pytest.mark.parametrize(
    ("axis", "value", "nothing"),
    [
        ("item", None, True),
        ("item", " \n", True),
        ("item", "-", False),
        ("fact", "-", True),
        ("fact", "1", False),
    ],
)
def test_blanks_and_what_stands_for_nothing_are_nothing(axis: str, value: str | None, nothing: bool) -> None:
    assert is_nothing(axis, value, {"-"}) is nothing


def test_a_page_found_nothing_if_no_row_has_a_value_that_was_read() -> None:
    axes = (Axis("item", "city", 1), Axis("fact", "price", 1))

    def found(*values: tuple[str | None, str | None]) -> bool:
        rows = tuple(Item(axes, each, (1, 1)) for each in values)
        return not found_nothing({("fact", "price")}, {"-"}, Data("towns", rows))

    assert not found(("Oslo", None), ("Rome", "-"))
    assert found(("Oslo", None), ("Rome", "7"))
