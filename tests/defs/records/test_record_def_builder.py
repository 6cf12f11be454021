"""build_record_def: what the keys of a data definition with fields become."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.defs.records.record_def_builder import outputs_of, read_expectation
from scoopi.model.records import Column, ColumnType, Expectation
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.scrape.task_def import OutputDef
from tests.defs.written import check_in


def built(folder: Path, keys: str) -> RecordDef:
    """The data definition with these keys, which must be valid."""
    text = f"""
    locatorGroups: {{ list: /a.html }}
    taskGroups: {{ list: {{ books: {{ dataDef: book, output: books.csv }} }} }}
    dataDefs:
      book: {{ each: li, {keys} }}
    """
    outcome = check_in(folder, {"defs.yml": text})
    assert outcome.found == []
    return outcome.definitions.record_defs["book"]


def field(folder: Path, keys: str) -> FieldDef:
    return built(folder, f"fields: {{ stock: {{ select: b, {keys} }} }}").fields[0]


@pytest.mark.parametrize(
    ("mapped", "kind"),
    [
        ('{ none: "0", many: "+12" }', ColumnType.INTEGER),
        ('{ none: "0", half: "0.5" }', ColumnType.DECIMAL),
        ('{ sold: "false", here: "true" }', ColumnType.BOOLEAN),
        ('{ sold: "false", here: "2" }', ColumnType.TEXT),
    ],
)
def test_a_field_with_a_map_has_the_type_that_all_its_values_have(
    tmp_path: Path, mapped: str, kind: ColumnType
) -> None:
    assert field(tmp_path, f"map: {mapped}").column_type is kind


def test_a_given_type_counts_more_than_the_values_of_a_map(tmp_path: Path) -> None:
    assert field(tmp_path, 'map: { none: "0" }, type: text').column_type is ColumnType.TEXT


def test_a_value_that_is_kept_although_it_cannot_be_converted_makes_a_column_of_text(tmp_path: Path) -> None:
    kept = field(tmp_path, "type: integer, onError: keep")
    assert (kept.type, kept.column_type) == ("integer", ColumnType.TEXT)


def test_a_price_has_a_column_of_its_currency_behind_it(tmp_path: Path) -> None:
    columns = built(tmp_path, "fields: { price: { select: b, type: price }, title: a }").schema.columns
    assert [(column.name, column.type) for column in columns] == [
        ("price", ColumnType.DECIMAL),
        ("price_currency", ColumnType.TEXT),
        ("title", ColumnType.TEXT),
    ]


def test_columns_of_meta_come_before_those_of_the_fields(tmp_path: Path) -> None:
    schema = built(tmp_path, "meta: [ page, fetchedAt ], key: title, fields: { title: a }").schema
    assert [column.name for column in schema.all_columns] == ["page", "fetchedAt", "title"]
    assert schema.key == ("title",)
    assert isinstance(schema.columns[0], Column)


@pytest.mark.parametrize(
    ("subject", "text", "expected"),
    [
        ("records", "20", (20, 20, False)),
        ("records", "20-", (20, None, False)),
        ("records", " 20-30 ", (20, 30, False)),
        ("price", "95 %", (0.95, None, True)),
        ("price", "0.5%", (0.005, None, True)),
    ],
)
def test_an_expectation_is_a_number_a_range_or_a_share(
    subject: str, text: str, expected: tuple[float, float | None, bool]
) -> None:
    found = read_expectation(subject, text)
    assert isinstance(found, Expectation)
    assert (found.least, found.most, found.is_share) == expected


@pytest.mark.parametrize(
    ("subject", "text"), [("records", "95 %"), ("price", "20"), ("price", "101 %"), ("price", "-1 %")]
)
def test_a_share_of_records_or_a_number_of_values_is_no_expectation(subject: str, text: str) -> None:
    assert read_expectation(subject, text) is None


def test_a_task_writes_a_file_of_its_definitions_name_unless_it_says_otherwise() -> None:
    assert outputs_of("book", ()) == (OutputDef("book.jsonl"),)
    written = (OutputDef("a.csv"), OutputDef("none"))
    assert outputs_of("book", written) == (OutputDef("a.csv"),)
