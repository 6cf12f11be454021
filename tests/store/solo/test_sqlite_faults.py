"""A store opens beside a process that is creating it, and names a file that stays locked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import RUN
from scoopi.store.solo.sqlite_store import SqliteStore


@pytest.fixture
def creator(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that has a transaction open in a new file, as a process that creates the store."""
    connection = sqlite3.connect(tmp_path / "store.db", isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def test_a_store_opens_when_the_process_that_creates_it_is_ready(
    tmp_path: Path, creator: sqlite3.Connection
) -> None:
    with pytest.raises(sqlite3.OperationalError, match="locked"):  # SQLite itself does not wait
        sqlite3.connect(tmp_path / "store.db", timeout=60).execute("PRAGMA journal_mode=WAL")
    ready = threading.Timer(0.1, creator.execute, ("COMMIT",))
    ready.start()
    store = SqliteStore(tmp_path / "store.db", busy_ms=60_000)
    assert store.put_if_absent_all(RUN, [("a", b"1")])[0].won
    store.close()
    ready.join()


def test_a_file_that_stays_locked_is_named(tmp_path: Path, creator: sqlite3.Connection) -> None:
    with pytest.raises(StoreError, match=r"SQLITE_BUSY.*another process"):
        SqliteStore(tmp_path / "store.db", busy_ms=30)
    creator.execute("ROLLBACK")
    SqliteStore(tmp_path / "store.db", busy_ms=30).close()
