"""What the store on SQLite promises beyond the port: whole transactions, named faults, a bounded log."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import JOBS, PAYLOADS, RUN, Change, StoreMap
from scoopi.store.solo import sqlite_store
from scoopi.store.solo.sqlite_store import SqliteStore, sync_store


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Limits the pages to which the file of the store that the test opens can grow, as on a full disk."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*given: Any, **more: Any) -> sqlite3.Connection:
        opened.append(connect(*given, **more))
        return opened[-1]

    def limited(pages: int) -> None:
        (connection,) = opened
        connection.execute(f"PRAGMA max_page_count={pages}")

    monkeypatch.setattr(sqlite3, "connect", noted)
    return limited


def test_records_are_there_after_the_store_was_closed_and_opened(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    store.put_if_absent_all(RUN, [("a", b"1")])
    store.close()
    again = SqliteStore(tmp_path / "store.db")
    assert again.get_all(RUN, ["a"]) == {"a": b"1"}
    again.close()
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


def test_records_are_there_although_the_store_was_never_closed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    store.put_if_absent_all(RUN, [("a", b"1")])
    other = SqliteStore(tmp_path / "store.db")
    assert other.get_all(RUN, ["a"]) == {"a": b"1"}
    other.close()
    store.close()


def test_a_full_disk_is_named_and_leaves_nothing_half_written(
    tmp_path: Path, limit: Callable[[int], None]
) -> None:
    store = SqliteStore(tmp_path / "store.db")
    store.put_if_absent_all(RUN, [("before", b"1")])
    limit(40)
    records = [(f"{number:05}", bytes(400)) for number in range(10_000)]
    with pytest.raises(StoreError, match="SQLITE_FULL") as caught:
        store.put_if_absent_all(PAYLOADS, records)
    assert caught.value.at == str(tmp_path / "store.db")
    assert "free space" in caught.value.hint
    assert store.count(PAYLOADS) == 0
    limit(1_000_000)
    assert all(outcome.won for outcome in store.put_if_absent_all(PAYLOADS, records))
    assert store.get_all(RUN, ["before"]) == {"before": b"1"}
    store.close()


def test_a_file_that_another_process_holds_is_named(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db", busy_ms=20)
    holder = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"SQLITE_BUSY.*another process"):
        store.put_if_absent_all(RUN, [("a", b"1")])
    holder.execute("ROLLBACK")
    assert store.put_if_absent_all(RUN, [("a", b"1")])[0].won
    holder.close()
    store.close()


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"no database at all, " * 500)
    with pytest.raises(StoreError, match=r"SQLITE_NOTADB.*damaged"):
        SqliteStore(tmp_path / "store.db")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    store.put_if_absent_all(RUN, [(f"{number:05}", bytes(400)) for number in range(2000)])
    store.close()
    content = bytearray(path.read_bytes())
    content[8 * 4096 :] = b"\xa5" * (len(content) - 8 * 4096)
    path.write_bytes(content)
    store = SqliteStore(path)
    with pytest.raises(StoreError, match=r"SQLITE_CORRUPT.*damaged"):
        store.scan(RUN, None, 2000)
    store.close()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"absent/store.db.*SQLITE_CANTOPEN.*right to write"):
        SqliteStore(tmp_path / "absent" / "store.db")


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "store.db").close()
    connection = sqlite3.connect(tmp_path / "store.db")
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreError, match="version 99"):
        SqliteStore(tmp_path / "store.db")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.count(RUN)


def test_a_record_of_a_job_must_be_json(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    with pytest.raises(ValueError, match="JSON"):
        store.put_if_absent_all(JOBS, [("good", b'{"state_key":"E"}'), ("bad", b"\x00")])
    assert store.count(JOBS) == 0
    store.close()


def test_a_batch_of_ten_thousand_is_one_call_and_the_log_stays_small(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    keys = [f"{number:032x}" for number in range(10_000)]
    first, second = (b'{"state_key":"R/a","x":"%s"}' % (fill * 380) for fill in (b"a", b"b"))
    for _ in range(4):
        assert all(won.won for won in store.put_if_absent_all(JOBS, [(key, first) for key in keys]))
        assert all(won.won for won in store.cas_all(JOBS, [Change(key, first, second) for key in keys]))
        assert len(store.get_all(JOBS, keys)) == len(store.scan(JOBS, "R/a", 10_000)) == 10_000
        store.delete_all(JOBS, keys)
    assert (tmp_path / "store.db-wal").stat().st_size < 40_000_000
    store.close()


def test_a_busy_thread_does_not_starve_the_store(tmp_path: Path) -> None:
    """One step of SQLite a record would let the busy thread run 20 ms at each of 8,000 steps.

    The time is that of these turns, of which a few are allowed, not that of the work, which takes far less.
    """
    store = SqliteStore(tmp_path / "store.db")
    ready, ended = b'{"state_key":"R/a"}', b'{"state_key":"E"}'
    keys = [f"{number:05}" for number in range(2000)]
    stopped = threading.Event()

    def spin() -> None:
        while not stopped.is_set():
            pass

    turn_s, usual_s = 0.02, sys.getswitchinterval()
    starved_s = 4 * len(keys) * turn_s
    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    sys.setswitchinterval(turn_s)
    try:
        began = time.monotonic()
        store.put_if_absent_all(JOBS, [(key, ready) for key in keys])
        store.cas_all(JOBS, [Change(key, ready, ended) for key in keys])
        assert len(store.scan(JOBS, "E", 2000)) == len(store.get_all(JOBS, keys)) == 2000
        took = time.monotonic() - began
    finally:
        sys.setswitchinterval(usual_s)
        stopped.set()
        thread.join(timeout=60)
        store.close()
    assert took < starved_s / 4


def test_threads_share_one_store(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")

    def work(me: int) -> None:
        for number in range(20):
            keys = [f"{me}-{number}-{place}" for place in range(20)]
            store.put_if_absent_all(RUN, [(key, b"x") for key in keys])
            assert len(store.get_all(RUN, keys)) == 20

    threads = [threading.Thread(target=work, args=(me,)) for me in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert store.count(RUN) == 4 * 20 * 20
    store.close()


WRITER = """
import sys
from pathlib import Path
from scoopi.store.ports import PAYLOADS
from scoopi.store.solo.sqlite_store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
for batch in range(100_000):
    records = [(f"{batch:06}-{place:03}", bytes(300)) for place in range(100)]
    store.put_if_absent_all(PAYLOADS, records)
    print(batch, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill_and_the_last_batch_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(30):
            assert writer.stdout.readline()
        writer.kill()
        acknowledged = 30 + len([line for line in writer.stdout if line.endswith("\n")])
    store = SqliteStore(path)
    kept, torn = divmod(store.count(PAYLOADS), 100)
    assert torn == 0
    assert kept in (acknowledged, acknowledged + 1)
    store.close()


def test_a_sync_reaches_the_log_and_the_file_and_leaves_neither_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fdatasync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}")))
    store = SqliteStore(tmp_path / "store.db")
    store.put_if_absent_all(RUN, [("a", b"1")])
    before = sorted(os.listdir("/proc/self/fd"))
    sync_store(tmp_path / "store.db")
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert synced == [f"{tmp_path}/store.db-wal", f"{tmp_path}/store.db"]
    store.close()
    synced.clear()
    sync_store(tmp_path / "store.db")
    assert synced == [f"{tmp_path}/store.db"], "a store that was closed has no log"


