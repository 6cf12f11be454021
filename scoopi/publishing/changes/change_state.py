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
_FAST = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"
"""Safe here: the file is used only once it is complete, synced and renamed."""
_REST = "SELECT stream FROM base.streams WHERE stream NOT IN (SELECT stream FROM streams)"
_UNSEEN = """
SELECT key, digest, job, row FROM base.records AS known WHERE stream = ? AND NOT EXISTS (
    SELECT 1 FROM main.records AS read WHERE read.stream = known.stream AND read.key = known.key
) ORDER BY key
"""
_REMOVE = ("DELETE FROM main.streams WHERE stream = ?", "DELETE FROM main.records WHERE stream = ?")
_COPY = (
    "INSERT INTO main.streams SELECT * FROM base.streams WHERE stream = ?",
    "INSERT INTO main.records SELECT * FROM base.records WHERE stream = ?",
)


class StateHeader(NamedTuple):
    """What the records of a ChangeState belong to.

    Attributes:
        definitions: the path of the definitions.
        base: the name of the run that they were compared with; empty for none.
        finished: when the state was first complete, in seconds since 1970.
    """

    definitions: str
    base: str
    finished: float


class KnownRecord(NamedTuple):
    """A record in a ChangeState.

    Attributes:
        key: digest of the values of its key.
        digest: of all of its values.
        job: id of the job that has read it.
        row: column -> value.
    """

    key: bytes
    digest: bytes
    job: str
    row: dict[str, Any]


class ChangeState:
    """The records of a run in a SQLite file, by the digest of their key, with a digest of their values.

    A stream is the records of one task, by the name that they have in frames. Used by one thread. A context
    manager that closes the file.

    Args:
        file: a complete state, or the path of a new one.
        base: the state that the records of a new one are compared with; None for none.
        is_new: whether to create the file.
    Raises:
        AppenderError: a file cannot be read.
    """

    def __init__(self, file: Path, base: Path | None = None, *, is_new: bool = False) -> None:
        self._file = file
        self._has_base = base is not None
        with self._errors():
            self._connection = sqlite3.connect(
                file.absolute().as_uri() if is_new else _complete(file), uri=True, isolation_level=None
            )
            if is_new:
                self._connection.executescript(_FAST + _TABLES)
                if base is not None:
                    self._connection.execute("ATTACH ? AS base", (_complete(base),))
                    _ensure_complete(self._connection, "SELECT 1 FROM base.about")
                self._connection.execute("BEGIN")
            else:
                _ensure_complete(self._connection, "SELECT 1 FROM about")
        self._encode = msgspec.msgpack.Encoder().encode

    def __enter__(self) -> ChangeState:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a new state that was not completed cannot be opened again."""
        self._connection.close()

    def about(self) -> StateHeader:
        """The definitions of the records, what they were compared with, and when they were complete."""
        with self._errors():
            return StateHeader(
                *self._connection.execute("SELECT definitions, base, finished FROM about").fetchone()
            )

    def begin_stream(self, stream: str, columns: Sequence[str], key: Sequence[str]) -> bool:
        """Begin a stream of records with these columns.

        Returns:
            Whether the base has the stream, with the same key.
        """
        with self._errors():
            self._connection.execute(
                "INSERT INTO streams VALUES (?, ?, ?)", (stream, _packed(columns), _packed(key))
            )
            known: str | None = self._of_base("SELECT key FROM base.streams WHERE stream = ?", stream)
            return known == _packed(key)

    def base_digest(self, stream: str, key: bytes) -> bytes | None:
        """The digest of a record's values in the base; None if the base has no record with that key."""
        digest: bytes | None = self._of_base(
            "SELECT digest FROM base.records WHERE stream = ? AND key = ?", stream, key
        )
        return digest

    def add(self, stream: str, known: tuple[bytes, bytes, str, Sequence[Any]], change: str) -> bool:
        """Add a record of the run.

        Args:
            known: see `KnownRecord`; the values of the row are in the order of the stream's columns.
            change: what has changed, `new` or `changed`; empty if nothing has.
        Returns:
            False if there already is a record with its key.
        """
        key, digest, job, row = known
        with self._errors():
            added = self._connection.execute(
                "INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?, ?)",
                (stream, key, digest, change, job, self._encode(row)),
            )
            return added.rowcount == 1

    def known(self, stream: str, key: bytes) -> tuple[bytes, str, list[Any]]:
        """Return what `add` has stored for the record with a key.

        Returns:
            The digest of its values, what has changed in it (see `add`), and its values, in the order of the
            columns.
        """
        with self._errors():
            sql = "SELECT digest, change, row FROM records WHERE stream = ? AND key = ?"
            digest, change, row = self._connection.execute(sql, (stream, key)).fetchone()
        return digest, change, msgspec.msgpack.decode(row)

    def unseen(self, stream: str) -> Iterator[KnownRecord]:
        """The records of the base that this run has not added so far; `add` may be called while iterating."""
        columns = self._of_base("SELECT columns FROM base.streams WHERE stream = ?", stream)
        if columns is None:
            return
        names = msgspec.json.decode(columns)
        with self._errors():
            for key, digest, job, row in self._connection.execute(_UNSEEN, (stream,)):
                values = dict(zip(names, msgspec.msgpack.decode(row), strict=True))
                yield KnownRecord(key, digest, job, values)

    def restore(self, stream: str) -> None:
        """Replace the records of a stream by those of the base; without a base remove them."""
        with self._errors():
            for statement in (*_REMOVE, *(_COPY if self._has_base else ())):
                self._connection.execute(statement, (stream,))

    def restore_rest(self) -> None:
        """Copy the records of the base for all streams that this run does not have."""
        if not self._has_base:
            return
        with self._errors():
            rest = self._connection.execute(_REST).fetchall()
        for (stream,) in rest:
            self.restore(stream)

    def complete(self, about: StateHeader) -> None:
        """Add the header of a new state and commit it; only now can the file be opened again."""
        with self._errors():
            self._connection.execute("INSERT INTO about VALUES (?, ?, ?)", about)
            self._connection.execute("COMMIT")

    def _of_base(self, sql: str, *values: object) -> Any:
        """The single value that a query finds in the base; None if there is none."""
        if not self._has_base:
            return None
        with self._errors():
            found = self._connection.execute(sql, values).fetchone()
            return None if found is None else found[0]

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise AppenderError(
                f"the records to compare with cannot be read or written: {error}",
                at=str(self._file),
                hint="free some space, or remove this file",
            ) from error


def _packed(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()


def _complete(file: Path) -> str:
    """The SQLite URI that opens a complete state read-only."""
    return f"{file.absolute().as_uri()}?mode=ro&immutable=1"


def _ensure_complete(connection: sqlite3.Connection, sql: str) -> None:
    if connection.execute(sql).fetchone() is None:
        raise sqlite3.DatabaseError("it is not complete")
