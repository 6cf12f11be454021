"""ChangeState: the records of a finished run in a file, with which the next run is compared."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scoopi.errors import AppenderError

_TABLES = """
CREATE TABLE about (definitions TEXT NOT NULL, base TEXT NOT NULL, finished REAL NOT NULL);
CREATE TABLE streams (stream TEXT PRIMARY KEY, columns TEXT NOT NULL, key TEXT NOT NULL);
CREATE TABLE records (
    stream TEXT NOT NULL, key BLOB NOT NULL, digest BLOB NOT NULL, change TEXT NOT NULL, job TEXT NOT NULL,
    row BLOB NOT NULL, PRIMARY KEY (stream, key)
) WITHOUT ROWID;
"""
_FAST = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384"
"""For a file that counts only once it is complete, synced and renamed."""
_UNREADABLE = "the state with which records are compared cannot be read"


class About(NamedTuple):
    """Whose records a state has.

    Attributes:
        definitions: the path of the definitions.
        base: the name of the run with which its records were compared; empty for none.
        finished: when the state was first complete, in seconds since 1970.
    """

    definitions: str
    base: str
    finished: float


class KnownRecord(NamedTuple):
    """A record of a state; `row` has values by column."""

    key: bytes
    digest: bytes
    job: str
    row: dict[str, Any]


class ChangeState:
    """The records of a run by the digest of their key, with a digest of their values, in a SQLite file.

    Belongs to one thread. A context manager that closes the file.

    Args:
        file: a state that is complete, or the place of a new one.
        base: the state with which records are compared, if there is one; only for a new one.
    Raises:
        AppenderError: a file cannot be read.
    """

    def __init__(self, file: Path, base: Path | None = None, *, is_new: bool = False) -> None:
        self._file = file
        try:
            self._base = None if base is None else _opened(base)
            self._connection = sqlite3.connect(file, isolation_level=None) if is_new else _opened(file)
            if is_new:
                self._connection.executescript(_FAST)
                self._connection.executescript(_TABLES)
                self._connection.execute("BEGIN")
                if base is not None:
                    self._connection.execute("ATTACH ? AS base", (str(base),))
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        self._encode = msgspec.msgpack.Encoder().encode

    def __enter__(self) -> ChangeState:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a new state that was not completed is of no use."""
        for connection in filter(None, (self._connection, self._base)):
            connection.close()

    def about(self) -> About:
        """Whose records these are."""
        with self._errors():
            return About(
                *self._connection.execute("SELECT definitions, base, finished FROM about").fetchone()
            )

    def begin_stream(self, stream: str, columns: Sequence[str], key: Sequence[str]) -> bool:
        """Records of this stream follow, with these columns.

        Returns:
            whether the base knows the stream, with the same key.
        """
        with self._errors():
            self._connection.execute(
                "INSERT INTO streams VALUES (?, ?, ?)", (stream, _packed(columns), _packed(key))
            )
            known = self._of_base("SELECT key FROM streams WHERE stream = ?", stream)
            return known is not None and known[0] == _packed(key)

    def base_digest(self, stream: str, key: bytes) -> bytes | None:
        """What the values of a record of the base were; None if it has none with that key."""
        found = self._of_base("SELECT digest FROM records WHERE stream = ? AND key = ?", stream, key)
        return None if found is None else bytes(found[0])

    def add(self, stream: str, known: tuple[bytes, bytes, str, Sequence[Any]], change: str) -> bool:
        """Add a record of the run.

        Args:
            known: key, digest, job, and the values of its row.
        Returns:
            False if there is one with its key already.
        """
        key, digest, job, row = known
        with self._errors():
            added = self._connection.execute(
                "INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?, ?)",
                (stream, key, digest, change, job, self._encode(row)),
            )
            return added.rowcount == 1

    def change_of(self, stream: str, key: bytes) -> str:
        """What was noted with the record of that key."""
        with self._errors():
            sql = "SELECT change FROM records WHERE stream = ? AND key = ?"
            return str(self._connection.execute(sql, (stream, key)).fetchone()[0])

    def unseen(self, stream: str) -> Iterator[KnownRecord]:
        """The records of the base that the run has not read; `keep` may be called in between."""
        if self._base is None:
            return
        with self._errors():
            columns = msgspec.json.decode(
                self._base.execute("SELECT columns FROM streams WHERE stream = ?", (stream,)).fetchone()[0]
            )
            found = self._base.execute(
                "SELECT key, digest, job, row FROM records WHERE stream = ? ORDER BY key", (stream,)
            )
            seen = "SELECT 1 FROM records WHERE stream = ? AND key = ?"
            for key, digest, job, row in found:
                if self._connection.execute(seen, (stream, key)).fetchone() is None:
                    values = dict(zip(columns, msgspec.msgpack.decode(row), strict=True))
                    yield KnownRecord(key, digest, job, values)

    def restore(self, stream: str) -> None:
        """Have the records of the base in place of those of the run; none without a base."""
        with self._errors():
            for table in ("streams", "records"):
                self._connection.execute(f"DELETE FROM main.{table} WHERE stream = ?", (stream,))  # noqa: S608
                if self._base is not None:
                    self._connection.execute(
                        f"INSERT INTO main.{table} SELECT * FROM base.{table} WHERE stream = ?",  # noqa: S608
                        (stream,),
                    )

    def complete(self, about: About) -> None:
        """Write the end of a new state."""
        with self._errors():
            self._connection.execute("INSERT INTO about VALUES (?, ?, ?)", about)
            self._connection.execute("COMMIT")

    def _of_base(self, sql: str, *values: object) -> Any:
        if self._base is None:
            return None
        with self._errors():
            return self._base.execute(sql, values).fetchone()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: sqlite3.Error) -> AppenderError:
        return AppenderError(
            f"{_UNREADABLE}: {error}", at=str(self._file), hint="make room, or remove the file of the state"
        )


def _packed(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()


def _opened(file: Path) -> sqlite3.Connection:
    """A complete state, which is only read."""
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    if connection.execute("SELECT 1 FROM about").fetchone() is None:
        raise sqlite3.DatabaseError("it is not complete")
    return connection
