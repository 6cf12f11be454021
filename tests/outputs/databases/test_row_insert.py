"""RowInsert: records become rows; of equal keys the first of a run counts, and the last run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from scoopi.outputs.databases.row_insert import RowInsert, quoted, quoted_table

RUN = "_run"


def table(connection: sa.Connection, *key: str) -> sa.Table:
    columns = [sa.Column(name, sa.Text) for name in ("title", "price", RUN)]
    unique = [sa.UniqueConstraint(*key)] if key else []
    made = sa.Table("books", sa.MetaData(), *columns, *unique)
    made.create(connection)
    return made


def insert(table: sa.Table, key: tuple[str, ...] = (), run: str = "r1") -> RowInsert:
    return RowInsert(table, key, [str.upper, lambda value: value], RUN, run)


def rows(connection: sa.Connection) -> Sequence[tuple[Any, ...]]:
    return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM books ORDER BY 1, 2")]


def test_values_are_converted_and_the_run_stands_in_the_last_column(connection: sa.Connection) -> None:
    made = insert(table(connection)).all(connection, [[("a", "1"), ("a", "1")], [], [("b", None)]])
    assert made == (3, 0)
    assert rows(connection) == [("A", "1", "r1"), ("A", "1", "r1"), ("B", None, "r1")]


def test_of_equal_keys_in_one_run_the_first_counts(connection: sa.Connection) -> None:
    into = insert(table(connection, "title"), ("title",))
    assert into.all(connection, [[("a", "1"), ("a", "2"), ("b", "3")], [("a", "4")]]) == (2, 2)
    assert rows(connection) == [("A", "1", "r1"), ("B", "3", "r1")]


def test_rows_of_an_earlier_run_are_updated(connection: sa.Connection) -> None:
    books = table(connection, "title")
    insert(books, ("title",), "r1").all(connection, [[("a", "1"), ("b", "2")]])
    assert insert(books, ("title",), "r2").all(connection, [[("a", "9")]]) == (1, 0)
    assert rows(connection) == [("A", "9", "r2"), ("B", "2", "r1")]


def test_a_record_without_a_value_in_its_key_is_a_duplicate_of_no_other(connection: sa.Connection) -> None:
    into = insert(table(connection, "title", "price"), ("title", "price"))
    assert into.all(connection, [[("a", None), ("a", None)]]) == (2, 0)


@pytest.mark.parametrize(
    ("schema", "name", "shown"),
    [(None, "books", '"books"'), ("shop", "books", '"shop"."books"'), (None, 'a"b', '"a""b"')],
)
def test_a_name_is_quoted_with_its_schema(schema: str | None, name: str, shown: str) -> None:
    assert quoted_table(sa.Table(name, sa.MetaData(), schema=schema)) == shown
    assert quoted("order") == '"order"'
