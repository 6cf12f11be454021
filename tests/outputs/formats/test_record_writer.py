"""record_writer: each format has a writer, and none stops at a value of another type."""

from __future__ import annotations

import io

import pytest

from scoopi.outputs.formats.delimited_writer import CsvWriter, TsvWriter
from scoopi.outputs.formats.json_writer import JsonArrayWriter, JsonLinesWriter
from scoopi.outputs.formats.parquet_writer import ParquetWriter
from scoopi.outputs.formats.record_writer import FORMATS, record_writer
from scoopi.outputs.formats.xlsx_writer import XlsxWriter
from tests.outputs.written_records import COLUMNS, written

WRITERS = {
    "csv": CsvWriter,
    "tsv": TsvWriter,
    "jsonl": JsonLinesWriter,
    "json": JsonArrayWriter,
    "parquet": ParquetWriter,
    "xlsx": XlsxWriter,
}


@pytest.mark.parametrize("format_name", FORMATS)
def test_each_format_has_its_writer(format_name: str) -> None:
    writer = record_writer(format_name, io.BytesIO(), COLUMNS)
    assert type(writer) is WRITERS[format_name]
    writer.close()


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_value_that_is_not_of_its_type_stops_no_format(format_name: str) -> None:
    odd = ["x", "seven", "a lot", "maybe", "soon", "later", [1], "no list"]

    assert written(format_name, [odd])
