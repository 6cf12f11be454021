"""Pending: a taken job that waits in this node, or runs in a worker."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from scoopi.model.failure import Failure
from scoopi.store.pages.job_values import TakenJob
from scoopi.worker.messages import WorkItem


@dataclass(frozen=True, slots=True)
class Pending:
    """A job between its take and its end.

    Attributes:
        archived: the archive has its page, so that it needs no grant.
        failures: of tasks that are skipped now, because they killed their worker.
        crashes: deaths of a worker while alone with this job, by task.
        beside: deaths of a worker that held this job while it was on another one.
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
        """After a death while alone on that task."""
        return replace(self, crashes=(*self.crashes, task))

    def held_at_crash(self) -> Pending:
        """After the death of a worker that held this job and was on another one."""
        return replace(self, beside=self.beside + 1)

    def without(self, task: str, failure: Failure) -> Pending:
        """To be run once more without that task, which has failed."""
        payload = self.taken.payload
        skipped = msgspec.structs.replace(payload, skip=(*payload.skip, task))
        return replace(
            self,
            taken=self.taken._replace(payload=skipped),
            failures=(*self.failures, failure),
            crashes=(),
        )
