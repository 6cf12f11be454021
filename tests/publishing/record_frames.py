"""Frames of records, and specs of their outputs, for the tests of publishing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState
from scoopi.model.records import Column, ColumnType, Expectation, RecordSchema, packed_rows
from scoopi.outputs.output_spec import OutputSpec
from scoopi.outputs.target import parse_target, stream_of
from scoopi.store.jobs.job_records import Ending, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.appenders.conftest import NODE

STREAM = stream_of("list", "books")
COLUMNS = (Column("title"), Column("price", ColumnType.DECIMAL))
BOOKS = RecordSchema("book", COLUMNS)
KEYED = RecordSchema("book", COLUMNS, key=("title",))


def expecting(*expectations: Expectation) -> RecordSchema:
    """Books of which something is expected."""
    return RecordSchema("book", COLUMNS, expect=expectations)


def spec(output: str, schema: RecordSchema = BOOKS, deferred: bool = False) -> OutputSpec:
    """The spec of an output of books."""
    target = parse_target(output)
    return OutputSpec(
        target.name, target.name, target=target, schema=schema, streams=(STREAM,), deferred=deferred
    )


def books(job: TakenJob, *records: list[Any]) -> JobResult:
    """A result with these records."""
    part = Part(STREAM, len(records), packed_rows([tuple(record) for record in records]))
    frame = Frame(job.id, job.fence, JobState.DONE, 1, (part,))
    return JobResult(job.id, job.fence, JobState.DONE, msgspec.msgpack.encode(frame))


@dataclass
class Committer:
    """Writes frames to a segment, and ends their jobs in the store.

    Attributes:
        end: where the segment ends.
    """

    writer: SegmentWriter
    jobs: JobStore
    end: int = 0

    def __call__(self, *results: JobResult) -> None:
        """Commit them."""
        self.append(*results)
        self.jobs.finished.end([Ending(result.job, result.fence, result.state) for result in results])

    def append(self, *results: JobResult) -> None:
        """Write them; their jobs do not end."""
        self.end = self.writer.append([result.body for result in results])


def restarted(node_folder: Path, incarnation: str) -> Committer:
    """The next process of the node: its store as it stands, with a segment of its own."""
    jobs = JobStore(SqliteStore(node_folder / "store.db"), incarnation)
    jobs.take_back(NODE)
    writer = SegmentWriter(node_folder / "segments", SegmentHeader("run", incarnation))
    writer.open()
    return Committer(writer, jobs)


@pytest.fixture
def commit(jobs: JobStore, writer: SegmentWriter) -> Committer:
    return Committer(writer, jobs)
