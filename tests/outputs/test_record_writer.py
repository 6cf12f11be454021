"""RecordWriter: each format holds the values of records, typed where it has types."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.formats import parquet_writer, xlsx_writer
from scoopi.outputs.formats.record_writer import record_writer

COLUMNS = (
    Column("words"),
    Column("number", ColumnType.INTEGER),
    Column("price", ColumnType.DECIMAL),
    Column("flag", ColumnType.BOOLEAN),
    Column("day", ColumnType.DATE),
    Column("moment", ColumnType.DATETIME),
    Column("data", ColumnType.JSON),
    Column("tags", is_list=True),
)
FULL = ["a, b", 7, "12.50", True, "2026-03-01", "2026-03-01T08:00:00+01:00", {"a": [1]}, ["x", "y"]]
EMPTY: list[Any] = [None] * len(COLUMNS)
MOMENT = datetime(2026, 3, 1, 7, tzinfo=UTC)


def written(format_name: str, *batches: list[list[Any]], columns: tuple[Column, ...] = COLUMNS) -> bytes:
    stream = io.BytesIO()
    writer = record_writer(format_name, stream, columns)
    for batch in batches:
        writer.write(batch)
    writer.close()
    return stream.getvalue()


def test_csv_has_names_above_empty_missing_values_and_json_lists() -> None:
    text = written("csv", [FULL], [EMPTY]).decode()

    head, full, empty = csv.reader(io.StringIO(text, newline=""))
    assert head == [column.name for column in COLUMNS]
    assert full == ["a, b", "7", "12.50", "true", *FULL[4:6], '{"a":[1]}', '["x","y"]']
    assert empty == [""] * len(COLUMNS)


def test_tsv_has_tabs() -> None:
    assert written("tsv", [["a\tb", "c"]], columns=(Column("x"), Column("y"))) == b'x\ty\n"a\tb"\tc\n'


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_csv_is_read_as_it_was_written(records: list[list[str]]) -> None:
    text = written("csv", records, columns=(Column("x"), Column("y"))).decode("utf-8", "surrogatepass")

    assert [*csv.reader(io.StringIO(text, newline=""))] == [["x", "y"], *records]


def test_jsonl_has_numbers_with_all_digits_and_null() -> None:
    lines = written("jsonl", [["x", 7, "1234567890.12345678901234567890", *FULL[3:]], EMPTY]).splitlines()

    assert b'"price":1234567890.12345678901234567890,' in lines[0]
    full = json.loads(lines[0], parse_float=Decimal)
    assert (full["number"], full["flag"], full["tags"], full["data"]) == (7, True, ["x", "y"], {"a": [1]})
    assert json.loads(lines[1]) == dict.fromkeys([column.name for column in COLUMNS])


@pytest.mark.parametrize("batches", [[], [[FULL]], [[FULL], [], [EMPTY, FULL]]])
def test_json_is_one_array(batches: list[list[list[Any]]]) -> None:
    assert len(json.loads(written("json", *batches))) == sum(map(len, batches))


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


def test_xlsx_has_numbers_and_dates() -> None:
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", [FULL], [EMPTY])))

    head, full, *rest = book.active.iter_rows(values_only=True)
    assert head == tuple(column.name for column in COLUMNS)
    assert full[:4] == ("a, b", 7, 12.5, True)
    assert full[4:6] == (datetime(2026, 3, 1), datetime(2026, 3, 1, 7))
    assert full[6:] == ('{"a":[1]}', '["x","y"]')
    assert not any(value for row in rest for value in row)


def test_a_text_of_a_page_never_becomes_a_formula_in_xlsx() -> None:
    texts = ["=1+1", "#N/A", "\x07bell", "x" * 40_000]
    book = openpyxl.load_workbook(
        io.BytesIO(written("xlsx", [[text] for text in texts], columns=(Column("x"),)))
    )

    cells = [row[0] for row in book.active.iter_rows(min_row=2)]
    assert [cell.data_type for cell in cells] == ["s"] * 4
    assert [cell.value for cell in cells] == ["=1+1", "#N/A", "\N{REPLACEMENT CHARACTER}bell", "x" * 32_767]


def test_xlsx_keeps_all_digits_and_old_dates_as_text() -> None:
    columns = (
        Column("price", ColumnType.DECIMAL),
        Column("day", ColumnType.DATE),
        Column("n", ColumnType.INTEGER),
    )
    book = openpyxl.load_workbook(
        io.BytesIO(written("xlsx", [["1234567890123.456789", "1812-02-29", 2**60]], columns=columns))
    )

    assert [*book.active.iter_rows(min_row=2, values_only=True)] == [
        ("1234567890123.456789", "1812-02-29", str(2**60))
    ]


def test_xlsx_begins_another_sheet_when_one_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_writer, "SHEET_ROWS", 3)
    book = openpyxl.load_workbook(
        io.BytesIO(written("xlsx", [[str(n)] for n in range(5)], columns=(Column("x"),)))
    )

    assert [[row[0] for row in sheet.iter_rows(values_only=True)] for sheet in book] == [
        ["x", "0", "1"],
        ["x", "2", "3"],
        ["x", "4"],
    ]


@pytest.mark.parametrize("format_name", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"])
def test_a_value_that_is_not_of_its_type_stops_no_format(format_name: str) -> None:
    odd = ["x", "seven", "a lot", "maybe", "soon", "later", [1], "no list"]

    assert written(format_name, [odd])
