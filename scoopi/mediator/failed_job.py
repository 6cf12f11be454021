"""The result of a job that fails without being run: it killed workers, or was lost too often."""

from __future__ import annotations

import msgspec

from scoopi.appenders.job_result import JobResult
from scoopi.model.failure import Failure
from scoopi.model.frame import Frame
from scoopi.model.job import JobState
from scoopi.model.text.shown import shown
from scoopi.store.pages.job_values import TakenJob


def failure_of(taken: TakenJob, cause: str, hint: str, task: str = "", at: str = "") -> Failure:
    """A failure told as a step's would be."""
    locator = taken.payload.locator
    return Failure(
        cause=cause,
        message=f"{cause}; {hint}",
        job=f"{locator.name}:{locator.group}",
        task=task,
        step="worker",
        url=shown(locator.url),
        at=at,
    )


def failed_result(taken: TakenJob, failures: tuple[Failure, ...]) -> JobResult:
    """The job ends as failed, with no rows."""
    frame = Frame(
        job=taken.id,
        fence=taken.fence,
        state=JobState.FAILED,
        pages=0,
        parts=(),
        failures=failures,
        payload=taken.payload,
    )
    return JobResult(taken.id, taken.fence, JobState.FAILED, msgspec.msgpack.encode(frame))
