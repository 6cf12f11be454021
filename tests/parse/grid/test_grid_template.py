"""GridTemplate: the wheels turn like those of an odometer, and an axis may end its turn early."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import ParseError
from scoopi.model.data import Item
from scoopi.model.data_def import ItemDef
from scoopi.parse.grid.grid_columns import GridColumns
from scoopi.parse.grid.grid_template import GridTemplate
from tests.parse.grid_axes import axes_of, day, reading, town


def head(**more: Any) -> ItemDef:
    """A dim whose value is that of a cell; its range is open, so it ends at the last cell."""
    selector = "tr:nth-child(%{item.index}) td:nth-child(%{index})"
    return day(**({"last": None, "value": None, "selector": selector} | more))


def rows(item: ItemDef, dim: ItemDef, max_rows: int = 100) -> tuple[list[Item], int]:
    """The rows, and the number of warnings."""
    axes = axes_of(item, dim)
    assert not GridColumns.fit(axes), "these are for the wheels"
    made: list[Item] = []
    warnings = GridTemplate(axes, max_rows).read(reading(), made)
    return made, len(warnings)


def test_a_dim_that_finds_nothing_turns_the_item() -> None:
    made, warnings = rows(town(last=2), head())
    assert [(row.values[0], row.values[2]) for row in made] == [
        ("Oslo", "1"),
        ("Oslo", "2"),
        ("Rome", "3"),
        ("Rome", "-"),
    ]
    assert [tuple(row.indexes) for row in made] == [(1, 2, 1), (1, 3, 1), (2, 2, 1), (2, 3, 1)]
    assert warnings == 0


def test_an_open_item_ends_the_template() -> None:
    made, _ = rows(town(last=None), head())
    assert len(made) == 4


def test_a_stop_value_closes_the_range_from_then_on() -> None:
    made, warnings = rows(town(last=2), head(break_after=("1",)))
    assert [row.values[2] for row in made] == ["1", "3"]
    assert warnings == 0


def test_a_stop_value_that_is_never_met_is_a_warning() -> None:
    assert rows(town(last=2), head(break_after=("9",)))[1] == 1


@pytest.mark.parametrize("max_rows", [4, 3])
def test_more_rows_than_allowed_fail_the_page(max_rows: int) -> None:
    if max_rows == 4:
        assert len(rows(town(last=2), head(), max_rows)[0]) == 4
        return
    with pytest.raises(ParseError, match="more than 3 rows of one page") as refused:
        rows(town(last=2), head(), max_rows)
    assert "scoopi.parser.maxRows" in (refused.value.hint or "")


def test_a_template_that_fits_is_read_by_columns_with_the_same_rows() -> None:
    axes = axes_of(town(last=2), day())
    made: list[Item] = []
    assert GridTemplate(axes, 100).read(reading(), made) == []
    by_columns = GridColumns(axes).read(reading(), 100)
    assert by_columns is not None
    assert made == list(by_columns.rows)
