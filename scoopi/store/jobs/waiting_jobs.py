"""WaitingJobs: keeps jobs whose page failed to load until it may be tried again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoopi.model.job import StoredJob
from scoopi.store.jobs.job_records import (
    JobRecords,
    Postponed,
    TakenRecords,
    WaitingJob,
    waiting_state_key,
    won,
)
from scoopi.store.ports import JOBS, PAGE, Change, Store, pages


class WaitingJobs:
    """Keeps jobs whose page failed to load until it may be tried again.

    TAKEN -> WAITING at a node -> READY; another node adopts the waiting jobs of a dead one.

    A record has the duration of the wait, never a time of day: each node waits by its own clock, so
    differences between clocks do not matter. Every method raises StoreError if the outcome is not known:
    call it again with the same arguments.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        taken: the records that this node wrote when it took the jobs.

    Source: ARCHITECTURE, protocol rule 14.
    """

    def __init__(self, store: Store, incarnation: str, taken: TakenRecords) -> None:
        self._store = store
        self._records = JobRecords(incarnation)
        self._taken = taken
        self._mine = waiting_state_key(incarnation)

    def postpone(self, jobs: Sequence[Postponed]) -> list[WaitingJob]:
        """TAKEN by this node -> WAITING at this node.

        Returns:
            The jobs that wait now; the others were taken back from this node meanwhile.
        """
        records = self._standing([job.id for job in jobs])
        changes: list[Change] = []
        waiting: dict[str, WaitingJob] = {}
        for job in jobs:
            raw, was = records.get(job.id, (b"", None))
            if was is None:
                continue
            if self._records.is_mine(was, job.fence):
                changes.append(Change(job.id, raw, self._records.postponed(was, job)))
            elif self._records.waits_here(was) and was.fence == job.fence:
                waiting[job.id] = WaitingJob(job.id, was.host, was.wait_ms)  # postponed by an earlier call
        hosts = {job: was.host for job, (_, was) in records.items()}
        wait_ms = {job.id: job.wait_ms for job in jobs}
        for change in won(self._store, changes):
            waiting[change.key] = WaitingJob(change.key, hosts[change.key], wait_ms[change.key])
        self._taken.forget((job.id, job.fence) for job in jobs)
        return list(waiting.values())

    def make_ready(self, ids: Sequence[str]) -> None:
        """WAITING at this node -> READY; jobs that do not wait here stay as they are."""
        changes = [
            Change(job, raw, self._records.due(was))
            for job, (raw, was) in self._standing(ids).items()
            if self._records.waits_here(was)
        ]
        won(self._store, changes)

    def adopt(self, dead: str) -> list[WaitingJob]:
        """WAITING at a dead incarnation -> WAITING at this node, for the whole time again.

        It is not known how long the dead node had waited, and a request must not be sent too early.

        Args:
            dead: an incarnation that is dead, or has left.
        """
        adopted: list[WaitingJob] = []
        for page in pages(self._store, JOBS, PAGE, waiting_state_key(dead)):
            read = {job: self._records.read(job, raw) for job, raw in page}
            changes = [Change(job, raw, self._records.adopted(read[job])) for job, raw in page]
            adopted += (_waiting(change.key, read[change.key]) for change in won(self._store, changes))
        return adopted

    def here(self) -> list[WaitingJob]:
        """The jobs that wait at this node, according to the store."""
        return [
            _waiting(job, self._records.read(job, raw))
            for page in pages(self._store, JOBS, PAGE, self._mine)
            for job, raw in page
        ]

    def count(self, incarnation: str) -> int:
        """The number of jobs that wait at a node."""
        return self._store.count(JOBS, waiting_state_key(incarnation))

    def _standing(self, ids: Sequence[str]) -> Mapping[str, tuple[bytes, StoredJob]]:
        found = self._store.get_all(JOBS, ids) if ids else {}
        return {job: (raw, self._records.read(job, raw)) for job, raw in found.items()}


def _waiting(job: str, record: StoredJob) -> WaitingJob:
    return WaitingJob(job, record.host, record.wait_ms)
