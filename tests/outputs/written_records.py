"""Records of every type, written in a format, for the tests of writers."""

from __future__ import annotations

import io
from typing import Any

from scoopi.model.records import Column, ColumnType
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


def written(format_name: str, *batches: list[list[Any]], columns: tuple[Column, ...] = COLUMNS) -> bytes:
    stream = io.BytesIO()
    writer = record_writer(format_name, stream, columns)
    for batch in batches:
        writer.write(batch)
    writer.close()
    return stream.getvalue()