def test_a_disk_that_fails_to_sync_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(handle: int) -> None:
        raise OSError("disk error")

    SqliteStore(tmp_path / "store.db").close()
    monkeypatch.setattr(os, "fdatasync", fails)
    with pytest.raises(OSError, match="disk error"):
        sync_store(tmp_path / "store.db")


def test_records_move_to_an_indexed_map_in_one_transaction(tmp_path: Path) -> None:
    letters, parcels = StoreMap("letters"), StoreMap("parcels", index="depot")
    store = SqliteStore(tmp_path / "store.db", maps=(letters, parcels))
    store.put_if_absent_all(letters, [("a", b"1"), ("b", b"2"), ("c", b"3")])
    moves = [Change("a", b"1", b'{"depot":"x"}'), Change("c", b"3", b'{"depot":"y"}')]
    assert store.move_all(letters, parcels, moves)
    assert store.scan(letters, None, 10) == [("b", b"2")]
    assert store.scan(parcels, "y", 10) == [("c", b'{"depot":"y"}')]
    assert not store.move_all(letters, parcels, moves), "they have moved"
    store.close()


def test_changes_of_one_record_in_one_batch_are_made_in_their_order(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    store.put_if_absent_all(PAYLOADS, [("a", b"1"), ("b", b"1")])
    changes = [
        Change("a", b"1", b"2"),
        Change("b", b"0", b"2"),
        Change("a", b"2", b"3"),
        Change("a", b"2", b"4"),
    ]
    outcomes = store.cas_all(PAYLOADS, changes)
    assert [(each.won, each.current) for each in outcomes] == [
        (True, b"2"),
        (False, b"1"),
        (True, b"3"),
        (False, b"3"),
    ]
    assert store.get_all(PAYLOADS, ["a", "b"]) == {"a": b"3", "b": b"1"}
    store.close()


@pytest.mark.parametrize("is_there", [True, False])
def test_a_new_file_is_for_its_user_only_and_one_that_exists_stays_as_it_is(
    tmp_path: Path, is_there: bool
) -> None:
    path = tmp_path / "store.db"
    if is_there:
        path.touch()
        path.chmod(0o640)
    SqliteStore(path).close()
    assert path.stat().st_mode & 0o777 == (0o640 if is_there else 0o600)


@pytest.mark.parametrize(("name", "owner"), [("store.db", "the run"), ("state.db", "the scheduler")])
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_database_of_something_else_is_no_store_and_keeps_its_tables(
    tmp_path: Path, name: str, owner: str, is_ours: bool
) -> None:
    path = tmp_path / name
    if is_ours:
        SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
        other.execute("INSERT INTO songs VALUES ('Rye')")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="it does not have the tables of a store") as raised:
        SqliteStore(path)
    assert path.read_bytes() == before, "not switched to a write-ahead log either"
    assert raised.value.what.startswith(owner)
    hint = "deploy the project again" if name == "state.db" else "start a new run"
    assert raised.value.hint.endswith(hint)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT title FROM songs").fetchall() == [("Rye",)]


