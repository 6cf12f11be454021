"""SendingNotes: which requests that must not be sent twice the store has noted, so that they may be sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scoopi.mediator.held_jobs import Pending
from scoopi.store.jobs.job_records import TakenJob


class SendingNotes:
    """Tracks which requests that must not be sent twice are noted in the store, so that they may be sent.

    The store notes a request in its job's record before it is sent; a note is of one take of the job. The job
    runner, which talks to the store, gets the jobs that need a note by `take_missing`, and answers by `add`.

    Belongs to the task runner's thread.

    Args:
        wake: called with the host of each job that may send from now on.
    Source: ARCHITECTURE, protocol rule 16.
    """

    def __init__(self, wake: Callable[[str], None]) -> None:
        self._wake = wake
        self._missing: list[TakenJob] = []
        self._asked: set[tuple[str, int]] = set()
        self._noted: set[tuple[str, int]] = set()

    def allow(self, pending: Pending) -> bool:
        """Whether the job may send its request; if the store has to note it first, ask for that once."""
        if not pending.sends_once or (take := _take(pending.taken)) in self._noted:
            return True
        if take not in self._asked:
            self._asked.add(take)
            self._missing.append(pending.taken)
        return False

    def take_missing(self) -> list[TakenJob]:
        """Remove and return the jobs that the store is to note."""
        missing, self._missing = self._missing, []
        return missing

    def add(self, jobs: Iterable[TakenJob]) -> None:
        """Let these jobs send their requests, as the store has noted that they will."""
        for job in jobs:
            self._noted.add(_take(job))
            self._wake(job.host)

    def forget(self, pending: Pending) -> None:
        """Forget the note of a job that a worker gets; if it comes back unsent, it must be noted again."""
        self._asked.discard(_take(pending.taken))
        self._noted.discard(_take(pending.taken))

    def clear(self) -> None:
        """Forget all notes, as the jobs that wait are handed back."""
        self._asked.clear()
        self._noted.clear()


def _take(job: TakenJob) -> tuple[str, int]:
    return job.id, job.fence
