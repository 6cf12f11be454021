"""CSV and TSV: a header, quoted values, missing ones empty, lists as JSON."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.records import Column
from tests.outputs.written_records import COLUMNS, EMPTY, FULL, written


def test_csv_has_names_above_empty_missing_values_and_json_lists() -> None:
    text = written("csv", [FULL], [EMPTY]).decode()

    head, full, empty = csv.reader(io.StringIO(text, newline=""))
    assert head == [column.name for column in COLUMNS]
    assert full == ["a, b", "7", "12.50", "true", *FULL[4:6], '{"a":[1]}', '["x","y"]']
    assert empty == [""] * len(COLUMNS)


def test_tsv_has_tabs() -> None:
    assert written("tsv", [["a\tb", "c"]], columns=(Column("x"), Column("y"))) == b'x\ty\n"a\tb"\tc\n'


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_csv_is_read_as_it_was_written(records: list[list[str]]) -> None:
    text = written("csv", records, columns=(Column("x"), Column("y"))).decode("utf-8", "surrogatepass")

    assert [*csv.reader(io.StringIO(text, newline=""))] == [["x", "y"], *records]


def test_a_carriage_return_is_quoted_and_other_records_of_the_batch_are_not() -> None:
    columns = (Column("x"), Column("y"))
    assert written("csv", [["a\rb", "c"], ["d", "e"]], columns=columns) == b'x,y\n"a\rb","c"\nd,e\n'
