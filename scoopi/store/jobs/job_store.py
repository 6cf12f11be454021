"""JobStore: the life of a job in the store, from being put to the record of its end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from operator import attrgetter

from scoopi.model.job import JobState
from scoopi.store.jobs.finished_jobs import BATCH, FinishedJobs
from scoopi.store.jobs.job_records import (
    ENDED_STATE_KEY,
    Ending,
    HeldJob,
    JobRecords,
    NewJob,
    Reconciled,
    TakenJob,
    TakenRecords,
    ready_state_key,
    taken_state_key,
    won,
)
from scoopi.store.jobs.job_taking import JobTaking
from scoopi.store.jobs.seed_marks import SeedMarks
from scoopi.store.jobs.seed_packs import SeedPacks, pack_host
from scoopi.store.jobs.sending_jobs import SendingJobs
from scoopi.store.jobs.waiting_jobs import WaitingJobs
from scoopi.store.nodes.node_record import marked_among
from scoopi.store.ports import HOSTS, JOBS, PAYLOADS, Change, Store, pages
from scoopi.store.record_codec import unreadable

NEW_HOST = b"{}"
"""The record of a host before any node has a share of it."""
STRAYS = 100
"""Number of records that `refuse_strays` checks."""
LARGE = 1000
"""A payload with more bytes gets a record of its own, since each change of a job sends its record twice."""


class JobStore:
    """The life of a job in the store, from being put to the record of its end.

    READY -> TAKEN(incarnation, fence + 1) -> ended; each move is a conditional write.

    Thread-safe. Every method raises StoreError if the outcome is not known; it may have done a part of its
    work, and must be called again with the same arguments.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node, unique to this start of it.
    Attributes:
        finished: ends jobs, and reads their ends.
        waiting: jobs between two attempts.
        sending: jobs whose request must not be sent twice.
    Source: ARCHITECTURE, protocol rules 2 to 4 and 7.
    """

    def __init__(self, store: Store, incarnation: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._records = JobRecords(incarnation)
        self._written = TakenRecords()
        self.finished = FinishedJobs(store, incarnation, self._written)
        self._taking = JobTaking(store, incarnation, self._written, self.finished)
        self._packs = SeedPacks(store, self._records)
        self.waiting = WaitingJobs(store, incarnation, self._written)
        self.sending = SendingJobs(store, incarnation, self._written)
        self._mine = taken_state_key(incarnation)
        self._unknown: set[HeldJob] = set()
        self._missing: set[str] = set()
        self._gone: set[str] = set()

    def put(self, jobs: Sequence[NewJob]) -> None:
        """Put new jobs as READY; existing ones stay as they are.

        A host is put before its jobs, a payload before its job; on return, all are acknowledged.
        """
        hosts = [(host, NEW_HOST) for host in sorted({job.host for job in jobs})]
        self._store.put_if_absent_all(HOSTS, hosts)
        payloads = {job.id: self._records.payload(job.payload) for job in jobs}
        apart = {job: payload for job, payload in payloads.items() if len(payload) > LARGE}
        if apart:
            self._store.put_if_absent_all(PAYLOADS, list(apart.items()))
        new = self._records.new
        records = [(job.id, new(job.host, b"" if job.id in apart else payloads[job.id])) for job in jobs]
        outcomes = self._store.put_if_absent_all(JOBS, records)
        standing = [
            (key, now.current) for (key, _), now in zip(records, outcomes, strict=True) if not now.won
        ]
        self._forget_payloads([(key, now) for key, now in standing if key in apart and now is not None])

    def put_packed(self, host: str, number: int, jobs: Sequence[NewJob]) -> None:
        """Put jobs of a host as one record: the host's pack with this number. `unpack` makes jobs of it."""
        self._packs.put(host, number, jobs)

    def seed_marks(self, run: str) -> SeedMarks:
        """The mark of how far a run is seeded.

        Args:
            run: incarnation of the run.
        """
        return SeedMarks(self._store, self._incarnation, run)

    def unpack(self, host: str, begin: Callable[[], None] = lambda: None) -> int:
        """Put the jobs of the host's next pack as single records.

        Args:
            begin: called if there is a pack, before its jobs move.
        Returns:
            The number of jobs; 0 if the host has no pack.
        Raises:
            RunError: the run's data is lost.
        """
        if not self._packs.has(host):
            return 0
        begin()
        if (unpacked := self._packs.take(host)) is None:
            return 0
        self.put(sorted(unpacked.jobs, key=attrgetter("id")))
        self._packs.remove(unpacked.key)
        return len(unpacked.jobs)

    def hosts(self) -> list[str]:
        """Read the hosts of all jobs ever put."""
        return [host for page in pages(self._store, HOSTS, BATCH) for host, _ in page]

    def take(self, host: str, limit: int, begin: Callable[[], None] = lambda: None) -> list[TakenJob]:
        """Take up to `limit` READY jobs of a host; see `JobTaking.take`."""
        return self._taking.take([host], limit, begin)

    def take_each(
        self, hosts: Sequence[str], limit: int, begin: Callable[[], None] = lambda: None
    ) -> list[TakenJob]:
        """Take up to `limit` READY jobs of each of these hosts; see `JobTaking.take`."""
        return self._taking.take(hosts, limit, begin)

    def hand_back(self, jobs: Sequence[TakenJob]) -> int:
        """TAKEN by this node -> READY, for jobs that did not run; return how many were still held."""
        known = [(job, raw) for job in jobs if (raw := self._written.of(job.id, job.fence)) is not None]
        read, back = self._records.read, self._records.handed_back
        number = self._changed([Change(job.id, raw, back(read(job.id, raw), job.sent)) for job, raw in known])
        unknown = {job.id for job in jobs} - {job.id for job, _ in known}
        number += self._hand_back_held([HeldJob(job.id, job.fence) for job in jobs if job.id in unknown])
        self._written.forget((job.id, job.fence) for job in jobs)
        return number

    def take_back(self, dead: str, counts: bool = True, given: bytes = b"") -> int:
        """TAKEN by a dead incarnation -> READY; return the number of jobs.

        `lost` is incremented for jobs that its workers had: one of them may have crashed the node, whereas
        jobs that waited in its queues cannot have. It is incremented for all jobs if none of those in `given`
        is left, as any job may have been given to a worker since the last heartbeat.

        Args:
            dead: an incarnation that is dead, or has left.
            counts: whether `lost` is incremented; False for a node that shut down gracefully.
            given: marks of the jobs that its workers had, from its last heartbeat; see `marks_of`.
        """
        state_key, read, back = taken_state_key(dead), self._records.read, self._records.taken_back
        marked: set[str] = set()
        for page in pages(self._store, JOBS, BATCH, state_key) if given else ():
            marked |= marked_among(given, (job for job, _ in page))
        number = 0
        for page in pages(self._store, JOBS, BATCH, state_key):
            lost = {job: counts and (not marked or job in marked) for job, _ in page}
            number += self._changed([Change(job, now, back(read(job, now), lost[job])) for job, now in page])
        return number

    def taken(self) -> list[HeldJob]:
        """The jobs that this node has taken, according to the store."""
        found = (each for page in pages(self._store, JOBS, BATCH, self._mine) for each in page)
        return [HeldJob(job, self._records.read(job, record).fence) for job, record in found]

    def reconcile(
        self, held: Collection[str], committed: Callable[[str, int], JobState | None]
    ) -> Reconciled:
        """Resolve differences between the store and this node, in both directions.

        If the store has a job as TAKEN by this node and the node does not know it, the answer to its take was
        lost: the job is ended again if it has a frame, else made READY. If the node holds a job that is not
        TAKEN by it in the store, others have taken the job back: it is reported. A difference must be found
        in two consecutive calls, as a job may be in transit. Called by one thread, once per liveness gap.

        Args:
            held: ids of the jobs that this node held before the call.
            committed: returns the state in the durable frame of (id, fence); None if there is no frame.
        """
        taken = self.taken()
        missing = set(held).difference(job.id for job in taken)
        gone, self._missing = missing & self._missing, missing
        news, self._gone = gone - self._gone, gone
        unknown = {job for job in taken if job.id not in held}
        settle, self._unknown = sorted(unknown & self._unknown), unknown - self._unknown
        states = [(job, committed(job.id, job.fence)) for job in settle]
        endings = [Ending(job.id, job.fence, state) for job, state in states if state is not None]
        ended = sum(self.finished.end(endings)) if endings else 0
        back = self._hand_back_held([job for job, state in states if state is None])
        return Reconciled(ended, back, frozenset(news))

    def ready(self, host: str) -> int:
        """The number of a host's READY jobs; 1 if all of them are in packs."""
        return self._store.count(JOBS, ready_state_key(host)) or int(self._packs.has(host))

    def left(self) -> int:
        """The number of jobs that have not ended; approximate while jobs are put or ended."""
        half_ended = self._store.count(JOBS, ENDED_STATE_KEY)
        return max(0, self._store.count(JOBS) + self._packs.unseen() - half_ended)

    def nothing_left(self) -> bool:
        """Whether the store has no record of a job: all have ended, and none is half ended."""
        # The count includes foreign keys, which a scan skips.
        return self._store.count(JOBS) == 0 or not self._store.scan(JOBS, None, 1)

    def refuse_strays(self) -> None:
        """Check the first jobs that are left in the store while no node holds any.

        Raises:
            RecordError: a record is not a job, or waits for a host that the run does not have, so that it
                would never be taken, and the run would never end.
        """
        page = self._store.scan(JOBS, None, STRAYS)
        left = {job: self._records.read(job, raw) for job, raw in page}
        hosts = {job: pack_host(job) or one.host for job, one in left.items()}
        known = self._store.get_all(HOSTS, sorted({*hosts.values()}))
        for job, one in left.items():
            if one.state_key == ready_state_key(one.host) and hosts[job] not in known:
                raise unreadable(JOBS, job, one.state_key.encode(), "the run does not know its host")

    def _forget_payloads(self, refused: Sequence[tuple[str, bytes]]) -> None:
        """Delete the payloads just put for jobs that have ended, as nothing else would."""
        if ended := [
            job for job, now in refused if self._records.read(job, now).state_key == ENDED_STATE_KEY
        ]:
            self._store.delete_all(PAYLOADS, ended)

    def _hand_back_held(self, jobs: Sequence[HeldJob]) -> int:
        if not jobs:
            return 0
        fences = dict(jobs)
        found = self._store.get_all(JOBS, list(fences))
        read = {job: self._records.read(job, now) for job, now in found.items()}
        return self._changed(
            [
                Change(job, found[job], self._records.handed_back(was, was.sent))
                for job, was in read.items()
                if self._records.is_mine(was, fences[job])
            ]
        )

    def _changed(self, changes: Sequence[Change]) -> int:
        return len(won(self._store, changes))
