"""Parquet: typed columns, and decimals of any size."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.formats import parquet_writer
from tests.outputs.written_records import COLUMNS, EMPTY, FULL, written

MOMENT = datetime(2026, 3, 1, 7, tzinfo=UTC)


def test_parquet_has_typed_columns() -> None:
    table = pq.read_table(io.BytesIO(written("parquet", [FULL], [EMPTY])))

    full, empty = table.to_pylist()
    expected = ["a, b", 7, Decimal("12.5"), True, date(2026, 3, 1), MOMENT, '{"a":[1]}', ["x", "y"]]
    assert [*full.values()] == expected
    assert [*empty.values()] == EMPTY
    assert table.schema.field("price").type == pa.decimal128(38, 9)
    assert table.schema.field("tags").type == pa.list_(pa.string())


def test_parquet_widens_a_column_once_a_decimal_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_writer, "GROUP_ROWS", 2)
    prices = ["1.5", None, "2.25", "0.00000000000000000001", "12345678901234567890123456789012345"]
    columns = (Column("price", ColumnType.DECIMAL), Column("list", ColumnType.DECIMAL, is_list=True))

    table = pq.read_table(
        io.BytesIO(written("parquet", *([[price, [price]]] for price in prices), columns=columns))
    )

    expected = [None if price is None else Decimal(price) for price in prices]
    assert table.column("price").to_pylist() == expected
    assert table.column("list").to_pylist() == [[each] for each in expected]


def test_a_parquet_file_without_records_has_its_columns() -> None:
    assert pq.read_table(io.BytesIO(written("parquet"))).column_names == [column.name for column in COLUMNS]
