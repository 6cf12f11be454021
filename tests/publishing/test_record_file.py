"""RecordFile: records in files of any format, each key once."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from scoopi.errors import AppenderError
from scoopi.model.records import Column, ColumnType, RecordSchema
from scoopi.publishing.publisher import Publisher, PublishTarget
from scoopi.publishing.record_file import KeyFilter
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import Take
from tests.publishing.record_frames import KEYED, Committer, books, commit, restarted, spec

__all__ = ["commit"]


def test_all_outputs_of_a_task_hold_its_records(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    first, second = take(2)
    commit(books(first, ["Rye", "4.20"], ["Oat", None]), books(second, ["Bran", "1"]))
    outputs = [spec(name) for name in ("books.csv.gz", "books.jsonl", "deep/books.json", "books.parquet")]

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, outputs).publish()

    text = gzip.decompress((tmp_path / "books.csv.gz").read_bytes()).decode()
    assert text == "title,price\nRye,4.20\nOat,\nBran,1\n"
    assert (tmp_path / "books.jsonl").read_text().splitlines()[1] == '{"title":"Oat","price":null}'
    assert len(json.loads((tmp_path / "deep" / "books.json").read_text())) == 3
    assert published.rows == dict.fromkeys([each.file for each in outputs], 3)


def test_of_records_with_one_key_the_first_stands_in_every_file_and_the_others_are_counted(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    first, second = take(2)
    commit(books(first, ["Rye", "1"], ["Rye", "2"]))
    commit(books(second, ["Oat", "3"], ["Rye", "4"]))

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", KEYED)]).publish()

    assert (tmp_path / "books.csv").read_text() == "title,price\nRye,1\nOat,3\n"
    assert (published.rows, published.dropped) == ({"books.csv": 2}, {"books.csv": 2})


@pytest.mark.parametrize("later", ["0000000000000000", "ffffffffffffffff"])
def test_the_first_record_is_the_one_that_was_committed_first_also_by_an_earlier_process(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer, later: str
) -> None:
    first, _ = take(2)
    commit(books(first, ["Rye", "1"]))
    again = restarted(node_folder, later)
    (second,) = again.jobs.take("file", 1)
    again(books(second, ["Rye", "2"]))

    Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", KEYED)]).publish()

    assert (tmp_path / "books.csv").read_text() == "title,price\nRye,1\n"


def test_records_are_written_to_stdout_once_the_run_is_over(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "4.20"]))
    stdout = io.BytesIO()
    publisher = Publisher(PublishTarget(tmp_path, node_folder, stdout=stdout), jobs, [spec("-")])

    publisher.publish(is_over=False)
    before = stdout.getvalue()
    publisher.publish()

    assert (before, stdout.getvalue()) == (b"", b'{"title":"Rye","price":4.20}\n')


def test_a_closed_stdout_is_an_error(tmp_path: Path, node_folder: Path, jobs: JobStore) -> None:
    with pytest.raises(AppenderError, match="stdout is closed"):
        Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec("-")]).publish()


def test_a_remote_file_is_uploaded_once_the_run_is_over(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "4.20"]))
    target = tmp_path / "bucket" / "books.csv"
    publisher = Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec(f"file://{target}")])

    publisher.publish(is_over=False)
    before = target.exists()
    publisher.publish()

    assert (before, target.read_text()) == (False, "title,price\nRye,4.20\n")


def test_keys_are_compared_by_value() -> None:
    columns = (Column("price", ColumnType.DECIMAL), Column("at", ColumnType.DATETIME))
    filtered = KeyFilter(RecordSchema("x", columns, key=("price", "at")))
    same = [["1.50", "2026-03-01T08:00:00+01:00"], ["1.5", "2026-03-01T07:00:00Z"]]

    assert filtered.kept(same) == same[:1]
    assert filtered.kept([[None, same[0][1]]] * 2) == [[None, same[0][1]]] * 2
