"""XlsxWriter: writes records as rows of an Excel workbook, without keeping them in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import json_text, typed_reader

SHEET_ROWS = 1_048_576
"""Rows per sheet, including the header; further records begin a new sheet."""
_CELL_LETTERS = 32_767
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML, and therefore a workbook, cannot contain."""
_EXACT_DIGITS = 15
"""Workbooks store floating-point numbers, exact to 15 digits; longer numbers are written as text."""
_FIRST_DATE = date(1900, 3, 1)
"""Excel's calendar is wrong before this date, so earlier ones are written as text."""


class XlsxWriter:
    """Writes records as rows of an Excel workbook, without keeping them in memory.

    It has as many sheets as the records need. Lists and JSON are stored as text, and times are in UTC.
    """

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        self._stream = stream
        self._names = [column.name for column in columns]
        self._cells = [_cell(column) for column in columns]
        self._book = Workbook(write_only=True)
        self._begin_sheet()

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """As `RecordWriter` says."""
        for record in records:
            if self._rows == SHEET_ROWS:
                self._begin_sheet()
            values = (cell(value) for cell, value in zip(self._cells, record, strict=True))
            self._append(values)
            self._rows += 1

    def close(self) -> None:
        """Write the workbook."""
        self._book.save(self._stream)

    def _begin_sheet(self) -> None:
        self._sheet = self._book.create_sheet()
        self._append(map(_text, self._names))
        self._rows = 1

    def _append(self, values: Iterable[Any]) -> None:
        self._sheet.append([self._as_text(value) if _is_formula(value) else value for value in values])

    def _as_text(self, value: str) -> WriteOnlyCell:
        cell = WriteOnlyCell(self._sheet, value)
        cell.data_type = "s"
        return cell


def _cell(column: Column) -> Callable[[Any], Any]:
    if column.is_list or column.type is ColumnType.JSON:
        return lambda value: _text(json_text(value))
    convert = typed_reader(column)
    assert convert is not None, "only JSON has no type"
    return lambda value: _excel(convert(value))


def _excel(value: Any) -> Any:
    if isinstance(value, datetime):
        value = value.astimezone(UTC).replace(tzinfo=None)
        return value if value.date() >= _FIRST_DATE else value.isoformat()
    if isinstance(value, date):
        return value if value >= _FIRST_DATE else value.isoformat()
    if isinstance(value, Decimal):
        return value if len(value.as_tuple().digits) <= _EXACT_DIGITS else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if len(str(abs(value))) <= _EXACT_DIGITS else str(value)
    return _text(value) if isinstance(value, str) else value


def _is_formula(value: Any) -> bool:
    """Whether openpyxl would treat a text as a formula or an error code."""
    return isinstance(value, str) and value.startswith(("=", "#"))


def _text(value: str | None) -> str | None:
    if value is None:
        return None
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", value)[:_CELL_LETTERS]
