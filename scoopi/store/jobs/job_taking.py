"""JobTaking: takes ready jobs of many hosts with a few calls to the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from scoopi.errors import RunError
from scoopi.model.job import JobPayload, StoredJob
from scoopi.store.jobs.finished_jobs import FinishedJobs
from scoopi.store.jobs.job_records import JobRecords, TakenJob, TakenRecords, ready_state_key, won
from scoopi.store.ports import JOBS, PAYLOADS, Change, Store

MOST_OF_ID = 60  # an id has 32 characters, but a key that other software has put may have any number


class _Ready(NamedTuple):
    job: str
    raw: bytes
    was: StoredJob


class JobTaking:
    """Takes ready jobs of many hosts with a few calls to the store.

    READY -> TAKEN(incarnation, fence + 1).

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        written: gets the records that a take writes.
        finished: asked which of the taken jobs had ended before; these are deleted instead of returned.
    Source: ARCHITECTURE, protocol rules 2 and 3.
    """

    def __init__(self, store: Store, incarnation: str, written: TakenRecords, finished: FinishedJobs) -> None:
        self._store = store
        self._records = JobRecords(incarnation)
        self._written = written
        self._finished = finished
        self._start = blake2b(incarnation.encode()).hexdigest()

    def take(self, hosts: Sequence[str], limit: int, begin: Callable[[], None]) -> list[TakenJob]:
        """Take up to `limit` READY jobs of each host; return none if no host has any.

        Args:
            begin: called if there are ready jobs, before the first of them is taken.
        Raises:
            StoreError: the outcome is not known; call again.
            RunError: a job has no payload, so the run's data is lost.
        """
        while limit > 0:
            found = self._found_ready(hosts, limit)
            if found:
                begin()
            records = {job: self._records.as_taken(was) for job, _, was in found}
            encode = self._records.encode
            changes = [Change(job, raw, encode(records[job])) for job, raw, _ in found]
            taken = self._not_ended_before(won(self._store, changes), records)
            if taken or not found:
                return taken
        return []

    def _found_ready(self, hosts: Sequence[str], limit: int) -> list[_Ready]:
        """Ready jobs, beginning at a position that depends on the node, so that nodes rarely compete."""
        keys = [ready_state_key(host) for host in hosts]
        if len(keys) == 1:
            return self._found_of(keys[0], limit)
        found = self._read(self._store.scan_each(JOBS, keys, limit, self._start))
        counts = Counter(each.was.state_key for each in found)
        short = [key for key in keys if counts[key] < limit]
        for each in self._read(sorted(self._store.scan_each(JOBS, short, limit))):
            key = each.was.state_key
            if each.job <= self._start and counts[key] < limit:
                counts[key] += 1
                found.append(each)
        return found

    def _found_of(self, state_key: str, limit: int) -> list[_Ready]:
        found = self._store.scan(JOBS, state_key, limit, self._start)
        if len(found) < limit:
            first = self._store.scan(JOBS, state_key, limit - len(found))
            found += (record for record in first if record[0] <= self._start)
        return self._read(found)

    def _read(self, records: Iterable[tuple[str, bytes]]) -> list[_Ready]:
        return [_Ready(job, raw, self._records.read(job, raw)) for job, raw in records]

    def _not_ended_before(self, taken_now: Sequence[Change], made: Mapping[str, StoredJob]) -> list[TakenJob]:
        records = {change.key: made[change.key] for change in taken_now}
        # Payloads first: if another node has ended a job meanwhile, the end is remembered before the payload
        # is deleted, so a node that does not find the payload finds the end.
        payloads = self._payloads(records)
        known = self._finished.remembered(list(records))
        self._finished.forget({job: record for job, record in records.items() if job in known})
        taken: list[TakenJob] = []
        for job, _, written in taken_now:
            if job not in known:
                taken.append(self._taken_job(job, records[job], payloads.get(job)))
                self._written.remember(job, records[job].fence, written)
        return taken

    def _payloads(self, records: Mapping[str, StoredJob]) -> dict[str, bytes]:
        payloads = {job: record.payload for job, record in records.items() if record.payload}
        if apart := [job for job in records if job not in payloads]:
            payloads.update(self._store.get_all(PAYLOADS, apart))
        return payloads

    def _taken_job(self, job: str, record: StoredJob, payload: bytes | None) -> TakenJob:
        if payload is None:
            raise RunError(
                f"job {job[:MOST_OF_ID]} has no payload: the run's data is lost", hint="start a new run"
            )
        read: JobPayload = self._records.read_payload(job, payload)
        return TakenJob(job, record.fence, record.lost, record.host, read, record.tried, record.sent)
