"""A run that the cluster has lost starts again: its tables hold each row once, with and without a key."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from scoopi.model.report.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import RUN
from scoopi.store.runs.known_run import PREFIX
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.cluster.table_defs import TABLES
from tests.engine.workspace import wait_until
from tests.outputs.postgres_server import PostgresServer
from tests.reliability.world import World
from tests.server.server import Server

PAGES = 60
SLOWLY = {"loader_fetch_delay": "300", "loader_fetch_parallelism": "1"}
EXPECTED = Counter(f"{page}-{row}" for page in range(PAGES) for row in range(2))


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer, tmp_path: Path) -> str:
    return postgres.database(tmp_path.name.replace("-", "_"))


@pytest.fixture
def world(tmp_path: Path, server: Server, pages: Path, database: str) -> World:
    for page in range(PAGES):
        (pages / f"{page}.html").write_text("".join(f"<li><b>{page}-{row}</b>" for row in range(2)))
    urls = ", ".join(f'"{server.url(f"/{page}.html")}"' for page in range(PAGES))
    (tmp_path / "defs").mkdir()
    text = TABLES.format(urls=urls, postgres=database, sqlite=tmp_path / "rows.db")
    (tmp_path / "defs" / "defs.yml").write_text(text)
    return World(tmp_path / "defs", EXPECTED, PAGES)


def in_postgres(database: str, table: str) -> Counter[str]:
    with psycopg.connect(database) as connection:
        return Counter(title for (title,) in connection.execute(f"SELECT title FROM {table}"))


def in_sqlite(folder: Path) -> Counter[str]:
    """Of the files of all nodes."""
    found: Counter[str] = Counter()
    for file in folder.glob("rows*.db"):
        with closing(sqlite3.connect(file)) as connection:
            found += Counter(title for (title,) in connection.execute("SELECT title FROM plain"))
    return found


def test_a_run_that_starts_again_removes_what_it_had_put_into_tables_without_a_key(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, database: str, tmp_path: Path
) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE plain (title TEXT, scoopi_run TEXT)")
        connection.execute("INSERT INTO plain VALUES ('yesterday', 'another run')")
    runner = runner_of()
    report = runner.start("ann", **SLOWLY)
    wait_until(lambda: in_postgres(database, "plain").total() > 3, "rows in the table", LIMIT_S)
    runner.cancel()
    assert report.result(LIMIT_S).status is RunStatus.STOPPED
    before = in_sqlite(tmp_path)
    assert 0 < before.total() < EXPECTED.total()
    HazelcastStore(cluster, runner.run_name).destroy()
    HazelcastStore(cluster).delete_all(RUN, [PREFIX + runner.run_name])

    (report_again,) = runner_of(discard_lost=True).run("ann")

    assert report_again.status is RunStatus.DONE
    assert in_postgres(database, "plain") == EXPECTED + Counter(["yesterday"])
    assert in_postgres(database, "keyed") == EXPECTED
    assert in_sqlite(tmp_path) == EXPECTED
