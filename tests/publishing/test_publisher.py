"""Publisher: each job's rows once, as the store says."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from scoopi.errors import AppenderError
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.publisher import PublishChecks, Publisher, PublishTarget
from scoopi.store.jobs.job_records import Ending
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import Take, result_of
from tests.publishing.record_frames import Committer

SPECS = (OutputSpec("data.txt", "data.txt"),)


@dataclass(frozen=True)
class Harness:
    """A node's folder with its store and its segment, below the folder in which its files appear."""

    folder: Path
    node_folder: Path
    jobs: JobStore
    take: Take
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
def harness(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Take,
    commit: Committer,
) -> Harness:
    return Harness(tmp_path, node_folder, jobs, take, commit)


def test_a_frame_whose_job_has_not_ended_is_not_published(harness: Harness) -> None:
    first, second = harness.take(2)
    harness.commit.append(result_of(second))
    harness.commit(result_of(first))

    published = harness.publisher().publish()

    assert harness.lines("data.txt") == [first.payload.locator.url]
    assert (published.rows, published.done, published.missing) == ({"data.txt": 1}, 1, ())


def test_of_two_attempts_only_the_one_that_ended_the_job_counts(harness: Harness) -> None:
    (job,) = harness.take(1)
    harness.commit.append(result_of(job, "first"))
    harness.jobs.hand_back([job])
    (again,) = harness.jobs.take("file", 1)
    harness.commit(result_of(again, "second"))
    harness.commit.append(result_of(again, "second"))

    published = harness.publisher().publish()

    assert harness.lines("data.txt") == ["second"]
    assert published.rows == {"data.txt": 1}


def test_an_ended_job_without_its_frame_is_named_and_the_rest_is_published(harness: Harness) -> None:
    first, second = harness.take(2)
    harness.commit(result_of(first))
    harness.jobs.finished.end([Ending(second.id, second.fence, result_of(second).state)])

    published = harness.publisher().publish()

    assert published.missing == (second.id,)
    assert harness.lines("data.txt") == [first.payload.locator.url]


def test_failed_jobs_keep_the_rows_of_their_other_tasks_and_show_why(harness: Harness) -> None:
    harness.commit(*(result_of(job, failure="parser: broken") for job in harness.take(3)))

    published = harness.publisher().publish()

    assert (published.done, published.failed, published.rows) == (0, 3, {"data.txt": 3})
    assert [(cause.cause, cause.count) for cause in published.errors] == [("parser: broken", 3)]


def test_later_publishing_replaces_the_file_and_an_output_without_rows_is_there(harness: Harness) -> None:
    publisher = harness.publisher((*SPECS, OutputSpec("b/empty.csv", "b/empty.csv", b"a,b\n")))
    first, second = harness.take(2)
    harness.commit(result_of(first))
    publisher.publish()
    harness.commit(result_of(second))
    publisher.publish()

    assert len(harness.lines("data.txt")) == 2
    assert (harness.folder / "b/empty.csv").read_text() == "a,b\n"
    assert not list(harness.node_folder.glob("*.tmp"))


def test_the_suffix_compresses(harness: Harness) -> None:
    from backports import zstd

    specs = (OutputSpec("data.txt", "data.txt.gz"), OutputSpec("none", "none.txt.zst", b"head\n"))
    harness.commit(*(result_of(job) for job in harness.take(5)))

    harness.publisher(specs).publish()

    assert len(gzip.decompress((harness.folder / "data.txt.gz").read_bytes()).split()) == 5
    assert zstd.decompress((harness.folder / "none.txt.zst").read_bytes()) == b"head\n"


def test_a_stream_gets_the_rows_and_no_file_is_published(harness: Harness) -> None:
    harness.commit(*(result_of(job) for job in harness.take(3)))
    stream = io.BytesIO()

    harness.publisher(stream=stream).publish()

    assert len(stream.getvalue().split()) == 3
    assert not (harness.folder / "data.txt").exists()


def test_when_the_time_is_over_the_former_file_stays(harness: Harness) -> None:
    (harness.folder / "data.txt").write_text("former\n")
    harness.commit(*(result_of(job) for job in harness.take(1)))

    with pytest.raises(AppenderError, match="files stay as they were"):
        harness.publisher(checks=PublishChecks(is_late=lambda: True)).publish()

    assert harness.lines("data.txt") == ["former"]


def test_an_output_that_cannot_be_written_is_loud_and_leaves_nothing_behind(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    harness.commit(*(result_of(job) for job in harness.take(1)))
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(AppenderError, match="No space left"):
        harness.publisher().publish()

    assert not (harness.folder / "data.txt").exists()
    assert not list(harness.node_folder.glob("*.tmp"))


def test_what_a_process_killed_while_publishing_left_behind_is_removed(harness: Harness) -> None:
    (harness.node_folder / "publish-0123456789ab.tmp").write_bytes(b"half a file")

    harness.publisher().publish()

    assert list(harness.node_folder.glob("*.tmp")) == []


def test_a_stream_that_nobody_reads_is_named_and_not_the_folder(harness: Harness) -> None:
    class Unread(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(AppenderError, match="stdout cannot be written: Broken pipe; `scoopi resume"):
        harness.publisher(stream=Unread()).publish()