def test_a_store_of_another_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE jobs (key TEXT)")
        other.execute("PRAGMA user_version=99")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="the store has version 99"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_key_that_is_no_text_is_a_damage_of_the_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    with closing(sqlite3.connect(tmp_path / "store.db")) as other:
        other.execute("INSERT INTO run (key, value) VALUES (CAST(x'ff' AS TEXT), x'31')")
        other.commit()
    with pytest.raises(StoreError, match="cannot be used: a key is not text"):
        store.scan(RUN, None, 10)
    store.close()


def test_an_error_of_the_caller_is_not_called_one_of_the_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    with pytest.raises(sqlite3.ProgrammingError):
        store.get_all(RUN, [object()])  # type: ignore[list-item]
    assert store.put_if_absent_all(RUN, [("a", b"1")])[0].won, "it can still be used"
    store.close()


def test_a_call_waits_as_long_as_it_may_for_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    connect: Any = sqlite3.connect

    def noted(path: Path, **options: Any) -> Any:
        waits.append(options["timeout"])
        return connect(path, **options)

    def prepared(connection: sqlite3.Connection, pragmas: object, seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(sqlite3, "connect", noted)
    monkeypatch.setattr(sqlite_store, "set_when_free", prepared)
    SqliteStore(tmp_path / "store.db", busy_ms=2000).close()
    assert waits == [2, 2], "of each statement later, and of the first pragmas together"


@pytest.mark.parametrize("is_new", [True, False])
def test_a_file_that_is_refused_is_closed_and_has_no_tables_of_a_store(tmp_path: Path, is_new: bool) -> None:
    path = tmp_path / "store.db"
    if not is_new:
        SqliteStore(path).close()
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(StoreError):
        SqliteStore(path, maps=(StoreMap("fine"), StoreMap("not a name")))
    assert len(os.listdir("/proc/self/fd")) == before
    SqliteStore(path).close()
