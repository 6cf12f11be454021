"""JobDesk: what people ask about jobs and attempts, and change of them by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import islice
from typing import Any, get_args

from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    FINISHED,
    LIVE,
    AttemptRecord,
    JobRecord,
    SlotState,
)
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import canceled, changed
from scoopi.scheduler.retrying import over
from scoopi.scheduler.why import why
from scoopi.serve.rows import Row, attempt_row, job_row
from scoopi.serve.state import State
from scoopi.store.schedule.schedule_store import job_key


class JobDesk:
    """Answers what people ask about jobs and attempts, and changes them by hand.

    It looks at the records as they are now.

    Args:
        state: the records.
        now: the time of this command.
        qualified: the qualified name of a process; raises UsageError if it is unknown.
    """

    def __init__(self, state: State, now: datetime, qualified: Callable[[str], str]) -> None:
        self._state = state
        self._store = state.store
        self._now = now
        self._qualified = qualified

    def jobs(
        self, process: str | None = None, state: str | None = None, limit: int | None = None
    ) -> list[Row]:
        """A row for each job, by process and slot; at most `limit`.

        Raises:
            UsageError: the process or the state is unknown.
        """
        states = get_args(SlotState)
        if state is not None and state not in states:
            raise UsageError(f"unknown state {state}", hint=f"the states are {', '.join(states)}")
        name = self._qualified(process) if process else None
        prefix = f"{name}/" if name else ""
        index = ACTIVE if state and state not in FINISHED and not prefix else None
        records = self._store.scan(JobRecord, index, prefix)
        wanted = (job_row(record) for record in records if state in (None, record.state))
        return [*islice(wanted, limit)]

    def job(self, job: str) -> JobRecord:
        """The record of a job.

        Raises:
            UsageError: there is none.
        """
        process, _, slot = job.partition("/")
        name = f"{self._qualified(process)}/{slot}" if process not in self._store.processes() else job
        record = self._store.jobs([name]).get(f"{name.partition('/')[0]}/{parse_slot(slot)}")
        if record is None:
            raise UsageError(
                f"there is no job {name}", hint=f"scoopi job list --process {process} shows its jobs"
            )
        return record

    def why(self, job: str) -> Row:
        """One sentence on what a job waits for, is doing, or how it ended."""
        return why(self.job(job), self._state.passes.snapshot(self._now))

    def skip(self, job: str) -> Row:
        """Skip a job; its live attempt is cancelled first.

        Raises:
            StateRefusedError: the job is over.
        """
        record = self._active(job, "skip")
        if self._cancelled(record, "skipped by hand", "") is None:
            return self._move(record, lambda old: over(old, "skipped", "skipped by hand", self._now))
        return job_row(self.job(record.job))

    def cancel(self, job: str, mode: str) -> Row:
        """Cancel the live attempt of a job, which is skipped then.

        Args:
            mode: drain, step or kill; empty for the project's default.
        Raises:
            StateRefusedError: the job has no live attempt.
        """
        record = self._active(job, "cancel")
        if self._cancelled(record, "cancelled by hand", mode) is None:
            raise StateRefusedError(f"{record.job} has no live attempt", hint=f"scoopi job skip {record.job}")
        return job_row(self.job(record.job))

    def clear(self, job: str) -> Row:
        """Give a job on hold, or one that waits for its retry, another attempt at once.

        Raises:
            StateRefusedError: it waits for something else.
        """
        record = self._active(job, "clear")
        if not record.held and record.retry_at is None:
            raise StateRefusedError(f"{record.job} is not on hold", hint=f"scoopi job why {record.job}")
        return self._move(
            record,
            lambda old: changed(
                old, held=False, retry_at=None, failures=0, first_attempt=None, changed=self._now, reason=""
            ),
        )

    def reprocess(self, job: str) -> Row:
        """Run a job that is over once more, as a further attempt.

        Raises:
            StateRefusedError: the job is not over.
        """
        record = self.job(job)
        if record.state not in FINISHED:
            raise StateRefusedError(
                f"{record.job} is {record.state}", hint="only a job that is over is reprocessed"
            )
        fields: dict[str, Any] = {
            "held": False,
            "retry_at": None,
            "next_at": None,
            "failures": 0,
            "first_attempt": None,
        }
        fields["deadline_done"] = True  # else a job of last week would fail at once
        fields["settled"] = record.attempts  # an attempt whose job ended before it must not end it again
        return self._move(
            record,
            lambda old: changed(
                old, state="embryo", phase=ACTIVE, changed=self._now, reason="reprocessed by hand", **fields
            ),
        )

    def attempts(self, job: str | None = None) -> list[Row]:
        """A row for each attempt of a job, or for each that is live."""
        if job is not None:
            return [attempt_row(each) for each in self._store.attempts_of(self.job(job).job)]
        return [attempt_row(each) for each in self._store.open_attempts()]

    def attempt(self, attempt: str) -> AttemptRecord:
        """The record of an attempt.

        Raises:
            UsageError: there is none.
        """
        job, _, number = attempt.rpartition("/")
        if job and number.isdigit():
            key = f"{job_key(self.job(job).job)}/{int(number):06}"
            found = self._store.get(AttemptRecord, [key]).get(key)
            if found is not None:
                return found
        raise UsageError(
            f"there is no attempt {attempt}", hint="write PROCESS/SLOT/NUMBER, as attempt list does"
        )

    def _active(self, job: str, verb: str) -> JobRecord:
        record = self.job(job)
        if record.state in FINISHED:
            hint = "jobs in the states embryo, in_progress and final_run can be changed"
            raise StateRefusedError(f"cannot {verb} {record.job}: it is {record.state}", hint=hint)
        return record

    def _move(self, record: JobRecord, change: Callable[[JobRecord], JobRecord]) -> Row:
        new = change(record)
        if not self._store.write(record, new):
            raise StateRefusedError(f"{record.job} has changed meanwhile", hint="look at it, then try again")
        return job_row(new)

    def _cancelled(self, job: JobRecord, reason: str, mode: str) -> AttemptRecord | None:
        """Request the cancel of a job's live attempt; None if it has none."""
        keys = [f"{job_key(job.job)}/{number:06}" for number in (job.attempts, job.attempts + 1)]
        live = [key for key, each in self._store.get(AttemptRecord, keys).items() if each.phase == LIVE]
        if not live:
            return None
        default = self._state.current()[1].settings.cancel.default_mode

        def cancel(old: AttemptRecord | None) -> AttemptRecord | None:
            if old is None or old.phase != LIVE:
                return None
            return canceled(old, self._now, mode or default, reason)

        return self._store.update(AttemptRecord, live[0], cancel)
