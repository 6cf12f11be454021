"""PublishedFiles: the files that rows name get their paths before the rows appear, and no others."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import fsspec
import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.errors import AppenderError
from scoopi.model.downloads import FileRef, kept_path
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState
from scoopi.model.records import Column, RecordSchema, packed_rows
from scoopi.model.report.run_counts import FileCounts
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.output_file import OutputFile
from scoopi.publishing.publisher import Publisher, PublishTarget
from scoopi.publishing.row_tally import Published
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import Take
from tests.publishing.record_frames import STREAM, Committer, spec

COLUMNS = (Column("title"), Column("image", is_file=True))
COVERS = RecordSchema("cover", COLUMNS)
KEYED = RecordSchema("cover", COLUMNS, key=("title",))


class Harness:
    """A node with kept files, whose publisher is run."""

    def __init__(self, run_folder: Path, node_folder: Path, jobs: JobStore, commit: Committer) -> None:
        self.folder = run_folder
        self.files = node_folder / "files"
        self.commit = commit
        self._node_folder, self._jobs = node_folder, jobs

    def keep(self, content: bytes) -> FileRef:
        """A kept file, and how a row names it."""
        digest = sha256(content).hexdigest()
        path = kept_path(self.files, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return FileRef(f"files/{digest}", digest, len(content), STREAM)

    def result(self, job: TakenJob, *covers: tuple[str, FileRef]) -> JobResult:
        """A frame of covers."""
        part = Part(STREAM, len(covers), packed_rows([(title, file.path) for title, file in covers]))
        files = tuple(file for _, file in covers)
        frame = Frame(job.id, job.fence, JobState.DONE, 1, (part,), files=files)
        return JobResult(job.id, job.fence, JobState.DONE, msgspec.msgpack.encode(frame))

    def publisher(self, *specs: OutputSpec, keeps_uploaded: bool = False) -> Publisher:
        target = PublishTarget(self.folder, self._node_folder, keeps_uploaded=keeps_uploaded)
        return Publisher(target, self._jobs, specs)

    def published(self) -> dict[str, bytes]:
        below = (path for path in (self.folder / "files").rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in below}


@pytest.fixture
def harness(tmp_path: Path, node_folder: Path, jobs: JobStore, commit: Committer) -> Harness:
    return Harness(tmp_path, node_folder, jobs, commit)


def test_only_files_of_frames_that_count_are_published(harness: Harness, take: Take) -> None:
    first, second = take(2)
    named, other = harness.keep(b"named"), harness.keep(b"other")
    harness.commit(harness.result(first, ("a", named)))
    harness.commit.append(harness.result(second, ("b", other)))
    found = harness.publisher(spec("covers.csv", COVERS)).publish()
    assert harness.published() == {named.path: b"named"}
    assert found.files == FileCounts(1, 5)


def test_a_record_with_the_key_of_an_earlier_one_publishes_no_file(harness: Harness, take: Take) -> None:
    first, second = take(2)
    one, two = harness.keep(b"one"), harness.keep(b"two")
    harness.commit(harness.result(first, ("a", one)), harness.result(second, ("a", two)))
    harness.publisher(spec("covers.csv", KEYED)).publish()
    assert harness.published() == {one.path: b"one"}
    again = harness.publisher(spec("covers.csv", KEYED)).publish()
    assert (again.missing, harness.published()) == ((), {one.path: b"one"})


def test_a_file_is_published_if_any_output_names_it(harness: Harness, take: Take) -> None:
    first, second = take(2)
    one, two = harness.keep(b"one"), harness.keep(b"two")
    harness.commit(harness.result(first, ("a", one)), harness.result(second, ("a", two)))
    harness.publisher(spec("covers.csv", KEYED), spec("all.csv", COVERS)).publish()
    assert {*harness.published()} == {one.path, two.path}


def test_published_files_are_links_and_are_not_written_again(harness: Harness, take: Take) -> None:
    (job,) = take(1)
    file = harness.keep(b"named")
    harness.commit(harness.result(job, ("a", file)))
    harness.publisher(spec("covers.csv", COVERS)).publish()
    path = harness.folder / file.path
    assert path.samefile(kept_path(harness.files, file.sha256))
    path.write_bytes(b"NAMED")  # by a user; the next publishing finds the same file
    harness.publisher(spec("covers.csv", COVERS)).publish()
    assert path.read_bytes() == b"NAMED"


def test_where_links_cannot_be_made_files_are_copied(
    harness: Harness, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    (job,) = take(1)
    file = harness.keep(b"named")
    harness.commit(harness.result(job, ("a", file)))
    monkeypatch.setattr(os, "link", refuse)
    harness.publisher(spec("covers.csv", COVERS)).publish()
    assert harness.published() == {file.path: b"named"}
    assert not (harness.folder / file.path).samefile(kept_path(harness.files, file.sha256))


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"name")])
def test_a_frame_whose_file_is_gone_or_cut_does_not_count(
    harness: Harness, take: Take, damage: Callable[[Path], object]
) -> None:
    first, second = take(2)
    one, two = harness.keep(b"one"), harness.keep(b"two")
    harness.commit(harness.result(first, ("a", one)), harness.result(second, ("b", two)))
    damage(kept_path(harness.files, one.sha256))
    found = harness.publisher(spec("covers.csv", COVERS)).publish()
    assert found.missing == (first.id,), "as of a damaged frame"
    assert harness.published() == {two.path: b"two"}
    assert (harness.folder / "covers.csv").read_text().splitlines()[1:] == [f"b,{two.path}"]


def test_two_contents_never_have_one_path(harness: Harness, take: Take) -> None:
    first, second = take(2)
    one, two = harness.keep(b"one"), harness.keep(b"two")
    same = FileRef(one.path, two.sha256, two.size, STREAM)
    harness.commit(harness.result(first, ("a", one)), harness.result(second, ("b", same)))
    found = harness.publisher(spec("covers.csv", COVERS)).publish()
    assert found.missing == (second.id,)
    assert harness.published() == {one.path: b"one"}


def test_files_stand_there_before_any_row_appears(
    harness: Harness, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = take(1)
    file = harness.keep(b"named")
    harness.commit(harness.result(job, ("a", file)))
    seen: list[dict[str, bytes]] = []
    publish = OutputFile.publish

    def publish_noted(output: OutputFile, suffix: str = "") -> None:
        seen.append(harness.published())
        publish(output, suffix)

    monkeypatch.setattr(OutputFile, "publish", publish_noted)
    harness.publisher(spec("covers.csv", COVERS)).publish()
    assert seen == [{file.path: b"named"}]


def test_a_crash_between_files_and_rows_is_finished_by_the_next_publishing(
    harness: Harness, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CrashError(Exception):
        pass

    (job,) = take(1)
    files = [harness.keep(content) for content in (b"one", b"two", b"three")]
    harness.commit(harness.result(job, *((file.sha256, file) for file in files)))
    for name in ("link", "replace", "fsync"):
        for step in range(4):
            left = step
            real: Callable[..., object] = getattr(os, name)

            def failing(*arguments: object, real: Callable[..., object] = real, **named: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    raise CrashError
                return real(*arguments, **named)

            with monkeypatch.context() as patched:
                patched.setattr(os, name, failing)
                try:
                    harness.publisher(spec("covers.csv", COVERS)).publish()
                except CrashError:
                    rows = harness.folder / "covers.csv"
                    assert not rows.exists() or len(harness.published()) == 3, "no row without its file"
    harness.publisher(spec("covers.csv", COVERS)).publish()
    assert sorted(harness.published().values()) == [b"one", b"three", b"two"]
    assert len((harness.folder / "covers.csv").read_text().splitlines()) == 4


def test_a_path_that_leads_through_a_link_out_of_the_folder_is_refused(
    harness: Harness, take: Take, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (job,) = take(1)
    harness.commit(harness.result(job, ("a", harness.keep(b"named"))))
    (harness.folder / "files").symlink_to(elsewhere)
    with pytest.raises(AppenderError, match="leads out of the run's folder"):
        harness.publisher(spec("covers.csv", COVERS)).publish()
    assert [*elsewhere.iterdir()] == []


def test_what_no_row_names_is_removed_once_the_run_is_over(harness: Harness, take: Take) -> None:
    first, _ = take(2)
    named = harness.keep(b"named")
    harness.keep(b"of an attempt that did not count")
    parts = harness.files / "parts"
    parts.mkdir()
    (parts / "a").write_bytes(b"cut o")
    harness.commit(harness.result(first, ("a", named)))
    harness.publisher(spec("covers.csv", COVERS)).publish(is_over=False)
    assert (parts / "a").exists(), "the run may go on"
    harness.publisher(spec("covers.csv", COVERS)).publish()
    left = [path for path in harness.files.rglob("*") if path.is_file()]
    assert left == [kept_path(harness.files, named.sha256)]


class ObjectHarness:
    """A harness whose rows name an object of fsspec's store in memory."""

    def __init__(self, harness: Harness, job: TakenJob, other: TakenJob, content: bytes) -> None:
        self.harness = harness
        self.other = other
        self.bucket = f"memory://{uuid4().hex}"
        kept = harness.keep(content)
        self.local = kept_path(harness.files, kept.sha256)
        self.file = msgspec.structs.replace(kept, path=f"{self.bucket}/{kept.sha256}")
        self.store = fsspec.filesystem("memory")
        harness.commit(harness.result(job, ("a", self.file)))

    def publish(self, *, is_over: bool = True, keeps: bool = False) -> Published:
        return self.harness.publisher(spec("covers.csv", COVERS), keeps_uploaded=keeps).publish(is_over)

    def content(self) -> bytes:
        return bytes(self.store.cat(self.file.path))


