"""A store opens beside a process that is creating it, and names a file that stays locked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import RUN
from scoopi.store.solo import sqlite_faults
from scoopi.store.solo.sqlite_faults import damaged_store, set_when_free, store_error
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


@pytest.mark.parametrize(
    ("file", "owner", "full", "damaged"),
    [
        ("store.db", "the run's store", "then `scoopi resume`", "start a new run"),
        ("state.db", "the scheduler's store", "then try again", "deploy the project again"),
    ],
)
def test_an_error_says_whose_store_it_is_and_what_its_user_can_do(
    file: str, owner: str, full: str, damaged: str
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_WRITE"
    failed, foreign = store_error(Path(file), error), damaged_store(Path(file), "no tables")
    assert failed.what == f"{owner} cannot be used: disk I/O error (SQLITE_IOERR_WRITE)"
    assert failed.hint.endswith(full)
    assert foreign.what == f"{owner} cannot be used: no tables"
    assert foreign.hint.endswith(damaged)
    unnamed = store_error(Path(file), sqlite3.Error("odd"))
    assert (unnamed.what, unnamed.hint) == (f"{owner} cannot be used: odd", "try again")


class Locked:
    """A connection whose first calls fail with an error."""

    def __init__(self, code: int, failures: int) -> None:
        self.done: list[str] = []
        self._code = code
        self._failures = failures

    def execute(self, pragma: str) -> None:
        if self._failures:
            self._failures -= 1
            error = sqlite3.OperationalError("failed")
            error.sqlite_errorcode = self._code
            raise error
        self.done.append(pragma)


def test_each_pragma_is_repeated_while_the_file_is_locked_but_no_longer_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, pauses = 1000.0, list[float]()

    def sleep(seconds: float) -> None:
        nonlocal now
        pauses.append(seconds)
        now += 1

    monkeypatch.setattr(sqlite_faults, "time", SimpleNamespace(monotonic=lambda: now, sleep=sleep))
    connection: Any = Locked(sqlite3.SQLITE_BUSY | 2 << 8, failures=5)
    set_when_free(connection, ("a", "b"), 5)
    assert connection.done == ["a", "b"]
    assert len(pauses) == 5, "a busy loop would take the processor from the other process"
    connection = Locked(sqlite3.SQLITE_BUSY, failures=6)
    with pytest.raises(sqlite3.OperationalError):
        set_when_free(connection, ("a",), 5)
    pauses.clear()
    connection = Locked(sqlite3.SQLITE_IOERR, failures=1)
    with pytest.raises(sqlite3.OperationalError):
        set_when_free(connection, ("a",), 5)
    assert pauses == []
