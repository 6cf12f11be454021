"""The port between records and outputs: columns, and rows as blocks."""

from __future__ import annotations

from scoopi.model.records import META_COLUMNS, Column, RecordSchema, packed_rows, read_records


def test_meta_columns_stand_before_the_fields() -> None:
    schema = RecordSchema("book", (Column("title"),), meta=(META_COLUMNS["page"],))
    assert [column.name for column in schema.all_columns] == ["page", "title"]


def test_packed_rows_of_several_pages_are_read_in_order() -> None:
    one: list[tuple[object, ...]] = [("Rye", 1, True, None, ["a", "b"], {"k": 1.5})]
    other: list[tuple[object, ...]] = [("Oat", -1, False, "", [], [])]
    rows = list(read_records(packed_rows(one) + packed_rows([]) + packed_rows(other)))
    assert rows == [list(row) for row in one + other]