@pytest.fixture
def uploaded(harness: Harness, take: Take) -> ObjectHarness:
    job, other = take(2)
    return ObjectHarness(harness, job, other, b"named")


def test_the_copy_of_an_uploaded_file_is_removed_once_the_run_is_over(uploaded: ObjectHarness) -> None:
    uploaded.publish(is_over=False)
    assert uploaded.local.exists(), "the run may go on"
    uploaded.publish(keeps=True)
    assert uploaded.local.exists()
    uploaded.publish()
    assert not uploaded.local.exists()
    assert uploaded.content() == b"named"


def test_a_run_whose_copies_are_removed_can_be_published_again(uploaded: ObjectHarness) -> None:
    first = uploaded.publish()
    again = uploaded.publish()
    assert (again.missing, again.rows, again.files) == ((), first.rows, FileCounts(1, 5))
    assert uploaded.content() == b"named"


@pytest.mark.parametrize(
    ("content", "what"), [(None, "no longer exists"), (b"n", "has 1 bytes instead of 5")]
)
def test_an_object_that_is_gone_without_a_copy_is_reported_and_no_output_changes(
    uploaded: ObjectHarness, content: bytes | None, what: str
) -> None:
    uploaded.publish()
    covers = uploaded.harness.folder / "covers.csv"
    covers.write_text("as before")
    uploaded.store.rm(uploaded.file.path)
    if content is not None:
        uploaded.store.pipe(uploaded.file.path, content)
    with pytest.raises(AppenderError, match=what) as caught:
        uploaded.publish()
    assert caught.value.at == uploaded.file.path
    assert covers.read_text() == "as before"


def test_a_file_that_came_again_after_its_copy_was_removed_is_sent_if_it_is_missing(
    uploaded: ObjectHarness,
) -> None:
    uploaded.publish()
    uploaded.store.rm(uploaded.file.path)
    uploaded.harness.keep(b"named")
    uploaded.publish()
    assert uploaded.content() == b"named"


def test_a_file_that_has_a_path_in_the_run_too_keeps_its_copy(uploaded: ObjectHarness) -> None:
    file = uploaded.harness.keep(b"named")
    uploaded.harness.commit(uploaded.harness.result(uploaded.other, ("b", file)))
    uploaded.publish()
    assert (uploaded.harness.folder / file.path).samefile(uploaded.local)


def test_without_a_note_no_copy_is_removed(uploaded: ObjectHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)
    uploaded.publish()
    assert uploaded.local.exists()
