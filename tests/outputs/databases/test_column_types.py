"""column_type: a database keeps every value exactly, or what it cannot keep is replaced."""

from __future__ import annotations

from decimal import Decimal

import pytest
import sqlalchemy as sa

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.databases.column_types import bound_value, column_type


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", 7),
        ("1.5", 1.5),
        ("0.1234567890123456789", "0.1234567890123456789"),
        (str(2**60), str(2**60)),
        (None, None),
    ],
)
def test_sqlite_keeps_decimals_as_numbers_where_these_are_exact(value: str | None, expected: object) -> None:
    bound = bound_value(Column("c", ColumnType.DECIMAL), "sqlite")
    assert (bound(value), type(bound(value))) == (expected, type(expected))
    assert bound_value(Column("c", ColumnType.DECIMAL), "postgresql")("1.50") == Decimal("1.50")


def test_what_no_text_of_postgresql_can_hold_is_replaced() -> None:
    text, document = Column("c", ColumnType.TEXT), Column("c", ColumnType.JSON)
    assert bound_value(text, "postgresql")("a\x00b") == "a\N{REPLACEMENT CHARACTER}b"
    assert bound_value(text, "sqlite")("a\x00b") == "a\x00b"
    assert "\\u0000" not in bound_value(document, "postgresql")({"a": "\x00"})


def test_sqlite_keeps_dates_as_iso_texts() -> None:
    assert bound_value(Column("c", ColumnType.DATE), "sqlite")("2026-01-31") == "2026-01-31"
    moment = bound_value(Column("c", ColumnType.DATETIME), "sqlite")("2026-01-31T10:00:00")
    assert moment == "2026-01-31T10:00:00+00:00"
    assert bound_value(Column("c", ColumnType.DATE), "sqlite")("soon") is None


def test_a_list_is_json_in_every_database() -> None:
    numbers = Column("c", ColumnType.INTEGER, is_list=True)
    assert isinstance(column_type(numbers, "postgresql"), sa.JSON)
    assert isinstance(column_type(numbers, "sqlite"), sa.Text)
    assert bound_value(numbers, "sqlite")([1, 2]) == "[1,2]"
