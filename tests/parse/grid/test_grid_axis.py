"""GridAxis: what of a row changes its value, when it ends its turn, and how the value is written."""

from __future__ import annotations

import pytest

from scoopi.model.data_def import ItemDef
from scoopi.parse.grid.grid_axis import MAX_INDEX, GridSettings, fact_text, prefixed
from tests.parse.grid_axes import axes_of, day, reading, town


def test_an_axis_needs_the_axes_whose_indexes_its_selector_names() -> None:
    item, dim, fact = axes_of(town(last=2), day())
    assert [item.needs, dim.needs, fact.needs] == [frozenset({0}), frozenset(), frozenset({0, 1})]
    assert not any(axis.reads_row for axis in (item, dim, fact))


def test_a_value_in_the_selector_reads_the_row_and_needs_what_that_value_needs() -> None:
    *_, fact = axes_of(town(last=2), day(), "tr:contains(%{item.value}) td")
    assert fact.reads_row
    assert fact.needs == frozenset({0})


def test_a_constant_reads_nothing() -> None:
    item, dim, _ = axes_of(town(last=2), day(first=1))
    assert dim.is_constant
    assert not item.is_constant
    assert dim.bind(reading())((1, 1), ()) == dim.read_one(reading(), (1, 1), ()) == "day"
    assert dim.read_column(reading(), [range(1, 3), range(1, 3)], [0]) == ["day", "day"]


@pytest.mark.parametrize(
    ("item", "last", "ends_at_null"),
    [
        (town(last=2), 2, False),
        (town(last=None), MAX_INDEX, True),
        (town(last=2, break_after=("Rome",)), 2, True),
        (ItemDef("town", value="x", last=None), MAX_INDEX, False),
    ],
)
def test_an_open_range_or_a_stop_value_ends_at_nothing_found(
    item: ItemDef, last: int, ends_at_null: bool
) -> None:
    axis, *_ = axes_of(item, day())
    assert (axis.last, axis.ends_at_null) == (last, ends_at_null)


def test_one_value_and_a_column_are_the_same() -> None:
    *_, fact = axes_of(town(last=2), day())
    ranges = [range(1, 3), range(2, 4)]
    column = fact.read_column(reading(), ranges, [0, 1])
    assert column == [fact.read_one(reading(), (at, over), ()) for at in ranges[0] for over in ranges[1]]
    assert column[:3] == ["1", "2", "3"]


def test_a_script_is_run_before_the_selector_is_used() -> None:
    item, *_ = axes_of(town(last=2, script="odd"), day())
    assert item.needs is None or item.reads_row
    assert item.bind(reading(lambda script, row: "made"))((1,), ()) == "made"
    assert item.bind(reading(lambda script, row: None))((1,), ()) == "Oslo"


@pytest.mark.parametrize(
    ("item", "written"),
    [
        (ItemDef("a", prefix=("one ", "two ")), "two one x"),
        (ItemDef("a"), "x"),
        (ItemDef("a", value="x", prefix=("one ",)), "x"),
        (ItemDef("a", match="x", prefix=("one ",)), "x"),
    ],
)
def test_prefixes_stand_before_a_value_that_was_read(item: ItemDef, written: str) -> None:
    assert prefixed("x", item) == written
    assert prefixed(None, item) is None


@pytest.mark.parametrize(
    ("value", "settings", "written"),
    [
        (None, GridSettings(), "not found"),
        (" NULL\n", GridSettings(not_found="?"), "?"),
        ("", GridSettings(), "-"),
        ("\t ", GridSettings(blank="0"), "0"),
        ("\u00a0", GridSettings(), "\u00a0"),
        (" ", GridSettings(replace_blank=False), " "),
        ("nullable", GridSettings(), "nullable"),
    ],
)
def test_a_missing_fact_and_a_blank_one_are_replaced(
    value: str | None, settings: GridSettings, written: str
) -> None:
    assert fact_text(value, settings) == written


def test_each_value_of_a_column_is_finished_as_one_is() -> None:
    *_, fact = axes_of(town(last=2), day())
    assert fact.finish is not None
    raws = ["1", "Null", " ", None, "\u00e4", "n"]
    assert fact.finish_column([*raws]) == [fact.finish(raw) for raw in raws]
    assert fact.finish_column([*raws]) == ["1", "not found", "-", "not found", "\u00e4", "n"]
