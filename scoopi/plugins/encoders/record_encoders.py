"""Records as lines of CSV and of JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import msgspec

from scoopi.model.records import ColumnType, Records, RecordSchema, Value

Encode = Callable[[Records], bytes]


def csv_header(schema: RecordSchema) -> bytes:
    """The line of column names."""
    return _csv_lines([[column.name for column in schema.all_columns]])


def csv_rows(records: Records) -> bytes:
    """The records as lines of CSV: a missing value is empty, lists and other values of JSON are JSON."""
    return _csv_lines([[_cell(value) for value in row] for row in records.rows])


def jsonl_rows(schema: RecordSchema) -> Encode:
    """Encodes records as lines of JSON objects."""
    columns = [(column.name, column.type is ColumnType.DECIMAL) for column in schema.all_columns]

    def encode(records: Records) -> bytes:
        objects = [
            {
                name: _number(value) if is_decimal else value
                for (name, is_decimal), value in zip(columns, row, strict=True)
            }
            for row in records.rows
        ]
        return msgspec.json.Encoder().encode_lines(objects)

    return encode


def _number(value: Value) -> Value:
    """An exact decimal as a number of JSON."""
    if isinstance(value, list):
        return [_number(each) for each in value]
    return msgspec.Raw(value.encode()) if isinstance(value, str) else value


def _csv_lines(rows: Sequence[Sequence[str]]) -> bytes:
    import csv  # late: grids have encoders of their own

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
