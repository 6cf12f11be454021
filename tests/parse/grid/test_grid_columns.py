"""GridColumns: the rows of a template, read column by column."""

from __future__ import annotations

import pytest

from scoopi.model.data_def import ItemDef
from scoopi.parse.grid.grid_columns import ColumnRows, GridColumns
from tests.parse.grid_axes import axes_of, day, reading, town

ROWS = [("Oslo", "day", "1"), ("Oslo", "day", "2"), ("Rome", "day", "3"), ("Rome", "day", "-")]


def read(item: ItemDef, dim: ItemDef, max_rows: int = 100, raw_items: bool = False) -> ColumnRows | None:
    axes = axes_of(item, dim)
    assert GridColumns.fit(axes)
    return GridColumns(axes, raw_items=raw_items).read(reading(), max_rows)


@pytest.mark.parametrize("last", [2, None])
def test_the_rows_are_in_the_order_in_which_the_indexes_turn(last: int | None) -> None:
    found = read(town(last=last), day())
    assert found is not None
    rows = list(found.rows)
    assert [row.values for row in rows] == ROWS
    assert [tuple(row.indexes) for row in rows] == [(1, 2, 1), (1, 3, 1), (2, 2, 1), (2, 3, 1)]
    assert found.warnings == []


def test_a_single_row_is_read_by_itself() -> None:
    found = read(town(last=1), day(last=2))
    assert found is not None
    assert [row.values for row in found.rows] == ROWS[:1]


def test_an_item_that_stops_early_is_the_last_one() -> None:
    found = read(town(last=None, break_after=("Oslo",)), day())
    assert found is not None
    assert [row.values for row in found.rows] == ROWS[:2]


def test_a_stop_value_that_was_never_met_is_a_warning() -> None:
    found = read(town(last=None, break_after=("Kiel",)), day())
    assert found is not None
    assert len(list(found.rows)) == 4
    assert len(found.warnings) == 1


def test_a_prefix_is_written_unless_raw_items_are_wanted() -> None:
    for raw_items, name in ((False, "the Oslo"), (True, "Oslo")):
        found = read(town(last=2, prefix=("the ",)), day(), raw_items=raw_items)
        assert found is not None
        assert next(iter(found.rows)).values[0] == name


@pytest.mark.parametrize(("max_rows", "fits"), [(4, True), (3, False)])
@pytest.mark.parametrize("last", [2, None])
def test_more_rows_than_allowed_are_not_made(max_rows: int, fits: bool, last: int | None) -> None:
    assert (read(town(last=last), day(), max_rows) is not None) is fits


def test_axes_that_may_end_their_turn_early_do_not_fit() -> None:
    head = day(last=None, value=None, selector="tr:nth-child(1) td:nth-child(%{index})")
    assert not GridColumns.fit(axes_of(town(last=2), head))
