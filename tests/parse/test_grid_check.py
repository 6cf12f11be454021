"""Definitions are checked before a run, and none is refused that can give rows."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.place import Place
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_check import SelectorFault, check_data_def

ITEM, FACT, BLOCK = Place("d.yml", 5, 9), Place("d.yml", 3, 9), Place("d.yml", 2, 9)


def item(selector: str | None = "td", **more: Any) -> ItemDef:
    return ItemDef("row", selector=selector, place=Place("d.yml", 4, 1), selector_place=ITEM, **more)


def check(
    *items: ItemDef,
    block: str = "table",
    selector: str | None = "td",
    dims: tuple[ItemDef, ...] = (),
    **fact: Any,
) -> list[SelectorFault]:
    facts = (ItemDef("fact", **fact),)
    data_def = DataDef("d", block, selector, items, dims, facts, block_place=BLOCK, selector_place=FACT)
    return check_data_def(data_def, CssEngine())


@pytest.mark.parametrize(
    "data_def",
    [
        {"items": [item()]},
        {"items": [item("tr:nth-child(%{index}) > td:eq(%{index})")]},
        {"items": [item("td:nope", value="constant")]},
        {"items": [item("td:nope", match="constant")]},
        {"items": [item("%{nope}", value="constant")], "selector": None, "block": "td["},
        {"items": [item()], "selector": "td:%{item.value}"},
        {"items": [item(None, match="(x)")], "selector": "td:matches(%{item.match})"},
        {"items": [item(None, match="x"), item()], "selector": "td:contains(%{item.match})"},
        {"items": [item("td:contains(%{dim.value})")], "dims": (ItemDef("d", value="x"),)},
        {"items": [item("td attribute: data-%{index}")]},
        {"items": [item(last=None)]},
        {"items": [item("td:contains(%%{nope})")]},
        {"items": [item()], "last": None, "break_after": ("x",)},
        {"items": [item()], "value": "x", "selector": "td:nope"},
    ],
)
def test_a_definition_that_can_give_rows_is_not_refused(data_def: dict[str, Any]) -> None:
    assert check(*data_def.pop("items"), **data_def) == []


@pytest.mark.parametrize(
    ("data_def", "place", "what"),
    [
        (
            {"items": [item(None, match="2"), item()], "selector": "td:nth-child(%{item.match})"},
            FACT,
            "%{item.match} has no value in the rows of 'row', so it stays as written",
        ),
        ({"items": [item("td:nth-chld(%{index})")]}, ITEM, "there is no ':nth-chld'"),
        ({"items": [item(), item("td[")]}, ITEM, "no ']' closes"),
        ({"items": [item()], "selector": "td:eq(x)"}, FACT, "':eq' needs a number"),
        ({"items": [item()], "block": "table >"}, BLOCK, "a selector is missing"),
        ({"items": [item("td:matches(%{dim.match})")], "dims": (ItemDef("d", match="["),)}, ITEM, ""),
        ({"items": [item("td:eq(%{indx})")]}, ITEM, "names no property 'indx'"),
        ({"items": [item("td:eq(%{dim.index})")]}, ITEM, "there is none"),
        ({"items": [item()], "selector": "%{item.rwo.index}"}, FACT, "names no item 'rwo'"),
        ({"items": [item()], "selector": "%{a.b.c.d}"}, FACT, "more than three parts"),
    ],
)
def test_what_must_fail_is_found_with_its_place_and_mend(
    data_def: dict[str, Any], place: Place, what: str
) -> None:
    (finding,) = check(*data_def.pop("items"), **data_def)
    assert finding.place == place
    assert what in finding.what
    assert finding.hint


def test_a_fault_met_by_several_templates_is_told_once() -> None:
    dims = (ItemDef("d", selector="td:nope", selector_place=ITEM),)
    assert len(check(item(), item(), item(), dims=dims)) == 1


def test_placeholders_of_scripts_are_checked() -> None:
    (finding,) = check(item(None, script="f(%{itm.index})"))
    assert "names no axis 'itm'" in finding.what
    assert check(item(None, script="%{nope}", value="x")) == []


def test_all_faults_are_told_at_once() -> None:
    found = check(item("td:nope"), selector="td[", block="p >")
    assert {finding.place for finding in found} == {ITEM, FACT, BLOCK}
