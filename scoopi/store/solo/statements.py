"""The SQL of the solo store: its tables, and one statement for a batch of any length.

A function that is named after an operation returns its SQL; its docstring lists the parameters of the SQL, in
order, after "takes". A batch is split into chunks of a few fixed lengths, the last one padded with copies of
its last record (harmless in all statements), so that SQLite compiles each statement only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from scoopi.store.ports import StoreMap

RecordType = TypeVar("RecordType")

VERSION = 4
LONGEST = 512
LENGTHS = tuple(1 << power for power in range(LONGEST.bit_length()))
"""1, 2, 4 … LONGEST: at most twice the one before, as SQLite looks up the records that pad a chunk, too."""
MOST_COMPILED = 256
"""Statements that a connection keeps: some four of each length for each map."""

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA cache_size=-1024",
    "PRAGMA temp_store=MEMORY",
    # 16 MB between two checkpoints: each syncs the disk; the log is cut back after a long batch.
    "PRAGMA wal_autocheckpoint=4000",
    "PRAGMA journal_size_limit=33554432",
)

SCHEMA = (
    "SELECT (SELECT user_version FROM pragma_user_version),"
    " (SELECT json_group_array(sql) FROM sqlite_master WHERE sql IS NOT NULL)"
)
"""The version of the file and its tables as a JSON array: both in one statement, which sees one state."""
_WHOLE = (
    "SELECT group_concat(length(CAST({0}key AS BLOB)) || ',' || length({0}value)),"
    " CAST(group_concat({0}key || {0}value, '') AS BLOB) FROM"
)
"""One row for all records: the lengths of their keys and values, and all keys and values concatenated."""
_ROWS = _WHOLE.format("")


def tables(store_map: StoreMap) -> list[str]:
    """The statements that create the table of a map, and its index if it has one."""
    # For long records: without rowids each insert would touch another page.
    ending = "" if store_map.large else " WITHOUT ROWID"
    index = store_map.index
    column = f", {index} TEXT NOT NULL" if index else ""
    table = f"CREATE TABLE {store_map} (key TEXT PRIMARY KEY, value BLOB NOT NULL{column}){ending}"
    return [table, f"CREATE INDEX {store_map}_by_{index} ON {store_map} ({index}, key)"] if index else [table]


def chunks(records: Sequence[RecordType]) -> Iterator[Sequence[RecordType]]:
    """Split records into chunks of LENGTHS; the last one is padded with copies of its last record."""
    for start in range(0, len(records), LONGEST):
        chunk = records[start : start + LONGEST]
        length = next(length for length in LENGTHS if length >= len(chunk))
        yield chunk if length == len(chunk) else [*chunk, *[chunk[-1]] * (length - len(chunk))]


def records(lengths: str | None, data: bytes | None) -> dict[str, bytes]:
    """Decode the row of `get`, `scan` or `scan_each`; both columns are NULL if there are no records.

    >>> records("1,2,2,0", b"a12bc")
    {'a': b'12', 'bc': b''}
    """
    found: dict[str, bytes] = {}
    if lengths is None:
        return found
    at, data = 0, data or b""
    sizes = map(int, lengths.split(","))
    for key, value in zip(sizes, sizes, strict=True):
        middle, end = at + key, at + key + value
        found[data[at:middle].decode()] = data[middle:end]
        at = end
    return found


def get(store_map: StoreMap, length: int) -> str:
    """Select the records of some keys; takes `length` keys."""
    return f"{_ROWS} {store_map} WHERE key IN ({_marks(length)})"


def put(store_map: StoreMap, length: int) -> str:
    """Insert absent records; takes `length` times key, value and, for an indexed map, its indexed field."""
    row = f"({_marks(_width(store_map))})"
    rows = ",".join([row] * length)
    return f"INSERT INTO {store_map} VALUES {rows} ON CONFLICT DO NOTHING"  # noqa: S608


def cas(store_map: StoreMap, length: int) -> str:
    """Change records that are as expected; takes `length` times key, expected, new and any indexed field."""
    row = f"({_marks(_width(store_map) + 1)})"
    rows = ",".join([row] * length)
    index = f", {store_map.index} = v.column4" if store_map.index else ""
    return (
        f"UPDATE {store_map} SET value = v.column3{index} FROM (VALUES {rows}) AS v"  # noqa: S608
        f" WHERE {store_map}.key = v.column1 AND {store_map}.value = v.column2"
    )


def delete(store_map: StoreMap, length: int) -> str:
    """Delete records; takes `length` keys."""
    return f"DELETE FROM {store_map} WHERE key IN ({_marks(length)})"  # noqa: S608


def delete_same(store_map: StoreMap, length: int) -> str:
    """Delete records that are as given; takes `length` times key and value."""
    rows = ",".join(["(?,?)"] * length)
    same = (
        f"SELECT m.key FROM (VALUES {rows}) AS v CROSS JOIN {store_map} AS m"  # noqa: S608
        " ON m.key = v.column1 AND m.value = v.column2"
    )
    return f"DELETE FROM {store_map} WHERE key IN ({same})"  # noqa: S608


def delete_below(store_map: StoreMap) -> str:
    """Delete all records with keys below a given key; takes that key."""
    return f"DELETE FROM {store_map} WHERE key < ?"  # noqa: S608


def scan(store_map: StoreMap, index_value: str | None) -> str:
    """Select a page of records by key; takes the indexed value (if any), after and limit."""
    where = "key > ?" if index_value is None else f"{store_map.index} = ? AND key > ?"
    return f"{_ROWS} (SELECT key, value FROM {store_map} WHERE {where} ORDER BY key LIMIT ?)"  # noqa: S608


def scan_each(store_map: StoreMap) -> str:
    """Select the first records of each indexed value; takes a JSON array of the values, after and limit."""
    first = f"SELECT key FROM {store_map} WHERE {store_map.index} = w.value AND key > ? ORDER BY key LIMIT ?"  # noqa: S608
    return f"{_WHOLE.format('m.')} json_each(?) AS w JOIN {store_map} AS m ON m.key IN ({first})"


def count(store_map: StoreMap, index_value: str | None) -> str:
    """Count records; takes the indexed value, if any."""
    where = "" if index_value is None else f" WHERE {store_map.index} = ?"
    return f"SELECT count(*) FROM {store_map}{where}"  # noqa: S608


def _width(store_map: StoreMap) -> int:
    return 3 if store_map.index else 2


def _marks(length: int) -> str:
    return ",".join("?" * length)
