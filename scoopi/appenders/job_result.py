"""JobResult: the outcome of an attempt at a job, before its commit."""

from __future__ import annotations

import msgspec

from scoopi.model.job import JobState
from scoopi.store.pages.job_records import NewJob


class JobResult(msgspec.Struct, frozen=True):
    """The outcome of a job, from a worker or, for a job that cannot run, from the parent.

    Attributes:
        job: the job's id.
        fence: the fence of its take.
        state: DONE or FAILED.
        body: its encoded Frame.
        children: the jobs for its links, which are stored before the job finishes.
        rows: the number of rows in its frame.
    """

    job: str
    fence: int
    state: JobState
    body: bytes
    children: tuple[NewJob, ...] = ()
    rows: int = 0


END_OF_STREAM = None
"""The last entry of an appender's queue: the appender commits what came before it, then ends."""
