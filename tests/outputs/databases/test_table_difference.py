"""differences: in which points an existing table does not match the records, and what would help."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from scoopi.errors import DefsError
from scoopi.outputs.databases.table_difference import Differences, differences

WANTED = sa.Table("books", sa.MetaData(), sa.Column("title", sa.Text), sa.Column("pages", sa.BigInteger))


def difference_to(connection: sa.Connection, columns: str = "", key: tuple[str, ...] = ()) -> Differences:
    if columns:
        connection.exec_driver_sql(f"CREATE TABLE books ({columns})")
    return differences(connection, WANTED, key)


@pytest.mark.parametrize(
    "columns",
    [
        "",
        "title TEXT, pages BIGINT",
        "title, pages",
        "title VARCHAR(9), pages BOOLEAN",
        "id INTEGER PRIMARY KEY, title TEXT, pages INT, note TEXT, kind TEXT NOT NULL DEFAULT 'x'",
    ],
)
def test_a_table_that_takes_every_record_has_no_difference(connection: sa.Connection, columns: str) -> None:
    differ = difference_to(connection, columns)
    assert differ == Differences("books", differ.found, differ.remedies)
    assert [*differ.found] == []
    differ.raise_if_any("books.db")


def test_a_missing_column_has_a_remedy(connection: sa.Connection) -> None:
    differ = difference_to(connection, "title TEXT")
    assert [*differ.found] == ["column pages is missing"]
    (remedy,) = differ.remedies
    connection.exec_driver_sql(remedy)
    assert [*difference_to(connection).found] == []


def test_a_key_that_is_not_unique_has_a_remedy(connection: sa.Connection) -> None:
    differ = difference_to(connection, "title TEXT, pages BIGINT", ("title", "pages"))
    assert [*differ.found] == ['its key "title", "pages" is not unique']
    (remedy,) = differ.remedies
    connection.exec_driver_sql(remedy)
    assert [*difference_to(connection, key=("pages", "title")).found] == []
    assert [*difference_to(connection, key=("title",)).found] == ['its key "title" is not unique']


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ("title INTEGER, pages BIGINT", "column title is INTEGER, and must be TEXT"),
        ("title TEXT, pages TEXT", "column pages is TEXT, and must be BIGINT"),
        ("title TEXT, pages BIGINT, isbn TEXT NOT NULL", "column isbn may not be null"),
    ],
)
def test_what_cannot_be_added_is_named_without_a_remedy(
    connection: sa.Connection, columns: str, fault: str
) -> None:
    differ = difference_to(connection, columns)
    assert len(differ.found) == 1
    assert fault in differ.found[0]
    assert [*differ.remedies] == []
    with pytest.raises(DefsError, match="table books does not match the records") as refused:
        differ.raise_if_any("books.db")
    assert (refused.value.at, refused.value.hint) == (
        "books.db",
        "change the table or write to another table",
    )


def test_the_hint_has_the_statements_only_if_they_are_enough(connection: sa.Connection) -> None:
    with pytest.raises(DefsError) as refused:
        difference_to(connection, "title TEXT").raise_if_any("books.db")
    assert "run ALTER TABLE" in (refused.value.hint or "")
    both = Differences("books", ("one", "two"), ("ALTER TABLE x",))
    with pytest.raises(DefsError) as refused:
        both.raise_if_any("books.db")
    assert refused.value.hint == "change the table or write to another table"
