"""Publisher: each job's rows once, as the store says."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from scoopi.errors import AppenderError
from scoopi.publishing.output_spec import OutputSpec
from scoopi.publishing.publisher import PublishChecks, Publisher, PublishTarget
from scoopi.store.pages.job_records import Ending, TakenJob
from scoopi.store.pages.job_store import JobStore
from tests.appenders.conftest import result_of
from tests.publishing.record_frames import Committer

SPECS = (OutputSpec("data.txt", "data.txt"),)


@dataclass(frozen=True)
class Desk:
    """A node's folder with its store and its segment, below the folder in which its files appear."""

    folder: Path
    node_folder: Path
    jobs: JobStore
    take: Callable[[int], list[TakenJob]]
    commit: Committer

    def publisher(
        self,
        outputs: Sequence[OutputSpec] = SPECS,
        stream: IO[bytes] | None = None,
        checks: PublishChecks | None = None,
    ) -> Publisher:
        """What publishes these outputs, or the one of the stream."""
        target = PublishTarget(self.folder, self.node_folder, stream)
        return Publisher(target, self.jobs, tuple(outputs), checks=checks or PublishChecks())

    def lines(self, name: str) -> list[str]:
        """The words of a published file, sorted."""
        return sorted((self.folder / name).read_text().split())


@pytest.fixture
def desk(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Callable[[int], list[TakenJob]],
    commit: Committer,
) -> Desk:
    return Desk(tmp_path, node_folder, jobs, take, commit)


def test_a_frame_whose_job_has_not_ended_is_not_published(desk: Desk) -> None:
    first, second = desk.take(2)
    desk.commit.append(result_of(second))
    desk.commit(result_of(first))

    published = desk.publisher().publish()

    assert desk.lines("data.txt") == [first.payload.locator.url]
    assert (published.rows, published.done, published.missing) == ({"data.txt": 1}, 1, ())


def test_of_two_attempts_only_the_one_that_ended_the_job_counts(desk: Desk) -> None:
    (job,) = desk.take(1)
    desk.commit.append(result_of(job, "first"))
    desk.jobs.hand_back([job])
    (again,) = desk.jobs.take("file", 1)
    desk.commit(result_of(again, "second"))
    desk.commit.append(result_of(again, "second"))

    published = desk.publisher().publish()

    assert desk.lines("data.txt") == ["second"]
    assert published.rows == {"data.txt": 1}


def test_an_ended_job_without_its_frame_is_named_and_the_rest_is_published(desk: Desk) -> None:
    first, second = desk.take(2)
    desk.commit(result_of(first))
    desk.jobs.end([Ending(second.id, second.fence, result_of(second).state)])

    published = desk.publisher().publish()

    assert published.missing == (second.id,)
    assert desk.lines("data.txt") == [first.payload.locator.url]


def test_failed_jobs_keep_the_rows_of_their_other_tasks_and_show_why(desk: Desk) -> None:
    desk.commit(*(result_of(job, failure="parser: broken") for job in desk.take(3)))

    published = desk.publisher().publish()

    assert (published.done, published.failed, published.rows) == (0, 3, {"data.txt": 3})
    assert [(cause.cause, cause.count) for cause in published.errors] == [("parser: broken", 3)]


def test_later_publishing_replaces_the_file_and_an_output_without_rows_is_there(desk: Desk) -> None:
    publisher = desk.publisher((*SPECS, OutputSpec("b/empty.csv", "b/empty.csv", b"a,b\n")))
    first, second = desk.take(2)
    desk.commit(result_of(first))
    publisher.publish()
    desk.commit(result_of(second))
    publisher.publish()

    assert len(desk.lines("data.txt")) == 2
    assert (desk.folder / "b/empty.csv").read_text() == "a,b\n"
    assert not list(desk.node_folder.glob("*.tmp"))


def test_the_suffix_compresses(desk: Desk) -> None:
    from backports import zstd

    specs = (OutputSpec("data.txt", "data.txt.gz"), OutputSpec("none", "none.txt.zst", b"head\n"))
    desk.commit(*(result_of(job) for job in desk.take(5)))

    desk.publisher(specs).publish()

    assert len(gzip.decompress((desk.folder / "data.txt.gz").read_bytes()).split()) == 5
    assert zstd.decompress((desk.folder / "none.txt.zst").read_bytes()) == b"head\n"


def test_a_stream_gets_the_rows_and_no_file_is_published(desk: Desk) -> None:
    desk.commit(*(result_of(job) for job in desk.take(3)))
    stream = io.BytesIO()

    desk.publisher(stream=stream).publish()

    assert len(stream.getvalue().split()) == 3
    assert not (desk.folder / "data.txt").exists()


def test_when_the_time_is_over_the_former_file_stays(desk: Desk) -> None:
    (desk.folder / "data.txt").write_text("former\n")
    desk.commit(*(result_of(job) for job in desk.take(1)))

    with pytest.raises(AppenderError, match="files stay as they were"):
        desk.publisher(checks=PublishChecks(is_late=lambda: True)).publish()

    assert desk.lines("data.txt") == ["former"]


def test_an_output_that_cannot_be_written_is_loud_and_leaves_nothing_behind(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    desk.commit(*(result_of(job) for job in desk.take(1)))
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(AppenderError, match="No space left"):
        desk.publisher().publish()

    assert not (desk.folder / "data.txt").exists()
    assert not list(desk.node_folder.glob("*.tmp"))


def test_what_a_process_killed_while_publishing_left_behind_is_removed(desk: Desk) -> None:
    (desk.node_folder / "publish-0123456789ab.tmp").write_bytes(b"half a file")

    desk.publisher().publish()

    assert list(desk.node_folder.glob("*.tmp")) == []


def test_a_stream_that_nobody_reads_is_named_and_not_the_folder(desk: Desk) -> None:
    class Unread(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(AppenderError, match="stdout cannot be written: Broken pipe; `scoopi resume"):
        desk.publisher(stream=Unread()).publish()
