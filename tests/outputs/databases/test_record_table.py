"""RecordTable: rows and offset in one transaction, on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from scoopi.errors import AppenderError, DefsError
from scoopi.model.records import Column, ColumnType, RecordSchema
from scoopi.outputs.databases.database import Database
from scoopi.outputs.databases.record_table import MovedError, OffsetMove, RecordTable

TITLE, PRICE = Column("title"), Column("price", ColumnType.DECIMAL)
PLAIN = RecordSchema("book", (TITLE, PRICE))
KEYED = RecordSchema("book", (TITLE, PRICE), key=("title",))
ALL = RecordSchema(
    "all",
    (
        Column("words"),
        Column("number", ColumnType.INTEGER),
        PRICE,
        Column("flag", ColumnType.BOOLEAN),
        Column("day", ColumnType.DATE),
        Column("moment", ColumnType.DATETIME),
        Column("data", ColumnType.JSON),
        Column("tags", is_list=True),
    ),
)


def rows(
    database: Database, sql: str = "SELECT title, price FROM books ORDER BY 1, 2"
) -> list[tuple[Any, ...]]:
    with database.transaction() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def execute(database: Database, sql: str) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql(sql)


def test_rows_and_the_offset_of_their_segment_are_written_together(database: Database) -> None:
    table = RecordTable(database, "books", PLAIN, "run")
    start = table.position("segment")

    table.write([OffsetMove("segment", start, 70)], [[["Rye", "4.20"]], [["Oat", None]]])

    assert (start, table.position("segment"), table.loaded()) == (0, 70, (2, 0))
    assert [(title, price if price is None else float(price)) for title, price in rows(database)] == [
        ("Oat", None),
        ("Rye", 4.2),
    ]


def test_nothing_is_written_from_an_offset_that_another_process_has_moved(database: Database) -> None:
    table = RecordTable(database, "books", PLAIN, "run")
    table.position("segment")
    table.write([OffsetMove("segment", 0, 70)], [[["Rye", "4.20"]]])

    with pytest.raises(MovedError):
        table.write([OffsetMove("segment", 0, 90)], [[["Rye", "4.20"]]])

    assert len(rows(database)) == 1
    assert table.position("segment") == 70


def test_a_refused_row_leaves_neither_rows_nor_offset(database: Database) -> None:
    table = RecordTable(database, "books", PLAIN, "run")
    table.position("segment")
    execute(database, "CREATE UNIQUE INDEX title_once ON books (title)")

    with pytest.raises(AppenderError, match="rejects"):
        table.write([OffsetMove("segment", 0, 70)], [[["Rye", "4.20"]], [["Rye", "4.20"]]])

    assert (rows(database), table.position("segment")) == ([], 0)


def test_of_equal_keys_the_first_record_of_a_run_wins(database: Database) -> None:
    table = RecordTable(database, "books", KEYED, "run")
    table.position("a")
    table.write([OffsetMove("a", 0, 1)], [[["Rye", "1"], ["Oat", "2"], ["Rye", "3"]]])
    table.write([OffsetMove("a", 1, 2)], [[["Oat", "4"], ["Bran", "5"]]])

    found = {title: int(price) for title, price in rows(database)}
    assert found == {"Rye": 1, "Oat": 2, "Bran": 5}
    assert table.loaded() == (3, 2)


def test_rows_of_earlier_runs_are_updated(database: Database) -> None:
    for run, price in (("first", "1"), ("second", "2")):
        table = RecordTable(database, "books", KEYED, run)
        table.position("a")
        table.write([OffsetMove("a", 0, 1)], [[["Rye", price], ["Rye", "9"]]])

    assert [(title, int(price)) for title, price in rows(database)] == [("Rye", 2)]
    assert table.loaded() == (1, 1)


def test_a_record_without_a_value_for_its_key_is_equal_to_no_other(database: Database) -> None:
    table = RecordTable(database, "books", KEYED, "run")
    table.position("a")

    table.write([OffsetMove("a", 0, 1)], [[[None, "1"], [None, "2"]]])

    assert len(rows(database)) == 2


def test_values_of_every_type_are_kept_exactly(database: Database) -> None:
    record = [
        "a\x00b",
        2**53 + 1,
        "12345678901234567890.123456789",
        True,
        "2026-03-01",
        None,
        {"a": [1]},
        ["x"],
    ]
    record[5] = "2026-03-01T08:00:00+01:00"
    table = RecordTable(database, "books", ALL, "run")
    table.position("a")

    table.write([OffsetMove("a", 0, 1)], [[record, [None] * len(record)]])

    found = rows(database, "SELECT * FROM books ORDER BY number")
    filled, missing = sorted(found, key=lambda row: row[1] is None)
    assert missing == (*(None,) * len(record), "run")
    assert filled[1] == 2**53 + 1
    assert str(filled[2]) == "12345678901234567890.123456789"
    assert bool(filled[3]) is True
    assert str(filled[4]) == "2026-03-01"
    if database.dialect == "postgresql":
        assert filled[0] == "a\N{REPLACEMENT CHARACTER}b"
        assert (filled[6], filled[7]) == ({"a": [1]}, ["x"])
        assert filled[5].utctimetuple()[3] == 7
    else:
        assert filled[0] == "a\x00b"
        assert (filled[5], filled[6], filled[7]) == ("2026-03-01T08:00:00+01:00", '{"a":[1]}', '["x"]')


def test_a_table_that_does_not_match_is_an_error_that_shows_the_difference(database: Database) -> None:
    execute(database, "CREATE TABLE books (title INTEGER, id INTEGER NOT NULL)")

    with pytest.raises(DefsError) as raised:
        RecordTable(database, "books", KEYED, "run").ensure()

    text = str(raised.value)
    assert "column title is INTEGER, and must be TEXT" in text
    assert "column price is missing" in text
    assert "column id may not be null" in text


def test_the_hint_of_missing_columns_is_the_statement_that_adds_them(database: Database) -> None:
    RecordTable(database, "books", RecordSchema("book", (TITLE,)), "run").ensure()

    with pytest.raises(DefsError) as raised:
        RecordTable(database, "books", KEYED, "run").ensure()
    for statement in raised.value.hint.removeprefix("run ").partition("; or")[0].split("; "):
        if statement.startswith(("ALTER", "CREATE")):
            execute(database, statement)
    with pytest.raises(DefsError, match="is not unique") as raised:
        RecordTable(database, "books", KEYED, "run").ensure()
    execute(database, raised.value.hint.removeprefix("run ").partition(";")[0])

    RecordTable(database, "books", KEYED, "run").ensure()


def test_a_table_with_further_columns_of_its_own_is_taken(database: Database) -> None:
    columns = "id INTEGER PRIMARY KEY, title TEXT, price NUMERIC, note TEXT, scoopi_run TEXT"
    execute(database, f"CREATE TABLE books ({columns})")
    if database.dialect == "postgresql":
        execute(database, "ALTER TABLE books ALTER id ADD GENERATED ALWAYS AS IDENTITY")
    table = RecordTable(database, "books", PLAIN, "run")
    table.position("a")

    table.write([OffsetMove("a", 0, 1)], [[["Rye", "1"]]])

    assert len(rows(database)) == 1


def test_the_rows_of_a_run_that_was_lost_are_removed_and_no_others(database: Database) -> None:
    for run in ("earlier", "lost"):
        table = RecordTable(database, "books", PLAIN, run)
        table.position("a")
        table.write([OffsetMove("a", 0, 1)], [[[run, "1"], [run, "2"]]])

    lost = RecordTable(database, "books", PLAIN, "lost")

    assert [lost.discard(), lost.discard()] == [2, 0]
    assert {title for title, _ in rows(database)} == {"earlier"}


def test_the_rows_of_a_table_with_a_key_stay_as_the_next_run_updates_them(database: Database) -> None:
    for run, price in (("lost", "1"), ("next", "2")):
        table = RecordTable(database, "books", KEYED, run)
        assert RecordTable(database, "books", KEYED, "lost").discard() == 0
        table.position("a")
        table.write([OffsetMove("a", 0, 1)], [[["Rye", price]]])

    assert [(title, int(price)) for title, price in rows(database)] == [("Rye", 2)]


def test_nothing_is_removed_where_there_is_no_table_or_none_of_scoopi(database: Database) -> None:
    table = RecordTable(database, "books", PLAIN, "lost")
    assert table.discard() == 0
    execute(database, "CREATE TABLE books (title TEXT, price NUMERIC)")
    execute(database, "INSERT INTO books VALUES ('Rye', 1)")
    assert table.discard() == 0
    assert len(rows(database)) == 1


def test_a_table_that_is_written_afresh_holds_only_the_new_rows(database: Database) -> None:
    for run in ("first", "second"):
        table = RecordTable(database, "books", PLAIN, run, ".held")
        table.position("a")
        table.write([OffsetMove("a", 0, 1)], [[[run, "1"]]], replace=True)

    assert [title for title, _ in rows(database, 'SELECT title, price FROM "books.held"')] == ["second"]


def test_names_of_columns_are_quoted(database: Database) -> None:
    schema = RecordSchema("odd", (Column("select"), Column("Größe 100 %")), key=("select",))
    table = RecordTable(database, "books", schema, "run")
    table.position("a")

    table.write([OffsetMove("a", 0, 1)], [[["x", "y"]]])

    with database.transaction() as connection:
        assert len(connection.execute(sa.select(table.table)).all()) == 1
