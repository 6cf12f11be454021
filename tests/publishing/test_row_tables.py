"""RowTables: the publisher brings tables up to the segments, each row once, whatever was loaded before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.errors import StoreError
from scoopi.model.job import JobState
from scoopi.model.records import Expectation
from scoopi.outputs.databases.record_table import RecordTable
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.publisher import Publisher, PublishTarget
from scoopi.publishing.row_tables import RowTables
from scoopi.publishing.table_load import TableLoad
from scoopi.store.jobs.job_records import Ending
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.retries import retried
from tests.appenders.conftest import Take
from tests.publishing.record_frames import KEYED, Committer, books, commit, expecting, restarted, spec

__all__ = ["commit"]
SQLITE = "sqlite:books.db#books"
MANY = Expectation("records", 5, text="5-")


def titles(folder: Path, table: str = "books") -> list[str]:
    with sqlite3.connect(folder / "books.db") as connection:
        return sorted(row[0] for row in connection.execute(f'SELECT title FROM "{table}"'))


def tables_of(folder: Path) -> set[str]:
    with sqlite3.connect(folder / "books.db") as connection:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@pytest.fixture
def publisher(tmp_path: Path, node_folder: Path, jobs: JobStore) -> Callable[..., Publisher]:
    def made(*outputs: OutputSpec) -> Publisher:
        tables = RowTables(outputs, tmp_path, "run", node_folder)
        return Publisher(PublishTarget(tmp_path, node_folder), jobs, outputs, tables=tables)

    return made


def test_a_table_holds_each_row_once_however_often_it_is_published(
    tmp_path: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    first, second = take(2)
    commit(books(first, ["Rye", "1"]))
    publisher(spec(SQLITE)).publish(is_over=False)
    commit(books(second, ["Oat", "2"]))

    published = [publisher(spec(SQLITE)).publish() for _ in range(2)]

    assert titles(tmp_path) == ["Oat", "Rye"]
    assert [each.rows for each in published] == [{SQLITE: 2}] * 2


def test_rows_of_jobs_that_may_still_end_are_left_for_later(
    tmp_path: Path, node_folder: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    first, second, third = take(3)
    commit(books(first, ["Rye", "1"]))
    commit.append(books(second, ["Oat", "2"]))
    commit(books(third, ["Bran", "3"]))
    publisher(spec(SQLITE)).publish(is_over=False)
    before = titles(tmp_path)
    commit.jobs.finished.end([Ending(second.id, second.fence, JobState.DONE)])

    publisher(spec(SQLITE)).publish()

    assert (before, titles(tmp_path)) == (["Rye"], ["Bran", "Oat", "Rye"])


def test_rows_of_an_attempt_that_did_not_count_never_reach_a_table(
    tmp_path: Path, node_folder: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    (job,) = take(1)
    commit.append(books(job, ["lost", "1"]))
    again = restarted(node_folder, "0" * 16)
    (same,) = again.jobs.take("file", 1)
    again(books(same, ["Rye", "2"]))

    publisher(spec(SQLITE)).publish()

    assert titles(tmp_path) == ["Rye"]


def test_equal_keys_are_dropped_alike_in_tables_and_files(
    tmp_path: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    first, second = take(2)
    commit(books(first, ["Rye", "1"], ["Rye", "2"]), books(second, ["Rye", "3"], ["Oat", "4"]))

    published = publisher(spec(SQLITE, KEYED), spec("books.csv", KEYED)).publish()

    assert (tmp_path / "books.csv").read_text() == "title,price\nRye,1\nOat,4\n"
    assert titles(tmp_path) == ["Oat", "Rye"]
    assert published.dropped == {SQLITE: 2, "books.csv": 2}


def test_a_table_whose_records_are_not_as_expected_stays_as_it_was(
    tmp_path: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))
    output = spec(SQLITE, expecting(MANY), deferred=True)

    publisher(output).publish(is_over=False)
    published = [publisher(output).publish() for _ in range(2)]

    assert (titles(tmp_path), titles(tmp_path, "books.held")) == ([], ["Rye"])
    assert [each.rows for each in published] == [{f"{SQLITE}.held": 1}] * 2


def test_a_table_whose_records_are_as_expected_is_loaded_at_the_end(
    tmp_path: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    (job,) = take(1)
    commit(books(job, *[[str(number), "1"] for number in range(5)]))
    output = spec(SQLITE, expecting(MANY), deferred=True)

    published = [publisher(output).publish() for _ in range(2)]

    assert titles(tmp_path) == ["0", "1", "2", "3", "4"]
    assert "books.held" not in tables_of(tmp_path)
    assert [each.rows for each in published] == [{SQLITE: 5}] * 2


def test_a_transaction_whose_answer_was_lost_is_settled_by_reading_the_offset(
    tmp_path: Path, node_folder: Path, take: Take, commit: Committer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))
    (load,) = RowTables([spec(SQLITE)], tmp_path, "run").during_run()
    write, calls = RecordTable.write, []

    def lossy(table: RecordTable, *given: Any) -> None:
        """Commits, and loses the first answer."""
        write(table, *given)
        calls.append(given)
        if len(calls) == 1:
            raise StoreError("the connection was lost")

    monkeypatch.setattr(RecordTable, "write", lossy)
    load.retry = lambda attempt: retried("loading", attempt, 10, lambda: False)
    _load_all(load, node_folder)

    assert len(calls) == 1
    assert titles(tmp_path) == ["Rye"]


def test_a_database_that_stays_away_is_an_error_and_the_rows_wait(
    tmp_path: Path,
    take: Take,
    commit: Committer,
    publisher: Callable[..., Publisher],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "1"]))

    def away(*_: object, **__: object) -> None:
        raise StoreError("the database does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(RecordTable, "write", away)
        patched.setattr("scoopi.publishing.row_tables.AWAY_S", 0.01)
        with pytest.raises(StoreError):
            publisher(spec(SQLITE), spec("books.csv")).publish()
    was_there = (tmp_path / "books.csv").exists()
    publisher(spec(SQLITE), spec("books.csv")).publish()

    assert (was_there, titles(tmp_path)) == (False, ["Rye"])


def _load_all(load: TableLoad, node_folder: Path) -> None:
    for path in (node_folder / "segments").glob("*.seg"):
        reader = SegmentReader(path)
        load.begin(reader.header.node)
        for frame in reader.frames():
            load.add(frame, reader.position)
        load.flush()
    load.close()


def test_rows_that_were_held_back_are_loaded_once_later_rows_make_them_meet_what_is_expected(
    tmp_path: Path, take: Take, commit: Committer, publisher: Callable[..., Publisher]
) -> None:
    first, second = take(2)
    output = spec(SQLITE, expecting(MANY), deferred=True)
    commit(books(first, ["Rye", "1"]))
    held = publisher(output).publish()
    commit(books(second, *[[str(number), "1"] for number in range(4)]))

    published = publisher(output).publish()

    assert (held.rows, published.rows) == ({f"{SQLITE}.held": 1}, {SQLITE: 5})
    assert titles(tmp_path) == ["0", "1", "2", "3", "Rye"]
