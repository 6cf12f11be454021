"""Frame: what one ended job leaves behind in a node's segment."""

from __future__ import annotations

import msgspec

from scoopi.model.failure import Failure
from scoopi.model.handover import Part
from scoopi.model.job import JobPayload, JobState


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """The rows and the outcome of one attempt at a job; counts when the store names its fence.

    Attributes:
        job: the job's id.
        fence: of the take that made it.
        state: DONE or FAILED.
        pages: 1 when the page was loaded, else 0.
        parts: encoded rows by output file.
        failures: one for each failed task; not empty exactly when FAILED.
        warnings: what the tasks warned of.
        payload: of a failed job, so that a retry can make a job of its failed tasks.
    """

    job: str
    fence: int
    state: JobState
    pages: int
    parts: tuple[Part, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    payload: JobPayload | None = None
