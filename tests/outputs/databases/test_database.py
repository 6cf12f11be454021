"""Database: its faults are named, and say whether a retry can help."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from scoopi.errors import AppenderError, StoreError
from scoopi.outputs.databases.database import Database
from scoopi.outputs.target import parse_target
from tests.outputs.postgres_server import PostgresServer


def selected(database: Database) -> object:
    with database.transaction() as connection:
        return connection.exec_driver_sql("SELECT 42").scalar()


def test_a_server_that_is_away_is_asked_again(tmp_path: Path) -> None:
    with PostgresServer() as server:
        database = Database(parse_target(f"{server.database('shop')}#books"), tmp_path)
        before = selected(database)
        server.kill()
        with pytest.raises(StoreError, match="does not answer"):
            selected(database)
        server.start()

        assert (before, selected(database)) == (42, 42)
        database.close()


def test_what_a_database_refuses_is_not_tried_again(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE books (title TEXT NOT NULL)")

    with pytest.raises(AppenderError, match="rejects"), database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO books VALUES (NULL)")

    assert selected(database) == 42


def test_a_file_that_has_no_room_is_no_server_that_could_be_started(tmp_path: Path) -> None:
    database = Database(parse_target("sqlite:books.db#books"), tmp_path)

    def fill() -> None:
        with database.transaction() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")
            connection.exec_driver_sql("CREATE TABLE books (title TEXT)")

    with pytest.raises(StoreError) as raised:
        fill()

    assert "the file cannot be used: " in str(raised.value)
    assert "full; free some space, or fix the rights" in str(raised.value)
    database.close()


def test_a_file_that_cannot_be_made_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    database = Database(parse_target("sqlite:file/books.db#books"), tmp_path)

    with pytest.raises(AppenderError) as raised:
        selected(database)

    assert str(tmp_path / "file" / "books.db") in str(raised.value)
    assert not database.path or not database.path.exists()


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE books (title TEXT)")

    with contextlib.suppress(RuntimeError):
        _insert_and_fail(database)

    with database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM books").scalar() == 0


def _insert_and_fail(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO books VALUES ('Rye')")
        raise RuntimeError
