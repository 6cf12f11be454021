"""Records as lines of CSV and of JSON."""

from __future__ import annotations

from scoopi.model.records import Column, ColumnType, Records, RecordSchema
from scoopi.plugins.encoders.record_encoders import csv_header, csv_rows, jsonl_rows

SCHEMA = RecordSchema(
    "book",
    (
        Column("title"),
        Column("price", ColumnType.DECIMAL),
        Column("tags", is_list=True),
        Column("new", ColumnType.BOOLEAN),
    ),
)
RECORDS = Records("book", (('A "b", c', "1.50", ["x", "y"], True), (None, None, None, None)))


def test_csv_leaves_missing_values_empty_and_writes_lists_as_json() -> None:
    assert csv_header(SCHEMA) == b"title,price,tags,new\n"
    assert csv_rows(RECORDS) == b'"A ""b"", c",1.50,"[""x"",""y""]",true\n,,,\n'


def test_json_lines_have_numbers_as_numbers_and_null_for_a_missing_value() -> None:
    assert jsonl_rows(SCHEMA)(RECORDS).splitlines() == [
        b'{"title":"A \\"b\\", c","price":1.50,"tags":["x","y"],"new":true}',
        b'{"title":null,"price":null,"tags":null,"new":null}',
    ]
