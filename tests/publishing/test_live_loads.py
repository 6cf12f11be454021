"""LiveLoads: tables are filled while the run is in progress, with nothing that may not count."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from scoopi.errors import StoreError
from scoopi.model.records import RecordSchema
from scoopi.outputs.databases.database import Database
from scoopi.outputs.databases.record_table import RecordTable
from scoopi.outputs.target import parse_target
from scoopi.publishing.live_loads import LiveLoads
from scoopi.publishing.publisher import Publisher, PublishTarget
from scoopi.publishing.row_tables import RowTables
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import NODE, Take
from tests.engine.workspace import wait_until
from tests.publishing.record_frames import BOOKS, KEYED, Committer, books, restarted, spec

LATER = "0" * 16


class Bench:
    """A node's segment, and the table that is filled from it."""

    def __init__(self, url: str, folder: Path, node_folder: Path, jobs: JobStore) -> None:
        self.url = url
        self.synced = 0
        self._folder = folder
        self._node_folder = node_folder
        self._jobs = jobs
        self._started: list[LiveLoads] = []

    def live(self, node: str = NODE, schema: RecordSchema = BOOKS) -> LiveLoads:
        """The loads of a process of the node."""
        segment = self._node_folder / "segments" / f"{node}.seg"
        live = LiveLoads(segment, self.tables(schema).during_run(), self._jobs, self._sync)
        self._started.append(live)
        return live

    def tables(self, schema: RecordSchema = BOOKS, live: LiveLoads | None = None) -> RowTables:
        """The tables of the node."""
        outputs = [spec(self.url, schema)]
        if live is None:
            return RowTables(outputs, self._folder, "run", self._node_folder)
        return RowTables(outputs, self._folder, "run", self._node_folder, live.finish)

    def publish(self, live: LiveLoads, schema: RecordSchema = BOOKS) -> None:
        """End the run."""
        outputs = [spec(self.url, schema)]
        tables = self.tables(schema, live)
        Publisher(
            PublishTarget(self._folder, self._node_folder), self._jobs, outputs, tables=tables
        ).publish()

    def titles(self) -> list[str]:
        """What stands in the table; nothing while there is none."""
        database = Database(parse_target(self.url), self._folder)
        if not database.exists():  # a second connection that creates the file finds it locked by the first
            return []
        with database.transaction() as connection:
            if not sa.inspect(connection).has_table("books"):
                return []
            found = connection.exec_driver_sql("SELECT title, price FROM books ORDER BY 1, 2").all()
        database.close()
        return [f"{title} {int(price)}" for title, price in found]

    def await_titles(self, *titles: str) -> None:
        """Wait until the table holds these."""
        wait_until(lambda: self.titles() == sorted(titles), f"{titles} in the table", 60.0)

    def finish(self) -> None:
        """End all threads."""
        for live in self._started:
            live.finish()

    def _sync(self) -> None:
        self.synced += 1


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(
    request: pytest.FixtureRequest, tmp_path: Path, node_folder: Path, jobs: JobStore
) -> Iterator[Bench]:
    url = "sqlite:books.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    made = Bench(f"{url}#books", tmp_path, node_folder, jobs)
    yield made
    made.finish()


def test_committed_rows_stand_in_the_table_while_the_run_is_in_progress(
    bench: Bench, take: Take, commit: Committer
) -> None:
    live = bench.live()
    for number, job in enumerate(take(2)):
        commit(books(job, [f"book {number}", "1"]))
        live.settle(commit.end, [])
        bench.await_titles(*(f"book {each} 1" for each in range(number + 1)))

    bench.publish(live)

    assert bench.titles() == ["book 0 1", "book 1 1"]


def test_what_the_store_knows_is_durable_before_rows_that_depend_on_it(
    bench: Bench, take: Take, commit: Committer
) -> None:
    live = bench.live()
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))

    live.settle(commit.end, [])
    bench.await_titles("Rye 1")

    assert bench.synced == 1


def test_a_frame_whose_job_another_node_ended_is_not_loaded(
    bench: Bench, take: Take, commit: Committer
) -> None:
    live = bench.live()
    first, second = take(2)
    results = books(first, ["Rye", "1"]), books(second, ["Oat", "2"])
    commit.append(*results)

    live.settle(commit.end, results[:1])

    bench.await_titles("Oat 2")


def test_a_frame_that_is_not_settled_is_not_loaded(bench: Bench, take: Take, commit: Committer) -> None:
    live = bench.live()
    first, second = take(2)
    commit(books(first, ["Rye", "1"]))
    settled = commit.end
    commit.append(books(second, ["Oat", "2"]))

    live.settle(settled, [])
    bench.await_titles("Rye 1")
    live.finish()

    assert bench.titles() == ["Rye 1"]


def test_rows_of_an_earlier_process_are_loaded_before_those_of_this_one(
    bench: Bench, node_folder: Path, take: Take, commit: Committer
) -> None:
    first, _ = take(2)
    commit(books(first, ["Rye", "1"]))
    again = restarted(node_folder, LATER)
    live = bench.live(LATER, KEYED)
    (second,) = again.jobs.take("file", 1)
    again(books(second, ["Rye", "2"], ["Oat", "3"]))

    live.settle(again.end, [])
    bench.await_titles("Oat 3", "Rye 1")
    bench.publish(live, KEYED)

    assert bench.titles() == ["Oat 3", "Rye 1"]


def test_a_database_that_is_away_for_a_while_gets_each_row_once(
    bench: Bench,
    take: Take,
    commit: Committer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    write, refused = RecordTable.write, threading.Event()

    def failing(table: RecordTable, *given: Any) -> None:
        """Fails once before the commit, and once behind it."""
        if not refused.is_set():
            refused.set()
            raise StoreError("the connection was refused")
        write(table, *given)
        monkeypatch.setattr(RecordTable, "write", write)
        raise StoreError("the connection was lost")

    monkeypatch.setattr(RecordTable, "write", failing)
    live = bench.live()
    for number, job in enumerate(take(3)):
        commit(books(job, [f"book {number}", "1"]))
        live.settle(commit.end, [])

    bench.await_titles("book 0 1", "book 1 1", "book 2 1")
    bench.publish(live)

    assert len(bench.titles()) == 3
    assert "loading rows: the database failed, retrying: the connection was refused" in caplog.messages


def test_what_a_process_could_not_load_is_loaded_at_the_end(
    bench: Bench, take: Take, commit: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise StoreError("the database does not answer")

    live = bench.live()
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))
    with monkeypatch.context() as patched:
        patched.setattr(RecordTable, "write", away)
        live.settle(commit.end, [])
        live.finish()

    bench.publish(live)

    assert bench.titles() == ["Rye 1"]


def test_a_database_that_hangs_does_not_hold_up_a_shutdown_that_is_late(
    bench: Bench, take: Take, commit: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hanging(*_: object) -> None:
        entered.set()
        leave.wait(20)

    live = bench.live()
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))
    with monkeypatch.context() as patched:
        patched.setattr(RecordTable, "write", hanging)
        live.settle(commit.end, [])
        entered.wait(20)
        with pytest.raises(StoreError, match="does not answer"):
            live.finish(lambda: True)
        leave.set()
        live.finish()


def test_without_a_database_no_thread_runs(tmp_path: Path, jobs: JobStore) -> None:
    others = threading.enumerate()
    live = LiveLoads(tmp_path / "x.seg", [], jobs, lambda: None)

    live.settle(100, [])

    assert "live-loads" not in [each.name for each in threading.enumerate() if each not in others]
    live.finish()
