"""Excel: numbers and dates with their types, no formulas, as many sheets as needed."""

from __future__ import annotations

import io
from datetime import datetime

import openpyxl
import pytest

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.formats import xlsx_writer
from tests.outputs.written_records import COLUMNS, EMPTY, FULL, written


def test_xlsx_has_numbers_and_dates() -> None:
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", [FULL], [EMPTY])))

    head, full, *empty = book.active.iter_rows(values_only=True)
    assert head == tuple(column.name for column in COLUMNS)
    assert full[:4] == ("a, b", 7, 12.5, True)
    assert full[4:6] == (datetime(2026, 3, 1), datetime(2026, 3, 1, 7))
    assert full[6:] == ('{"a":[1]}', '["x","y"]')
    assert empty == []


def test_a_text_of_a_page_never_becomes_a_formula_in_xlsx() -> None:
    texts = ["=1+1", "#N/A", "\x07BEL", "x" * 40_000]
    book = openpyxl.load_workbook(
        io.BytesIO(written("xlsx", [[text] for text in texts], columns=(Column("x"),)))
    )

    cells = [row[0] for row in book.active.iter_rows(min_row=2)]
    assert [cell.data_type for cell in cells] == ["s"] * 4
    assert [cell.value for cell in cells] == ["=1+1", "#N/A", "\N{REPLACEMENT CHARACTER}BEL", "x" * 32_767]


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
