"""The SQL of the solo store: its tables, and one statement for a batch of any length.

A batch is cut into chunks of a few lengths, the last one filled up with copies of its last
record (harmless in all four statements), so that SQLite compiles each statement once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from scoopi.store.ports import MapName

Record = TypeVar("Record")

VERSION = 1
LENGTHS = (1, 8, 64, 512)

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA cache_size=-1024",
    # 16 MB between two checkpoints: each syncs the disk; the log is cut back after a long batch.
    "PRAGMA wal_autocheckpoint=4000",
    "PRAGMA journal_size_limit=33554432",
)

# Records of jobs and payloads are long: without rowids each insert would touch a page of its own.
TABLES = (
    "CREATE TABLE jobs (key TEXT PRIMARY KEY, value BLOB NOT NULL, slot TEXT NOT NULL)",
    "CREATE INDEX jobs_by_slot ON jobs (slot, key)",
    "CREATE TABLE payloads (key TEXT PRIMARY KEY, value BLOB NOT NULL)",
    *(
        f"CREATE TABLE {name} (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
        for name in (MapName.ENDED, MapName.HOSTS, MapName.RUN, MapName.MEMBERS)
    ),
)

_ROWS = "SELECT json_group_object(key, hex(value)) FROM"


def chunks(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """The records in chunks of LENGTHS; the last one is filled up with copies of the last record."""
    longest = LENGTHS[-1]
    for start in range(0, len(records), longest):
        chunk = records[start : start + longest]
        length = next(length for length in LENGTHS if length >= len(chunk))
        yield chunk if length == len(chunk) else [*chunk, *[chunk[-1]] * (length - len(chunk))]


def get(name: MapName, length: int) -> str:
    """The records of `length` keys, as one JSON object of key and hex digits."""
    return f"{_ROWS} {name} WHERE key IN ({_marks(length)})"


def put(name: MapName, length: int) -> str:
    """Insert what is absent; takes key, value and, for JOBS, slot of each record."""
    row = f"({_marks(_width(name))})"
    rows = ",".join([row] * length)
    return f"INSERT INTO {name} VALUES {rows} ON CONFLICT DO NOTHING"  # noqa: S608


def cas(name: MapName, length: int) -> str:
    """Change what still is as expected; takes key, expected, new and, for JOBS, slot."""
    row = f"({_marks(_width(name) + 1)})"
    rows = ",".join([row] * length)
    slot = ", slot = v.column4" if name is MapName.JOBS else ""
    return (
        f"UPDATE {name} SET value = v.column3{slot} FROM (VALUES {rows}) AS v"  # noqa: S608
        f" WHERE {name}.key = v.column1 AND {name}.value = v.column2"
    )


def delete(name: MapName, length: int) -> str:
    """Delete `length` keys."""
    return f"DELETE FROM {name} WHERE key IN ({_marks(length)})"  # noqa: S608


def delete_below(name: MapName) -> str:
    """Delete all with a lower key."""
    return f"DELETE FROM {name} WHERE key < ?"  # noqa: S608


def scan(name: MapName, slot: str | None) -> str:
    """A page of records by key; takes slot (if any), after and limit."""
    where = "key > ?" if slot is None else "slot = ? AND key > ?"
    return f"{_ROWS} (SELECT key, value FROM {name} WHERE {where} ORDER BY key LIMIT ?)"  # noqa: S608


def count(name: MapName, slot: str | None) -> str:
    """How many records there are; takes slot, if any."""
    where = "" if slot is None else " WHERE slot = ?"
    return f"SELECT count(*) FROM {name}{where}"  # noqa: S608


def _width(name: MapName) -> int:
    return 3 if name is MapName.JOBS else 2


def _marks(length: int) -> str:
    return ",".join("?" * length)
