"""AttemptService: answers what users ask about attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import get_args

from scoopi.errors import UsageError
from scoopi.model.schedule.schedule_records import TERMINAL, AttemptRecord, AttemptStatus, JobRecord
from scoopi.serve.rows import Row, attempt_row
from scoopi.store.schedule.record_keys import job_key
from scoopi.store.schedule.schedule_store import ScheduleStore


class AttemptService:
    """Answers what users ask about attempts.

    It reads the current records.

    Args:
        store: the records.
        job: returns the record of a job; raises UsageError if there is none.
        name_of: returns the qualified name of a process; raises UsageError if it is unknown.
    """

    def __init__(
        self, store: ScheduleStore, job: Callable[[str], JobRecord], name_of: Callable[[str], str]
    ) -> None:
        self._store = store
        self._job = job
        self._name_of = name_of

    def rows(
        self, job: str | None = None, process: str | None = None, status: str | None = None
    ) -> list[Row]:
        """Return a row for each attempt of a job or of a process.

        Without either, for each attempt that is not over or whose end has not been counted in its job yet;
        with a `status` of an end, for each attempt of that status.

        Args:
            status: only attempts of this status.
        Raises:
            UsageError: the job, the process or the status is unknown.
        """
        statuses = get_args(AttemptStatus)
        if status is not None and status not in statuses:
            raise UsageError(f"unknown status {status}", hint=f"the statuses are {', '.join(statuses)}")
        found: Iterable[AttemptRecord]
        if job is not None:
            return [
                self._row(each)
                for each in self._store.attempts_of(self._job(job).job)
                if status in (None, each.status)
            ]
        if process is not None:
            found = self._store.scan(AttemptRecord, prefix=f"{self._name_of(process)}/")
        elif status in TERMINAL:
            found = self._store.scan(AttemptRecord)
        else:
            found = self._store.open_attempts()
        return [attempt_row(each) for each in found if status in (None, each.status)]

    def show(self, attempt: str) -> Row:
        """Return the row of an attempt, with the time of its job's retry if it is the last one of the job.

        Raises:
            UsageError: there is no such attempt.
        """
        return self._row(self.record(attempt))

    def record(self, attempt: str) -> AttemptRecord:
        """Return the record of an attempt.

        Raises:
            UsageError: there is none.
        """
        job, _, number = attempt.rpartition("/")
        if job and number.isdigit():
            key = f"{job_key(self._job(job).job)}/{int(number):06}"
            found = self._store.get(AttemptRecord, [key]).get(key)
            if found is not None:
                return found
        raise UsageError(
            f"there is no attempt {attempt}", hint="write PROCESS/SLOT/NUMBER, as attempt list does"
        )

    def _row(self, attempt: AttemptRecord) -> Row:
        job = self._store.jobs([attempt.job]).get(attempt.job)
        return attempt_row(attempt, job.retry_at if job and job.attempts == attempt.number else None)
