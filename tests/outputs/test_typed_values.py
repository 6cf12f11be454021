"""typed_reader: values become those of Python, and what is not of its type is missing."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import json_text, typed_reader


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (ColumnType.TEXT, "a", "a"),
        (ColumnType.TEXT, 7, "7"),
        (ColumnType.INTEGER, 7, 7),
        (ColumnType.INTEGER, True, None),
        (ColumnType.INTEGER, 2**63, None),
        (ColumnType.INTEGER, "7", None),
        (ColumnType.DECIMAL, "1.10", Decimal("1.10")),
        (ColumnType.DECIMAL, "NaN", None),
        (ColumnType.DECIMAL, "x", None),
        (ColumnType.BOOLEAN, False, False),
        (ColumnType.BOOLEAN, 0, None),
        (ColumnType.DATE, "2026-01-31", date(2026, 1, 31)),
        (ColumnType.DATE, "soon", None),
        (ColumnType.DATETIME, "2026-01-31T10:00:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        (ColumnType.DATETIME, "2026-01-31T10:00:00+02:00", datetime(2026, 1, 31, 8, tzinfo=UTC)),
        (ColumnType.DATETIME, 7, None),
    ],
)
def test_a_value_is_of_its_type_or_missing(kind: ColumnType, value: object, expected: object) -> None:
    read = typed_reader(Column("c", kind))
    assert read is not None
    assert (type(read(value)), read(value), read(None)) == (type(expected), expected, None)


def test_a_list_is_read_value_by_value() -> None:
    read: Any = typed_reader(Column("c", ColumnType.DECIMAL, is_list=True))
    assert read(["1.5", None, "x"]) == [Decimal("1.5"), None, None]
    assert read("1.5") is None


def test_json_is_taken_as_it_is() -> None:
    assert typed_reader(Column("c", ColumnType.JSON)) is None
    assert (json_text({"a": [1, "é"]}), json_text(None)) == ('{"a":[1,"é"]}', None)
