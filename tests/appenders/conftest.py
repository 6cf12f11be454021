"""A store, a segment and frames for the tests of the appenders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.model.failure import Failure
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobPayload, JobState, seed_id
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.solo.sqlite_store import SqliteStore

NODE = "aaaaaaaaaaaaaaaa"
Take = Callable[[int], list[TakenJob]]
"""What the fixture `take` gives."""


@pytest.fixture
def node_folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".scoopi" / "node"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def jobs(node_folder: Path) -> Iterator[JobStore]:
    store = SqliteStore(node_folder / "store.db")
    yield JobStore(store, NODE)
    store.close()


@pytest.fixture
def unopened(node_folder: Path) -> SegmentWriter:
    return SegmentWriter(node_folder / "segments", SegmentHeader("run", NODE))


@pytest.fixture
def writer(unopened: SegmentWriter) -> SegmentWriter:
    unopened.open()
    return unopened


@pytest.fixture
def take(jobs: JobStore) -> Take:
    """Puts and takes a number of jobs of the host `file`."""

    def put_and_take(count: int) -> list[TakenJob]:
        new = []
        for number in range(count):
            job = seed_id("group", "page", str(number))
            new.append(NewJob(job, "file", JobPayload(Locator("page", "group", str(number)), job)))
        jobs.put(new)
        return jobs.take("file", count)

    return put_and_take


def result_of(job: TakenJob, text: str = "", failure: str = "") -> JobResult:
    """A result with one row, which is the job's URL unless a text is given."""
    body = f"{text or job.payload.locator.url}\n".encode()
    failures = (Failure(cause=failure, message=failure),) if failure else ()
    state = JobState.FAILED if failure else JobState.DONE
    frame = Frame(job.id, job.fence, state, 1, (Part("data.txt", 1, body),), failures)
    return JobResult(job.id, job.fence, state, msgspec.msgpack.encode(frame))


def frame(number: int, body: bytes = b"row\n") -> bytes:
    """An encoded frame whose fence is its number."""
    made = Frame(f"{number:032x}", number, JobState.DONE, 1, (Part("data.txt", 1, body),))
    return msgspec.msgpack.encode(made)
