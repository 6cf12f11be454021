"""JobResult: an attempt at a job that has come to its end and waits for its commit."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.model.job import JobState
from scoopi.store.pages.job_values import NewJob


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a worker (or the parent, for a job that cannot run) made of a job.

    Attributes:
        job: the job's id.
        fence: of its take.
        state: DONE or FAILED.
        body: its Frame, encoded.
        children: the jobs made from its links; put before the job ends.
        rows: how many rows its frame holds.
    """

    job: str
    fence: int
    state: JobState
    body: bytes
    children: tuple[NewJob, ...] = ()
    rows: int = 0


END_OF_STREAM = None
"""Put last into an appender's queue: what came before it is committed, then the appender ends."""
