"""Records: typed rows of named fields, and the schemas that describe them to outputs."""

from scoopi.model.records.record_schema import (
    CHANGE_COLUMN,
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
    with_change,
)

__all__ = [
    "CHANGE_COLUMN",
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
    "with_change",
]
