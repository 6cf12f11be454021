"""RecordCollector: removes records of the scheduler past their retention."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from heapq import heappop, heappush

from scoopi.errors import BusyRecordError
from scoopi.model.schedule.notice_record import CLOSED, NoticeRecord
from scoopi.model.schedule.schedule_records import (
    ENDED,
    PAST,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.needed_jobs import NeededJobs
from scoopi.scheduler.placing.run_nodes import assigned_workers
from scoopi.scheduler.removed_slots import with_removed
from scoopi.serve.rows import Row
from scoopi.serve.state import State
from scoopi.store.schedule.record_keys import record_key

log = logging.getLogger(__name__)
KEPT_AT_LEAST = timedelta(hours=1)
"""The shortest retention, whatever the settings: a suspended pass may still write what it has decided."""
LOST_FOR = timedelta(days=1)
"""How long a worker is kept that stopped its heartbeats without signing off: it may only be suspended."""
PAGE = 1000
"""The most records that one step reads."""
MOST_REMOVED = 200
"""The most jobs or attempts that one step removes."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A record or folder that was removed.

    Attributes:
        kind: job (with its attempts), attempt, log, notice, bundle, worker or folder.
        reason: why it was removed, as a clause.
    """

    kind: str
    name: str
    reason: str

    def row(self) -> Row:
        """Return the row that `gc` prints."""
        return {"decision": "collected", "kind": self.kind, "name": self.name, "reason": self.reason}


class RecordCollector:
    """Removes records that are past their retention and that no later pass needs.

    Each removal is conditional on the record that it was decided on, so several collectors may work at the
    same time, and a job that is reprocessed in the meantime stays. What depends on a record that cannot be
    written now, as others keep changing it, is left to the next round.

    Args:
        state: the records.
        now: the time from which ages are counted.
        is_dry: remove nothing.
    """

    def __init__(self, state: State, now: datetime, *, is_dry: bool = False) -> None:
        self._state, self._store = state, state.store
        self._now, self._is_dry = now, is_dry
        self._schedule = state.current()[1]
        self._retention = self._schedule.settings.gc.retention

    def steps(self) -> Iterator[list[Collected]]:
        """Run one round in small steps; each reads at most a page of records and yields what it has removed.

        What a step cannot remove within its limit is left to the next round.

        Raises:
            StoreError: the store does not answer; the next round removes the rest.
        """
        yield from self._jobs()
        yield from self._attempts()
        yield from self._notices()
        yield self._bundles()
        yield self._workers()

    def _jobs(self) -> Iterator[list[Collected]]:
        process, after = "", ""
        kept: list[tuple[datetime, str, JobRecord]] = []
        while page := self._store.page(JobRecord, ENDED, after, PAGE):
            after = record_key(page[-1])
            old: list[tuple[JobRecord, str]] = []
            for job in page:
                if job.process != process:
                    process, kept = job.process, []
                if self._is_past(job.changed, self._retention.jobs):
                    old.append((job, _ended(job.changed)))
                    continue
                history = self._history(process)
                if history is None:
                    continue
                heappush(kept, (job.changed, job.job, job))
                if len(kept) > history:
                    job = heappop(kept)[2]
                    if self._is_past(job.changed, KEPT_AT_LEAST):
                        old.append((job, f"the process has a history of {history}"))
            yield self._without_jobs(old[:MOST_REMOVED])

    def _without_jobs(self, old: Sequence[tuple[JobRecord, str]]) -> list[Collected]:
        """Remove jobs with their attempts, unless a later pass may need them.

        First their ends are noted in the record of their process, so a crash loses nothing that a pass needs.
        """
        if not old:
            return []
        needed = NeededJobs(self._state.passes.snapshot(self._now))
        reasons = {job.job: reason for job, reason in old if not needed.has(job)}
        jobs = [job for job, _ in old if job.job in reasons]
        if not self._is_dry:
            jobs = self._store.remove(self._without_attempts(self._noted(jobs)))
        return [Collected("job", job.job, reasons[job.job]) for job in jobs]

    def _noted(self, jobs: Sequence[JobRecord]) -> list[JobRecord]:
        """Note in the records of their processes how jobs ended; return the jobs for which this succeeded."""
        found: list[JobRecord] = []
        for name in dict.fromkeys(job.process for job in jobs):
            own = [job for job in jobs if job.process == name]
            with _unless_busy(name):
                self._store.update(ProcessRecord, name, partial(_with_noted, own))
                found += own
        return found

    def _without_attempts(self, jobs: Sequence[JobRecord]) -> list[JobRecord]:
        """Remove the attempts of jobs, except of jobs that have an open one.

        Returns:
            The jobs that have no attempts left.
        """
        keys = [f"{record_key(job)}/{number:06}" for job in jobs for number in range(1, job.attempts + 2)]
        attempts = [*self._store.get(AttemptRecord, keys).values()]
        left = {attempt.job for attempt in attempts if attempt.phase != PAST}
        past = [attempt for attempt in attempts if attempt.job not in left]
        self._store.remove_logs(past)
        gone = {attempt.attempt for attempt in self._store.remove(past)}
        left |= {attempt.job for attempt in past if attempt.attempt not in gone}
        return [job for job in jobs if job.job not in left]

    def _attempts(self) -> Iterator[list[Collected]]:
        after = ""
        while page := self._store.page(AttemptRecord, PAST, after, PAGE):
            after = record_key(page[-1])
            old = [each for each in page if self._is_past(ended_at(each), self._retention.attempts)]
            logs = [
                each
                for each in page
                if each.has_log and self._is_past(ended_at(each), self._retention.logs) and each not in old
            ]
            old, logs = self._unneeded(old)[:MOST_REMOVED], logs[:MOST_REMOVED]
            if not self._is_dry:
                self._store.remove_logs([*old, *logs])
                old = self._store.remove(old)
                logs = self._without_log(logs)
            found = [("attempt", each) for each in old] + [("log", each) for each in logs]
            yield [Collected(kind, each.attempt, _ended(ended_at(each))) for kind, each in found]

    def _without_log(self, attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
        """Note in the records of attempts that their logs are removed; return those that were written."""
        found: list[AttemptRecord] = []
        for attempt in attempts:
            with _unless_busy(attempt.attempt):
                found += [attempt] if self._store.write(attempt, changed(attempt, has_log=False)) else []
        return found

    def _unneeded(self, old: list[AttemptRecord]) -> list[AttemptRecord]:
        """Leave out the last two attempts of each unfinished job: the next may continue their progress."""
        active = self._store.active_jobs().values() if old else ()
        needed = {(job.job, job.attempts - back) for job in active for back in (0, 1)}
        return [each for each in old if (each.job, each.number) not in needed]

    def _notices(self) -> Iterator[list[Collected]]:
        after = ""
        while page := self._store.page(NoticeRecord, CLOSED, after, PAGE):
            after = record_key(page[-1])
            old = [each for each in page if self._is_past(each.closed or each.at, self._retention.events)]
            old = old[:MOST_REMOVED] if self._is_dry else self._store.remove(old[:MOST_REMOVED])
            yield [Collected("notice", each.notice, _ended(each.closed or each.at)) for each in old]

    def _bundles(self) -> list[Collected]:
        """Remove projects that were replaced longer ago than they are kept, and that no open attempt uses."""
        shared = self._store.scheduler()
        used = {shared.bundle, *(attempt.bundle for attempt in self._store.open_attempts())}
        collected = []
        for name, replaced in shared.former.items():
            if name in used or not self._is_past(replaced, self._retention.bundles):
                continue
            if not self._is_dry:
                before = self._now - max(self._retention.bundles, KEPT_AT_LEAST)
                if not self._store.remove_bundle(name, before):
                    continue
                with _unless_busy(name):
                    self._store.change_scheduler(partial(_without_former, name))
            collected.append(Collected("bundle", name, f"replaced at {_text(replaced)}"))
        return collected

    def _workers(self) -> list[Collected]:
        """Remove the records of workers that were removed by hand, have signed off, or were lost long ago.

        An external worker without heartbeats is kept: it may come back, and its heartbeats must be accepted.
        """
        beat = self._store.scheduler().beat
        most = LOST_FOR / self._schedule.settings.liveness.beat
        used = {
            name
            for attempt in self._store.open_attempts()
            for name in (attempt.worker, *assigned_workers(attempt))
        }
        old = [
            worker
            for worker in self._store.workers().values()
            if worker.state == "lost" and worker.worker not in used
            if worker.beat is None or (not worker.is_external and beat - worker.beat > most)
        ]
        if not self._is_dry:
            old = [each for each in old if self._store.remove([each])]
        return [Collected("worker", each.worker, _sign_off(each)) for each in old]

    def _history(self, process: str) -> int | None:
        definition = self._schedule.process(process)
        return definition.history if definition is not None else None

    def _is_past(self, at: datetime, kept: timedelta) -> bool:
        return self._now - at > max(kept, KEPT_AT_LEAST)


@contextmanager
def _unless_busy(name: str) -> Iterator[None]:
    """Skip the rest of a block whose record cannot be written now."""
    try:
        yield
    except BusyRecordError as error:
        log.info("%s is left to the next round: %s", name, error)


def ended_at(attempt: AttemptRecord) -> datetime:
    """Return when an attempt ended; for one that no worker ran, when it was created."""
    return attempt.ended or attempt.created


def _with_noted(jobs: Sequence[JobRecord], record: ProcessRecord | None) -> ProcessRecord | None:
    removed = with_removed(record.removed, jobs) if record is not None else {}
    return changed(record, removed=removed) if record is not None and removed != record.removed else None


def _without_former(name: str, record: SchedulerRecord) -> SchedulerRecord | None:
    former = {each: at for each, at in record.former.items() if each != name}
    return changed(record, former=former) if former != record.former else None


def _sign_off(worker: WorkerRecord) -> str:
    if worker.beat is not None:
        return "it was lost more than a day ago"
    return "it was removed" if worker.is_external else "it has ended"


def _ended(at: datetime) -> str:
    return f"ended at {_text(at)}"


def _text(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
