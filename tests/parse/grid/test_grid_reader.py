"""The grid reader makes the rows that the language promises."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from lxml import etree

from scoopi.errors import ParseError, ScriptError
from scoopi.model.data import ScriptRow
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.failure import Failure
from scoopi.model.place import Place
from scoopi.model.text.page_text import shown
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings, prefixed
from scoopi.parse.grid.grid_reader import GridReader, SelectorFault, check_data_def
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.query_ports import ScriptRunner

FORECAST = """
<html><body><table id="f"><tbody>
<tr><th>Hour</th><th>Mon</th><th>Tue</th><th></th></tr>
<tr><td>06:00</td><td>-2</td><td>1</td></tr>
<tr><td>12:00</td><td>\u00a0</td><td>null</td></tr>
<tr><td>18:00</td><td>0</td></tr>
</tbody></table><p>Oslo</p><p>Rome</p></body></html>
"""
CELL = "tr:nth-child(%{item.index}) > td:nth-child(%{dim.day.index})"
ROW_HEAD = "tr:nth-child(%{index}) > td:nth-child(1)"
COLUMN_HEAD = "tr:nth-child(1) > th:nth-child(%{index})"


def entry(name: str, selector: str | None = None, **more: Any) -> ItemDef:
    return ItemDef(name, selector=selector, **more)


def hour(**more: Any) -> ItemDef:
    return entry("hour", ROW_HEAD, **more)


def day(**more: Any) -> ItemDef:
    return entry("day", COLUMN_HEAD, **more)


def grid(*items: ItemDef, dims: tuple[ItemDef, ...] = (), **more: Any) -> DataDef:
    given: dict[str, Any] = {"block": "#f", "selector": CELL, "facts": (ItemDef("fact"),)}
    return DataDef("forecast", items=items, dims=dims, **(given | more))


def echo(script: str, _row: ScriptRow) -> str | None:
    """The script itself, as if it were a text."""
    return shown(script)


class Reading:
    """Rows as text, and what was warned of."""

    def __init__(
        self,
        data_def: DataDef,
        page: str = FORECAST,
        scripts: ScriptRunner | None = None,
        raw_items: bool = False,
        **settings: Any,
    ) -> None:
        self.warnings: list[str] = []
        reader = GridReader(data_def, CssEngine(), GridSettings(**settings), raw_items=raw_items)
        self.data = reader.read(
            etree.fromstring(page), scripts, lambda warning: self.warnings.append(warning.cause)
        )
        self.values = [item.values for item in self.data.items]
        self.rows = ["|".join(str(value) for value in values) for values in self.values]


# --- the grid


def test_rows_are_items_by_dims_item_slowest() -> None:
    read = Reading(grid(hour(first=2, last=3), dims=(day(first=2, last=3),)))
    assert read.rows == ["06:00|Mon|-2", "06:00|Tue|1", "12:00|Mon|-", "12:00|Tue|not found"]
    assert [item.indexes for item in read.data.items] == [(2, 2, 1), (2, 3, 1), (3, 2, 1), (3, 3, 1)]
    assert read.data.data_def == "forecast"


def test_axes_show_name_order_and_match() -> None:
    read = Reading(grid(entry("city", match="Os\\w", order=7), dims=(day(first=2, last=2),)))
    item, dim, fact = read.data.items[0].axes
    assert (item.axis_name, item.item_name, item.order, item.match) == ("item", "city", 7, "Os\\w")
    assert (dim.axis_name, dim.item_name, dim.order, dim.match) == ("dim", "day", 1, None)
    assert (fact.axis_name, fact.item_name) == ("fact", "fact")


def test_two_ranged_dims_multiply_the_last_turning_fastest() -> None:
    dims = (
        entry("a", None, first=1, last=2, script="a%{index}"),
        entry("b", None, last=2, script="b%{index}"),
    )
    read = Reading(grid(entry("x", value="X"), dims=dims, selector=None), scripts=echo)
    assert read.rows == ["X|a1|b1|not found", "X|a1|b2|not found", "X|a2|b1|not found", "X|a2|b2|not found"]


def test_items_come_one_after_another_and_facts_innermost() -> None:
    facts = (ItemDef("fact", value="f"), ItemDef("fact", value="g"))
    read = Reading(grid(entry("x", value="X"), entry("y", value="Y"), facts=facts))
    assert read.rows == ["X|f", "X|g", "Y|f", "Y|g"]


def test_an_axis_without_any_value_is_null() -> None:
    read = Reading(grid(entry("nothing"), dims=(entry("gone", "h6"),), selector="p"), page=FORECAST)
    assert read.values == [(None, None, "not found")]


# --- evaluating an axis (B 2.3)


def test_a_match_gives_its_text_without_backslashes_and_runs_no_query() -> None:
    read = Reading(grid(entry("m", "p:nonsense", match="PTS \\(home\\)"), selector=None))
    assert read.values[0][0] == "PTS (home)"


def test_a_value_wins_over_the_match_which_placeholders_still_see() -> None:
    item = entry("city", value="shown", match="Rome")
    read = Reading(grid(item, block="body", selector="p:contains(%{item.match})"))
    assert read.rows == ["shown|Rome"]


def test_a_script_wins_over_the_selector_unless_it_gives_null() -> None:
    asked: list[str] = []

    def run(script: str, _row: ScriptRow) -> str | None:
        asked.append(script)
        return "scripted" if script == "s2" else None

    read = Reading(grid(hour(first=2, last=3, script="s%{index}"), selector=None), scripts=run)
    assert [values[0] for values in read.values] == ["scripted", "12:00"]
    assert asked == ["s2", "s3"]


@pytest.mark.parametrize("kind", [GridReader, PlainReader])
def test_a_script_sees_the_row_as_its_placeholders_do(kind: type[GridReader | PlainReader]) -> None:
    seen: list[tuple[object, ...]] = []

    def run(script: str, row: ScriptRow) -> str | None:
        names = [(axis.axis_name, axis.item_name, axis.order, axis.match) for axis in row.axes]
        seen.append((script, row.own, row.indexes, row.values, names[0], [name[1] for name in names]))
        return "s"

    dims = (entry("a", script="one"), entry("b", script="two", prefix=("p",)), entry("c", value="C"))
    data_def = grid(entry("i", match="I\\d", first=4, last=5), dims=dims, selector=None)
    kind(data_def, CssEngine(), GridSettings()).read(etree.fromstring(b"<p/>"), run, print)
    head = ("item", "i", 1, "I\\d"), ["i", "a", "b", "c", "fact"]
    assert seen == [
        ("one", 1, (4, 1, 1, 1, 1), ("Id", None, None, "C", None), *head),
        ("two", 2, (4, 1, 1, 1, 1), ("Id", "s", None, "C", None), *head),
        ("one", 1, (5, 1, 1, 1, 1), ("Id", None, None, "C", None), *head),
        ("two", 2, (5, 1, 1, 1, 1), ("Id", "s", None, "C", None), *head),
    ]


def test_a_failing_script_fails_the_task() -> None:
    def run(script: str, _row: ScriptRow) -> str | None:
        raise ScriptError(f"{script} failed")

    with pytest.raises(ScriptError, match="boom failed"):
        Reading(grid(entry("i", script="boom"), selector=None), scripts=run)


@pytest.mark.parametrize("kind", [GridReader, PlainReader])
def test_of_a_failing_script_it_is_said_where_it_stands(kind: type[GridReader | PlainReader]) -> None:
    def run(_script: str, _row: ScriptRow) -> str | None:
        raise ScriptError("it failed")

    definition = grid(entry("i", script="boom", place=Place("d.yml", 7, 9)), selector=None)
    with pytest.raises(ScriptError, match=r"d\.yml:7:9: it failed"):
        kind(definition, CssEngine(), GridSettings()).read(etree.fromstring(b"<p/>"), run, print)


def test_a_script_without_runner_is_reported() -> None:
    with pytest.raises(ParseError, match="script"):
        Reading(grid(entry("i", script="1"), selector=None))


def test_the_fact_is_read_with_the_querys_selector_not_its_own() -> None:
    read = Reading(grid(entry("x", value="X"), block="body", selector="p", facts=(entry("fact", "th"),)))
    assert read.rows == ["X|Oslo Rome"]


@pytest.mark.parametrize(
    ("cell", "settings", "fact"),
    [
        ("<td>7</td>", {}, "7"),
        ("", {}, "not found"),
        ("", {"not_found": "-"}, "-"),
        ("<td>null</td>", {}, "not found"),
        ("<td>NULL</td>", {}, "not found"),
        ("<td>nullity</td>", {}, "nullity"),
        ("<td/>", {}, "-"),
        ("<td/>", {"blank": "?"}, "?"),
        ("<td/>", {"replace_blank": False}, ""),
        ("<td>\u2003</td>", {}, "-"),
        ("<td>\u2007</td>", {}, "\u2007"),
        ("<td>\u202f</td>", {}, "\u202f"),
        ("<td>\u00a0</td>", {}, "-"),
        ("<td>Nile</td>", {}, "Nile"),
        ("<td>\u0130</td>", {}, "\u0130"),
    ],
)
def test_missing_and_blank_facts_are_replaced(cell: str, settings: dict[str, Any], fact: str) -> None:
    page = f"<html><body><table id='f'><tbody><tr>{cell}</tr></tbody></table></body></html>"
    assert Reading(grid(entry("x", value="X"), selector="td"), page=page, **settings).rows == [f"X|{fact}"]


@pytest.mark.parametrize("value", ["", "null", " "])
def test_a_constant_fact_is_written_as_it_is(value: str) -> None:
    read = Reading(grid(entry("x", value="X"), facts=(ItemDef("fact", value=value),)))
    assert read.values == [("X", value)]


def test_blank_items_and_dims_are_not_replaced() -> None:
    read = Reading(grid(hour(first=3, last=3), dims=(day(first=4, last=4),)))
    assert read.values == [("12:00", "", "not found")]


# --- prefix (B 2.6)


def test_prefixes_are_applied_last_first_and_not_to_constants_matches_or_nulls() -> None:
    prefix = ("A-", "B-")
    dims = (
        entry("c", value="c", prefix=prefix),
        entry("m", match="m", prefix=prefix),
        entry("n", "h6", prefix=prefix),
    )
    read = Reading(grid(hour(first=2, last=2, prefix=prefix), dims=dims, selector=None))
    assert read.values == [("B-A-06:00", "c", "m", None, "not found")]


def test_a_fact_is_prefixed_before_it_is_replaced() -> None:
    facts = (ItemDef("fact", prefix=("nu",)),)
    page = "<html><body><div id='f'><p>ll</p></div></body></html>"
    assert Reading(grid(entry("x", value="X"), selector="p", facts=facts), page=page).rows == ["X|not found"]


def test_raw_items_are_read_without_prefix_which_placeholders_still_see() -> None:
    item = hour(first=2, last=2, prefix=("/day/",))
    dims = (entry("seen", script="%{item.hour.value}"),)
    read = Reading(grid(item, dims=dims, selector=None), scripts=echo, raw_items=True)
    assert read.values == [("06:00", "/day/06:00", "not found")]
    assert prefixed(read.values[0][0], item) == "/day/06:00"
    assert prefixed(None, item) is None
    assert prefixed("c", entry("c", value="c", prefix=("x",))) == "c"


# --- placeholders in queries


def test_a_computed_value_is_seen_further_right() -> None:
    dims = (entry("again", "td:contains(%{item.hour.value})"),)
    read = Reading(grid(hour(first=2, last=4), dims=dims, selector="td:contains(%{dim.value}) + td"))
    assert read.rows == ["06:00|06:00|-2", "12:00|12:00|-", "18:00|18:00|0"]


def test_a_block_may_hold_placeholders_too() -> None:
    data_def = grid(hour(first=2, last=4), block="tr:nth-child(%{index})", selector="th:nth-child(2)")
    assert [values[1] for values in Reading(data_def).values] == ["Mon"] * 3
    item = entry("r", "td:nth-child(1)", first=2, last=4)
    read = Reading(grid(item, block="tr:nth-child(%{item.index})", selector=None))
    assert [values[0] for values in read.values] == ["06:00", "12:00", "18:00"]


def test_an_item_may_depend_on_the_index_of_a_dim() -> None:
    item = entry("i", "th:nth-child(%{dim.day.index})")
    read = Reading(grid(item, dims=(day(first=1, last=3),), selector=None))
    assert [values[0] for values in read.values] == ["Hour", "Mon", "Tue"]


def test_a_value_of_the_page_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    page = "<html><body><div id='f'><p>%{dim.d.index}</p></div></body></html>"
    dims = (entry("d", script="<%{item.value}>", last=2),)
    read = Reading(grid(entry("i", "p"), dims=dims, selector=None), page=page, scripts=echo)
    assert [values[1] for values in read.values] == ["<%{dim.d.index}>"] * 2


def test_a_null_value_leaves_the_placeholder_as_written() -> None:
    dims = (entry("d", script="<%{item.value}>"),)
    read = Reading(grid(entry("i", "h6"), dims=dims, selector=None), scripts=echo)
    assert read.values[0][1] == "<%{item.value}>"


def test_a_wrong_selector_fails_the_task_with_its_place() -> None:
    item = entry("i", "td:nope(%{index})", selector_place=Place("w.yml", 7, 3))
    with pytest.raises(ParseError) as error:
        Reading(grid(item, selector=None))
    assert error.value.at == "w.yml:7:3"


def test_a_wrong_block_is_reported_with_its_own_place() -> None:
    with pytest.raises(ParseError) as error:
        Reading(grid(entry("i", "td"), block="p[", selector=None, block_place=Place("w.yml", 2, 5)))
    assert error.value.at == "w.yml:2:5"


def test_a_wrong_selector_that_is_never_used_does_not_matter() -> None:
    assert Reading(grid(entry("i", "td:nope", value="V"), selector=None)).rows == ["V|not found"]


def never(warning: Failure) -> None:
    pytest.fail(warning.message)


def test_one_reader_reads_many_pages_and_keeps_nothing() -> None:
    reader = GridReader(
        grid(hour(first=2, last=2), dims=(day(first=2, last=2),)), CssEngine(), GridSettings()
    )
    first = reader.read(etree.fromstring(FORECAST), None, never)
    other = reader.read(etree.fromstring(FORECAST.replace("06:00", "07:00")), None, never)
    assert (first.items[0].values[0], other.items[0].values[0]) == ("06:00", "07:00")


def test_a_read_page_is_freed_at_once() -> None:
    selector = "tr:nth-child(%{item.index}) > td:nth-child(%{dim.index}) attribute: class"
    data_def = DataDef(
        "d",
        "table",
        selector,
        (ItemDef("i", selector="tr:nth-child(%{index}) > td", last=2),),
        (ItemDef("d", selector="tr:nth-child(1) > td:nth-child(%{index})", last=2),),
        (ItemDef("fact"),),
    )
    reader = GridReader(data_def, CssEngine(), GridSettings())
    cells = "<td class='c'>1</td><td>2</td>"
    gc.collect()
    gc.disable()
    try:
        reader.read(etree.fromstring(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>"), None, print)
        cycles = gc.collect()
    finally:
        gc.enable()
    assert cycles == 0


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
def test_what_must_fail_is_found_with_its_place_and_hint(
    data_def: dict[str, Any], place: Place, what: str
) -> None:
    (finding,) = check(*data_def.pop("items"), **data_def)
    assert finding.place == place
    assert what in finding.what
    assert finding.hint


def test_a_fault_met_by_several_templates_is_reported_once() -> None:
    dims = (ItemDef("d", selector="td:nope", selector_place=ITEM),)
    assert len(check(item(), item(), item(), dims=dims)) == 1


def test_placeholders_of_scripts_are_checked() -> None:
    (finding,) = check(item(None, script="f(%{itm.index})"))
    assert "names no axis 'itm'" in finding.what
    assert check(item(None, script="%{nope}", value="x")) == []


def test_all_faults_are_reported_at_once() -> None:
    found = check(item("td:nope"), selector="td[", block="p >")
    assert {finding.place for finding in found} == {ITEM, FACT, BLOCK}
