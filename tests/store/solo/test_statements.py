"""Statements: a batch of any length uses few statements, each compiled once."""

from __future__ import annotations

import sqlite3

import pytest

from scoopi.store.ports import StoreMap
from scoopi.store.solo.statements import (
    LENGTHS,
    VERSION,
    cas,
    chunks,
    count,
    delete,
    delete_below,
    get,
    put,
    records,
    scan,
    tables,
)

PLAIN, INDEXED, LARGE = StoreMap("plain"), StoreMap("held", index="state"), StoreMap("big", large=True)


@pytest.mark.parametrize("number", [1, 7, 8, 9, 511, 512, 513, 1100])
def test_chunks_hold_all_records_in_a_few_lengths(number: int) -> None:
    records = list(range(number))
    parts = list(chunks(records))
    assert {len(part) for part in parts} <= set(LENGTHS)
    flat = [record for part in parts for record in part]
    assert flat[:number] == records
    assert set(flat[number:]) <= {records[-1]}, "the last one is repeated"
    assert list(chunks([])) == []


@pytest.mark.parametrize("number", range(1, 1100, 9))
def test_padding_never_doubles_a_batch(number: int) -> None:
    """A batch of 65 was padded to 512, each of which SQLite looked up."""
    assert sum(map(len, chunks(range(number)))) < 2 * number


def test_the_statements_keep_their_promises_on_a_database() -> None:
    database = sqlite3.connect(":memory:")
    for store_map in (PLAIN, INDEXED, LARGE):
        for statement in tables(store_map):
            database.execute(statement)
    run = database.execute
    assert run(put(PLAIN, 1), ("a", b"1")).rowcount == 1
    assert run(put(PLAIN, 1), ("a", b"2")).rowcount == 0
    assert run(cas(PLAIN, 1), ("a", b"2", b"3")).rowcount == 0
    assert run(cas(PLAIN, 1), ("a", b"1", b"3")).rowcount == 1
    assert run(get(PLAIN, 2), ("a", "b")).fetchone() == ("1,1", b"a3")
    run(put(INDEXED, 2), ("a", b"1", "x", "b", b"2", "y"))
    assert run(cas(INDEXED, 1), ("a", b"1", b"3", "y")).rowcount == 1
    assert run(count(INDEXED, "y"), ("y",)).fetchone() == (2,)
    assert run(count(INDEXED, None)).fetchone() == (2,)
    assert run(scan(INDEXED, "y"), ("y", "a", 10)).fetchone() == ("1,1", b"b2")
    assert run(scan(INDEXED, None), ("", 1)).fetchone() == ("1,1", b"a3")
    assert run(delete_below(PLAIN), ("a",)).rowcount == 0
    assert run(delete(PLAIN, 1), ("a",)).rowcount == 1
    database.close()


def test_records_of_any_bytes_come_back_in_one_row() -> None:
    database = sqlite3.connect(":memory:")
    for statement in tables(PLAIN):
        database.execute(statement)
    kept = {"é/1": b"", "a,b": b"\x00\xff1,2;", "z": b"3" * 70_000, "0": "ü".encode()}
    for key, value in kept.items():
        database.execute(put(PLAIN, 1), (key, value))
    (row,) = database.execute(scan(PLAIN, None), ("", 9)).fetchall()
    assert records(*row) == kept
    assert [*records(*row)] == sorted(kept)
    (row,) = database.execute(scan(PLAIN, None), ("é/1", 9)).fetchall()
    assert records(*row) == {}
    database.close()


def test_long_records_have_rowids_and_an_index_its_key() -> None:
    assert tables(PLAIN) == ["CREATE TABLE plain (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"]
    assert not tables(LARGE)[0].endswith("WITHOUT ROWID")
    assert tables(INDEXED)[1] == "CREATE INDEX held_by_state ON held (state, key)"
    assert VERSION == 4, "files with other tables have another version"
