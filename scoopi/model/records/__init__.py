"""Records: typed rows of named fields, and the columns that describe them to outputs."""

from scoopi.model.records.record_schema import (
    META_COLUMNS,
    Column,
    ColumnType,
    Expectation,
    Records,
    RecordSchema,
    Rejection,
    Value,
    packed_rows,
    read_records,
)

__all__ = [
    "META_COLUMNS",
    "Column",
    "ColumnType",
    "Expectation",
    "RecordSchema",
    "Records",
    "Rejection",
    "Value",
    "packed_rows",
    "read_records",
]
