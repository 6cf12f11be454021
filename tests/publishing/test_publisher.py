"""Publisher: each job's rows once, as the store says."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.appenders.appender import JobResult
from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.errors import AppenderError
from scoopi.publishing.output_spec import OutputSpec
from scoopi.publishing.publisher import PublishChecks, Publisher, PublishTarget
from scoopi.store.pages.job_records import Ending, TakenJob
from scoopi.store.pages.job_store import JobStore
from tests.appenders.conftest import result_of

SPECS = (OutputSpec("data.txt", "data.txt"),)


@pytest.fixture
def commit(jobs: JobStore, writer: SegmentWriter) -> Callable[[list[JobResult]], None]:
    def append_and_end(results: list[JobResult]) -> None:
        writer.append([result.body for result in results])
        jobs.end([Ending(result.job, result.fence, result.state) for result in results])

    return append_and_end


def lines(path: Path) -> list[str]:
    return sorted(path.read_text().split())


def test_a_frame_whose_job_has_not_ended_is_not_published(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    writer: SegmentWriter,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    first, second = take(2)
    writer.append([result_of(second).body])
    commit([result_of(first)])

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert lines(tmp_path / "data.txt") == [first.payload.locator.url]
    assert (published.rows, published.done, published.missing) == ({"data.txt": 1}, 1, ())


def test_of_two_attempts_only_the_one_that_ended_the_job_counts(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    writer: SegmentWriter,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    (job,) = take(1)
    writer.append([result_of(job, "first").body])
    jobs.hand_back([job])
    (again,) = jobs.take("file", 1)
    commit([result_of(again, "second")])
    writer.append([result_of(again, "second").body])

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert lines(tmp_path / "data.txt") == ["second"]
    assert published.rows == {"data.txt": 1}


def test_an_ended_job_without_its_frame_is_named_and_the_rest_is_published(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    first, second = take(2)
    commit([result_of(first)])
    jobs.end([Ending(second.id, second.fence, result_of(second).state)])

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert published.missing == (second.id,)
    assert lines(tmp_path / "data.txt") == [first.payload.locator.url]


def test_failed_jobs_keep_the_rows_of_their_other_tasks_and_show_why(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    commit([result_of(job, failure="parser: broken") for job in take(3)])

    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert (published.done, published.failed, published.rows) == (0, 3, {"data.txt": 3})
    assert [(cause.cause, cause.count) for cause in published.errors] == [("parser: broken", 3)]


def test_later_publishing_replaces_the_file_and_an_output_without_rows_is_there(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    publisher = Publisher(
        PublishTarget(tmp_path, node_folder),
        jobs,
        (*SPECS, OutputSpec("b/empty.csv", "b/empty.csv", b"a,b\n")),
    )
    first, second = take(2)
    commit([result_of(first)])
    publisher.publish()
    commit([result_of(second)])
    publisher.publish()

    assert len(lines(tmp_path / "data.txt")) == 2
    assert (tmp_path / "b/empty.csv").read_text() == "a,b\n"
    assert not list(node_folder.glob("*.tmp"))


def test_the_suffix_compresses(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    from backports import zstd

    specs = (OutputSpec("data.txt", "data.txt.gz"), OutputSpec("none", "none.txt.zst", b"head\n"))
    commit([result_of(job) for job in take(5)])

    Publisher(PublishTarget(tmp_path, node_folder), jobs, specs).publish()

    assert len(gzip.decompress((tmp_path / "data.txt.gz").read_bytes()).split()) == 5
    assert zstd.decompress((tmp_path / "none.txt.zst").read_bytes()) == b"head\n"


def test_a_stream_gets_the_rows_and_no_file_is_published(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    commit([result_of(job) for job in take(3)])
    stream = io.BytesIO()

    Publisher(PublishTarget(tmp_path, node_folder, stream), jobs, SPECS).publish()

    assert len(stream.getvalue().split()) == 3
    assert not (tmp_path / "data.txt").exists()


def test_when_the_time_is_over_the_former_file_stays(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
) -> None:
    (tmp_path / "data.txt").write_text("former\n")
    commit([result_of(job) for job in take(1)])

    with pytest.raises(AppenderError, match="files stay as they were"):
        Publisher(
            PublishTarget(tmp_path, node_folder), jobs, SPECS, checks=PublishChecks(is_late=lambda: True)
        ).publish()

    assert lines(tmp_path / "data.txt") == ["former"]


def test_an_output_that_cannot_be_written_is_loud_and_leaves_nothing_behind(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Callable[[list[JobResult]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    commit([result_of(job) for job in take(1)])
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(AppenderError, match="No space left"):
        Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert not (tmp_path / "data.txt").exists()
    assert not list(node_folder.glob("*.tmp"))


def test_what_a_process_killed_while_publishing_left_behind_is_removed(
    tmp_path: Path, node_folder: Path, jobs: JobStore
) -> None:
    (node_folder / "publish-0123456789ab.tmp").write_bytes(b"half a file")

    Publisher(PublishTarget(tmp_path, node_folder), jobs, SPECS).publish()

    assert list(node_folder.glob("*.tmp")) == []


def test_a_stream_that_nobody_reads_is_named_and_not_the_folder(
    tmp_path: Path, node_folder: Path, jobs: JobStore
) -> None:
    class Unread(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(AppenderError, match="stdout cannot be written: Broken pipe; `scoopi resume"):
        Publisher(PublishTarget(tmp_path, node_folder, Unread()), jobs, SPECS).publish()
