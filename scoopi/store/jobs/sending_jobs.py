"""SendingJobs: notes in a job's record, before it is sent, a request that must not be sent twice."""

from __future__ import annotations

from collections.abc import Sequence

from scoopi.store.jobs.job_records import JobRecords, TakenJob, TakenRecords, won
from scoopi.store.ports import JOBS, Change, Store


class SendingJobs:
    """Notes in a job's record, before it is sent, a request that must not be sent twice.

    A node that takes the job after a crash sees the note, and does not send the request again.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        taken: the records that this node wrote when it took the jobs.
    Source: ARCHITECTURE, protocol rule 16.
    """

    def __init__(self, store: Store, incarnation: str, taken: TakenRecords) -> None:
        self._store = store
        self._records = JobRecords(incarnation)
        self._taken = taken

    def note(self, jobs: Sequence[TakenJob]) -> list[TakenJob]:
        """Note that the requests of these jobs, which this node has taken, are about to be sent.

        Returns:
            The jobs with a note; the others were taken back from this node meanwhile.
        Raises:
            StoreError: the outcome is not known; call again with the same jobs.
        """
        found = self._store.get_all(JOBS, [job.id for job in jobs])
        read = {job: self._records.read(job, raw) for job, raw in found.items()}
        mine = [job for job in jobs if job.id in read and self._records.is_mine(read[job.id], job.fence)]
        changes = [
            Change(job.id, found[job.id], self._records.sending(read[job.id]))
            for job in mine
            if not read[job.id].sent
        ]
        written = {job: raw for job, raw in found.items() if read[job].sent}
        written |= {change.key: change.new for change in won(self._store, changes)}
        noted = [job for job in mine if job.id in written]
        for job in noted:
            self._taken.remember(job.id, job.fence, written[job.id])
        return noted
