"""RecordDigest: equal values have equal digests, in whatever form they travel."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.record_digest import DIGEST_BYTES, RecordDigest

COLUMNS = (
    Column("title"),
    Column("price", ColumnType.DECIMAL),
    Column("at", ColumnType.DATETIME),
    Column("tags", ColumnType.DECIMAL, is_list=True),
    Column("more", ColumnType.JSON),
)
ROW = ["Rye", "4.20", "2026-03-01T08:00:00+01:00", ["1.0"], {"a": 1, "b": 2}]
ALL = RecordDigest(COLUMNS, [column.name for column in COLUMNS])


@pytest.mark.parametrize(
    ("place", "value"),
    [(1, "4.2"), (1, "4.200"), (2, "2026-03-01T07:00:00+00:00"), (3, ["1"]), (4, {"b": 2, "a": 1})],
)
def test_values_that_a_database_takes_for_equal_have_one_digest(place: int, value: Any) -> None:
    other = [*ROW[:place], value, *ROW[place + 1 :]]
    assert ALL.of(other) == ALL.of(ROW)


@pytest.mark.parametrize(("place", "value"), [(0, "rye"), (1, "4.21"), (1, None), (3, []), (4, {"a": 1})])
def test_other_values_have_another(place: int, value: Any) -> None:
    other = [*ROW[:place], value, *ROW[place + 1 :]]
    assert ALL.of(other) != ALL.of(ROW)
    assert len(ALL.of(other)) == DIGEST_BYTES


def test_columns_that_do_not_count_do_not_matter() -> None:
    title = RecordDigest(COLUMNS, ["title"])
    assert title.of(ROW) == title.of(["Rye", None, None, None, None])


def test_a_key_with_a_missing_value_has_no_digest() -> None:
    key = RecordDigest(COLUMNS, ["title", "price"])
    assert key.of_key(["Rye", None, None, None, None]) is None
    assert key.of_key(ROW) == key.of(ROW)
