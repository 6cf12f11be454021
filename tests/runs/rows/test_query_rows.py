"""What a database answers, as texts; and what it cannot answer."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import psycopg
import pytest

from scoopi.errors import DefsError, FetchError, StoppedError
from scoopi.fetch.file_client import FileFinder
from scoopi.runs.rows import query_rows as query_rows_module
from scoopi.runs.rows.query_rows import QueryLimits, query_rows
from tests.outputs.postgres_server import GUARDED

VALUES = (
    "SELECT 7 AS n, 1.50::numeric AS price, true AS new, NULL AS no, date '2026-01-31' AS day, "
    "timestamp '2026-01-31 10:00' AS at, 'a%b :c' AS sign"
)


@pytest.fixture
def files(tmp_path: Path) -> FileFinder:
    with sqlite3.connect(tmp_path / "shops.db") as database:
        database.execute("CREATE TABLE shops (id, town, blob)")
        database.execute("INSERT INTO shops VALUES (1, 'Oslo', x'00'), (2.5, NULL, NULL)")
    database.close()
    return FileFinder(tmp_path, tmp_path)


@pytest.mark.parametrize("url", ["sqlite:shops.db", "sqlite:///shops.db", "${env:SHOPS}"])
def test_rows_of_sqlite_come_behind_the_names_of_their_columns(
    files: FileFinder, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SHOPS", "sqlite:shops.db")
    rows = query_rows(url, "select id, town from shops order by id", files)
    assert [*rows] == [["id", "town"], ["1", "Oslo"], ["2.5", ""]]


def test_values_of_postgresql_are_written_as_in_definitions(postgres_url: str, files: FileFinder) -> None:
    columns, values = query_rows(postgres_url, VALUES, files)
    assert columns == ["n", "price", "new", "no", "day", "at", "sign"]
    assert values == ["7", "1.50", "true", "", "2026-01-31", "2026-01-31T10:00:00", "a%b :c"]


def test_a_password_comes_from_the_environment_and_no_message_shows_it(
    postgres_url: str, files: FileFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_url.replace("tester@", f"{GUARDED}:${{env:SHOP_PASSWORD}}@")
    with pytest.raises(DefsError, match="the environment has no SHOP_PASSWORD"):
        next(query_rows(url, "select 1", files))
    *_, role = query_rows(postgres_url, "select count(*) from pg_roles where rolname = 'guarded'", files)
    monkeypatch.setenv("SHOP_PASSWORD", "s3cret/+%")
    with pytest.raises(DefsError, match="the database cannot be opened") as error:
        next(query_rows(url, "select 1", files))
    assert "s3cret" not in str(error.value)
    assert role in (["0"], ["1"])


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("delete from shops", "the query fails: attempt to write a readonly database"),
        ("selec 1", 'the query fails: near "selec"'),
        ("select id, town as id from shops", "two columns of the query are named id"),
        ("select blob from shops", "column blob of the query has values that are not texts"),
        ("vacuum", "the query fails"),
    ],
)
def test_a_query_that_cannot_give_pages_is_reported(files: FileFinder, query: str, what: str) -> None:
    with pytest.raises(DefsError, match=what.replace("(", "\\(")):
        [*query_rows("sqlite:shops.db", query, files)]


def test_a_query_cannot_change_a_database(postgres_url: str, files: FileFinder) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SEQUENCE numbers")
    with pytest.raises(DefsError, match=r"cannot execute nextval.* in a read-only transaction"):
        [*query_rows(postgres_url, "select nextval('numbers')", files)]


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("mysql://a/b", "the URL names no database that can be read"),
        ("postgresql://a:b:c/d", "the URL of the database is malformed"),
        ("postgresql://nobody@127.0.0.1:1/shop", "the database cannot be opened: "),
    ],
)
def test_a_database_that_cannot_be_asked_is_reported(files: FileFinder, url: str, what: str) -> None:
    with pytest.raises(DefsError, match=what):
        next(query_rows(url, "select 1", files))


def test_a_file_that_is_missing_is_not_made(files: FileFinder, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="there is no such file"):
        next(query_rows("sqlite:shop.db", "select 1", files))
    assert not (tmp_path / "shop.db").exists()


def test_memory_does_not_grow_with_the_number_of_rows(postgres_url: str, files: FileFinder) -> None:
    rows = query_rows(postgres_url, "select n, repeat('x', 1000) from generate_series(1, 50000) n", files)
    assert len([*islice(rows, 2000)]) == 2000
    tracemalloc.start()
    assert sum(1 for _ in rows) == 48_001
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


ENDLESS = "with recursive c(n) as (select 1 union all select n + 1 from c) select {} from c"


@pytest.mark.parametrize("shown", ["count(*) as n", "n"])
def test_a_query_of_sqlite_that_never_ends_is_given_up(files: FileFinder, shown: str) -> None:
    with pytest.raises(DefsError, match="the query has not ended within 1 s") as error:
        [*query_rows("sqlite:shops.db", ENDLESS.format(shown), files, QueryLimits(1))]
    assert error.value.hint == "make it faster, or raise scoopi.query.timeout"


@pytest.mark.parametrize("query", ["select pg_sleep(60)", "select n from generate_series(1, 1e12::bigint) n"])
def test_a_query_of_postgresql_that_never_ends_is_given_up(
    postgres_url: str, files: FileFinder, query: str
) -> None:
    with pytest.raises(DefsError, match="the query has not ended within 1 s"):
        [*query_rows(postgres_url, query, files, QueryLimits(1))]


@pytest.mark.parametrize("is_stopped", [True, False])
def test_a_server_that_hangs_is_not_waited_for(
    postgres_url: str, files: FileFinder, is_stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_rows_module, "CANCEL_S", 0.5)
    stopped, raised = threading.Event(), list[Exception]()
    rows = query_rows(
        postgres_url,
        "select pg_backend_pid() as pid from generate_series(1, 100000)",
        files,
        QueryLimits(0 if is_stopped else 1, stopped.is_set),
    )
    next(rows)
    pid = int(next(rows)[0])

    def read() -> None:
        try:
            list(rows)
        except (DefsError, StoppedError) as error:
            raised.append(error)

    os.kill(pid, signal.SIGSTOP)
    try:
        reading = threading.Thread(target=read)
        reading.start()
        if is_stopped:
            stopped.set()
        reading.join(60)
        hangs = reading.is_alive()
    finally:
        os.kill(pid, signal.SIGCONT)
        reading.join(60)
    assert not hangs
    assert len(raised) == 1
    assert isinstance(raised[0], StoppedError) is is_stopped
    assert is_stopped or "the query has not ended within 1 s" in str(raised[0])


@pytest.mark.parametrize("shown", ["count(*) as n", "n"])
def test_a_query_of_sqlite_ends_when_the_run_is_stopped(files: FileFinder, shown: str) -> None:
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    with pytest.raises(StoppedError):
        [*query_rows("sqlite:shops.db", ENDLESS.format(shown), files, QueryLimits(0, stopped.is_set))]


def test_a_query_of_postgresql_ends_when_the_run_is_stopped(postgres_url: str, files: FileFinder) -> None:
    stopped = threading.Event()

    @contextmanager
    def interrupting(interrupt: Callable[[], object]) -> Iterator[None]:
        def stop() -> None:
            stopped.set()
            interrupt()

        timer = threading.Timer(0.2, stop)
        timer.start()
        yield
        timer.join()

    limits = QueryLimits(0, stopped.is_set, interrupting)
    with pytest.raises(StoppedError):
        [*query_rows(postgres_url, "select pg_sleep(600)", files, limits)]


def test_ctrl_c_ends_a_query_of_sqlite(files: FileFinder) -> None:
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        [*query_rows("sqlite:shops.db", ENDLESS.format("count(*) as n"), files)]
