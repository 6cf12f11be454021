"""Pending: a taken job that waits here or runs in a worker; the result of one that fails unrun."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from scoopi.appenders.job_result import JobResult
from scoopi.model.failure import Failure
from scoopi.model.frame import Frame
from scoopi.model.job import JobState
from scoopi.model.text.shown import shown
from scoopi.store.pages.job_values import TakenJob
from scoopi.worker.messages import WorkItem


@dataclass(frozen=True, slots=True)
class Pending:
    """A job between its take and its end.

    Attributes:
        archived: the archive has its page, so it needs no grant.
        failures: of tasks that are skipped now because they crashed their worker.
        crashes: the task of each crash of a worker that ran this job alone.
        beside: how many workers crashed on another job while they held this one.
    """

    taken: TakenJob
    archived: bool = False
    failures: tuple[Failure, ...] = ()
    crashes: tuple[str, ...] = ()
    beside: int = 0

    def item(self) -> WorkItem:
        """The job as a worker gets it, without a grant."""
        taken = self.taken
        return WorkItem(taken.id, taken.fence, taken.payload, None, self.archived, self.failures)

    def crashed(self, task: str) -> Pending:
        """This job after a crash on that task of a worker that ran it alone."""
        return replace(self, crashes=(*self.crashes, task))

    def held_at_crash(self) -> Pending:
        """This job after the crash of a worker that held it while running another one."""
        return replace(self, beside=self.beside + 1)

    def without(self, task: str, failure: Failure) -> Pending:
        """This job to be run once more without that task, which has failed."""
        payload = self.taken.payload
        skipped = msgspec.structs.replace(payload, skip=(*payload.skip, task))
        return replace(
            self,
            taken=self.taken._replace(payload=skipped),
            failures=(*self.failures, failure),
            crashes=(),
        )


def failure_of(taken: TakenJob, cause: str, hint: str, task: str = "", at: str = "") -> Failure:
    """A failure of the job in the form of a step's failure.

    Args:
        task: empty when the job fails as a whole.
        at: where the task's definition stands, as `file:line`.
    """
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
    """The result of a job that fails without being run: no rows, these failures."""
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
