"""written_rows: what a RecordWriter has written is read again, in each format."""

from __future__ import annotations

import io
import tracemalloc
from typing import Any

import openpyxl
import pytest

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.formats import xlsx_writer
from scoopi.outputs.formats.written_rows import READABLE, written_rows
from tests.outputs.written_records import COLUMNS, written

RECORD: list[Any] = [
    "=a,\n\u00e9 ",
    7,
    "12.5",
    True,
    "2026-03-01",
    "2026-03-01T08:30:00+00:00",
    {"a": [1.5]},
    ["x"],
]
TEXTS = [
    "=a,\n\u00e9 ",
    "7",
    "12.5",
    "true",
    "2026-03-01",
    "2026-03-01T08:30:00+00:00",
    '{"a":[1.5]}',
    '["x"]',
]
NAMES = [column.name for column in COLUMNS]


def file_of(format_name: str, records: list[list[Any]], columns: tuple[Column, ...] = COLUMNS) -> io.BytesIO:
    return io.BytesIO(written(format_name, records, columns=columns))


@pytest.mark.parametrize("format_name", READABLE)
def test_records_are_read_as_csv_has_them(format_name: str) -> None:
    rows = written_rows(format_name, file_of(format_name, [RECORD, [None] * len(COLUMNS), RECORD]))
    assert [[*row] for row in rows] == [NAMES, TEXTS, [""] * len(COLUMNS), TEXTS]


@pytest.mark.parametrize(("format_name", "first"), [("parquet", [NAMES]), ("xlsx", [NAMES]), ("json", [])])
def test_an_output_without_records_names_its_columns_where_the_format_does(
    format_name: str, first: list[list[str]]
) -> None:
    assert [[*row] for row in written_rows(format_name, file_of(format_name, []))] == first


@pytest.mark.parametrize("number", ["0", "-0.001", "100", "12345678901234567890123456789.123456789"])
def test_all_digits_of_a_decimal_are_read(number: str) -> None:
    columns = (Column("price", ColumnType.DECIMAL),)
    for format_name in READABLE:
        _, row = written_rows(format_name, file_of(format_name, [[number]], columns))
        assert [*row] == [number], format_name


def test_a_decimal_of_many_digits_and_places_is_read() -> None:
    number = f"{'1' * 30}.{'3' * 30}"
    for format_name in READABLE:
        _, row = written_rows(
            format_name, file_of(format_name, [[number]], (Column("n", ColumnType.DECIMAL),))
        )
        assert [*row] == [number], format_name


def test_all_sheets_of_a_workbook_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_writer, "SHEET_ROWS", 3)
    file = file_of("xlsx", [[f"r{at}"] for at in range(5)], (Column("x"),))
    assert len(openpyxl.load_workbook(file).worksheets) == 3
    assert [row[0] for row in written_rows("xlsx", file)] == ["x", *(f"r{at}" for at in range(5))]


@pytest.mark.parametrize(
    ("format_name", "body", "what"),
    [
        ("json", b'[\n{"a":1},\n{"b":2}\n]\n', "line 3 has other keys"),
        ("json", b'[\n{"a":1},\n{"a":\n', "line 3: "),
        ("jsonl", b"[1]\n", "line 1: "),
        ("parquet", b"PAR1", "Parquet"),
        ("xlsx", b"PK", "zip"),
    ],
)
def test_a_file_that_no_writer_has_left_is_an_error(format_name: str, body: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=f"(?i){what}"):
        [*written_rows(format_name, io.BytesIO(body))]


@pytest.mark.parametrize("format_name", ["json", "parquet"])
def test_rows_are_not_all_in_memory(format_name: str) -> None:
    file = file_of(format_name, [[f"{at} {'x' * 200}"] for at in range(20_000)], (Column("x"),))
    tracemalloc.start()
    try:
        assert sum(1 for _ in written_rows(format_name, file)) == 20_001
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 2_000_000
