"""SqliteStore: the store in one SQLite file, of a run on one machine or of a scheduler."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from scoopi.errors import StoreError
from scoopi.model.decoders import json_decoder
from scoopi.store.ports import RUN_MAPS, Change, Outcome, StoreMap
from scoopi.store.record_codec import indexed_kind
from scoopi.store.solo import statements
from scoopi.store.solo.sqlite_faults import damaged_store, set_when_free, store_error

_BUSY_MS = 5000


class _UnlikeError(Exception):
    """A record is not as expected, so its transaction is undone."""


class SqliteStore:
    """The store in one SQLite file, of a run on one machine or of a scheduler.

    Each call is one transaction.

    Thread-safe; calls run one after another. A commit is not synced (WAL, `synchronous=NORMAL`): it survives
    a crash of the process; after a power failure the file has an earlier, but consistent state. A batch uses
    few statements, and a query returns a single row, because Python releases its lock at each step of
    SQLite, and in a process with busy threads each step may wait 5 ms to get it back.

    Args:
        path: the file, which is created if it does not exist; its folder must exist.
        busy_ms: how long a call waits for another process that has locked the file, in milliseconds.
        maps: the maps of this store; each is a table.

    Raises:
        StoreError: the file cannot be opened, is not a store, or was written by another version.
    Source: ARCHITECTURE, protocol rule 13.
    """

    def __init__(self, path: Path, busy_ms: int = _BUSY_MS, maps: Sequence[StoreMap] = RUN_MAPS) -> None:
        busy_s = busy_ms / 1000
        self._path = path
        self._lock = threading.Lock()
        self._maps = maps
        self._indexed = {kept: json_decoder(indexed_kind(kept, "")).decode for kept in maps if kept.index}
        self._connection: sqlite3.Connection | None = None
        with self._faults_named():
            if not path.exists():
                with suppress(OSError):  # the next line raises the error
                    path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path,
                timeout=busy_s,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=statements.MOST_COMPILED,
            )
            try:
                self._prepare(self._connection, busy_s)
            except BaseException:
                self.close()
                raise

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """See `Store`."""
        records: dict[str, bytes] = {}
        with self._reading() as connection:
            for chunk in statements.chunks(keys):
                sql = statements.get(store_map, len(chunk))
                records.update(self._records(connection.execute(sql, chunk)))
        return records

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """See `Store`; of equal keys in one batch the first counts."""
        if not records:
            return []
        with self._writing() as connection:
            put = 0
            for chunk in statements.chunks(records):
                sql = statements.put(store_map, len(chunk))
                put += connection.execute(sql, self._columns(store_map, chunk)).rowcount
            if put == len(records):
                return [Outcome(True, value) for _, value in records]
            return self._settled(connection, store_map, records)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """See `Store`; changes of one key in one batch are made in their order."""
        if not changes:
            return []
        with self._writing() as connection:
            if len({change.key for change in changes}) == len(changes):
                return self._cas(connection, store_map, changes)
            return [self._cas(connection, store_map, [change])[0] for change in changes]

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """See `Store`."""
        if not keys:
            return
        with self._writing() as connection:
            for chunk in statements.chunks(keys):
                connection.execute(statements.delete(store_map, len(chunk)), chunk)

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See `Store`."""
        with self._writing() as connection:
            for chunk in statements.chunks(records):
                columns = [column for record in chunk for column in record]
                connection.execute(statements.delete_same(store_map, len(chunk)), columns)
            return [now.current is None for now in self._settled(connection, store_map, records)]

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """See `Store`."""
        try:
            with self._writing() as connection:
                self._move(connection, source, target, changes)
        except _UnlikeError:
            return False
        return True

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """See `Store`."""
        with self._writing() as connection:
            connection.execute(statements.delete_below(store_map), (key,))

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """See `Store`."""
        values = (after, limit) if index_value is None else (index_value, after, limit)
        with self._reading() as connection:
            return sorted(
                self._records(connection.execute(statements.scan(store_map, index_value), values)).items()
            )

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """See `Store`."""
        values = msgspec.json.encode(index_values).decode(), after, max(0, limit)
        with self._reading() as connection:
            return list(self._records(connection.execute(statements.scan_each(store_map), values)).items())

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """See `Store`."""
        with self._reading() as connection:
            row = connection.execute(
                statements.count(store_map, index_value), () if index_value is None else (index_value,)
            ).fetchone()
        return int(row[0])

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """See `Store`; on one machine records do not expire."""

    def close(self) -> None:
        """Close the file, which merges its write-ahead log; idempotent."""
        with self._lock, self._faults_named():
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _prepare(self, connection: sqlite3.Connection, busy_s: float) -> None:
        is_new = self._is_new(connection)  # before the first pragma, which would change a foreign file
        set_when_free(connection, statements.PRAGMAS, busy_s)
        if is_new:
            self._create(connection)

    def _create(self, connection: sqlite3.Connection) -> None:
        """Create the tables in a file without any, unless another process was first.

        After an error the connection must be closed, which undoes what was created.
        """
        connection.execute("BEGIN IMMEDIATE")
        if self._is_new(connection):
            for table in self._wanted():
                connection.execute(table)
            connection.execute(f"PRAGMA user_version={statements.VERSION}")
        connection.execute("COMMIT")

    def _is_new(self, connection: sqlite3.Connection) -> bool:
        """Whether the file has no tables yet.

        Raises:
            StoreError: it is not a store, or one of another version.
        """
        version, tables = connection.execute(statements.SCHEMA).fetchone()
        if version not in (0, statements.VERSION):
            raise StoreError(
                f"the store has version {version}, this Scoopi reads version {statements.VERSION}",
                at=str(self._path),
                hint="resume the run with the Scoopi that started it",
            )
        if {*msgspec.json.decode(tables)} != ({*self._wanted()} if version else set()):
            raise damaged_store(self._path, "it does not have the tables of a store")
        return not version

    def _wanted(self) -> list[str]:
        return [table for kept in self._maps for table in statements.tables(kept)]

    def _records(self, cursor: sqlite3.Cursor) -> dict[str, bytes]:
        try:
            return statements.records(*cursor.fetchone())
        except UnicodeDecodeError as error:
            raise damaged_store(self._path, "a key is not text") from error

    def _columns(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[str | bytes]:
        if (indexed := self._indexed.get(store_map)) is None:
            return [column for record in records for column in record]
        return [column for key, value in records for column in (key, value, indexed(value).index_value)]

    def _change_columns(self, store_map: StoreMap, changes: Sequence[Change]) -> list[str | bytes]:
        if (indexed := self._indexed.get(store_map)) is None:
            return [column for change in changes for column in change]
        return [column for key, old, new in changes for column in (key, old, new, indexed(new).index_value)]

    def _cas(
        self, connection: sqlite3.Connection, store_map: StoreMap, changes: Sequence[Change]
    ) -> list[Outcome]:
        changed = 0
        for chunk in statements.chunks(changes):
            sql = statements.cas(store_map, len(chunk))
            changed += connection.execute(sql, self._change_columns(store_map, chunk)).rowcount
        if changed == len(changes):
            return [Outcome(True, change.new) for change in changes]
        return self._settled(connection, store_map, [(change.key, change.new) for change in changes])

    def _move(
        self, connection: sqlite3.Connection, source: StoreMap, target: StoreMap, changes: Sequence[Change]
    ) -> None:
        deleted = put = 0
        for chunk in statements.chunks(changes):
            expected = [column for change in chunk for column in (change.key, change.expected)]
            deleted += connection.execute(statements.delete_same(source, len(chunk)), expected).rowcount
            new = self._columns(target, [(change.key, change.new) for change in chunk])
            put += connection.execute(statements.put(target, len(chunk)), new).rowcount
        if not deleted == put == len(changes):
            raise _UnlikeError

    def _settled(
        self, connection: sqlite3.Connection, store_map: StoreMap, wanted: Sequence[tuple[str, bytes]]
    ) -> list[Outcome]:
        """The outcomes by the current records, inside the transaction that wrote them."""
        current: dict[str, bytes] = {}
        for chunk in statements.chunks([key for key, _ in wanted]):
            current.update(self._records(connection.execute(statements.get(store_map, len(chunk)), chunk)))
        return [Outcome(current.get(key) == value, current.get(key)) for key, value in wanted]

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._faults_named():
            if self._connection is None:
                raise StoreError("the store is closed", at=str(self._path))
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.InterfaceError, sqlite3.ProgrammingError):
            raise
        except sqlite3.Error as error:
            raise store_error(self._path, error) from error


def sync_store(path: Path) -> None:
    """Sync the files of a store, so that its commits survive a power failure; callable from any thread.

    Args:
        path: the SQLite file.
    Raises:
        OSError: the disk fails.
    """
    for name in (f"{path}-wal", str(path)):  # the log is replayed when the store is opened
        with suppress(FileNotFoundError):
            handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(handle)
            finally:
                os.close(handle)
