"""JobService: answers what users ask about jobs, and makes the changes that they request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import islice
from shlex import quote
from typing import Any, get_args

from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.job_changes import SlotState, StateChange
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    FINISHED,
    LIVE,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
)
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import canceled, moved
from scoopi.scheduler.explaining.absent_job import absent_job
from scoopi.scheduler.explaining.why import why
from scoopi.scheduler.retrying import ended_by
from scoopi.serve.rows import Row, change_row, gate_row, job_row
from scoopi.serve.services.attempt_service import AttemptService
from scoopi.serve.services.cascade import Cascade
from scoopi.serve.state import State
from scoopi.store.schedule.record_keys import job_key


class JobService:
    """Answers what users ask about jobs, and makes the changes that they request.

    It reads the current records. A change returns the row of each job that it has changed, as the command
    prints it.

    Args:
        state: the records.
        now: the time of this command.
        qualified: returns the qualified name of a process; raises UsageError if it is unknown.
        user: the name of the user, which is recorded with each change.
    Attributes:
        attempts: answers what they ask about attempts.
    """

    def __init__(self, state: State, now: datetime, qualified: Callable[[str], str], user: str = "") -> None:
        self._state = state
        self._store = state.store
        self._now = now
        self._qualified = qualified
        self._user = user or "hand"
        self.attempts = AttemptService(state.store, self.job, self._name_of)

    def jobs(
        self,
        process: str | None = None,
        state: str | None = None,
        limit: int | None = None,
        since: datetime | None = None,
    ) -> list[Row]:
        """Return a row for each job, by process and slot; at most `limit`.

        Args:
            since: only jobs that have changed since then.
        Raises:
            UsageError: the process or the state is unknown.
        """
        states = get_args(SlotState)
        if state is not None and state not in states:
            raise UsageError(f"unknown state {state}", hint=f"the states are {', '.join(states)}")
        name = self._name_of(process) if process else None
        prefix = f"{name}/" if name else ""
        index = ACTIVE if state and state not in FINISHED and not prefix else None
        records = self._store.scan(JobRecord, index, prefix)
        wanted = (
            self._row(record)
            for record in records
            if state in (None, record.state) and (since is None or record.changed >= since)
        )
        return [*islice(wanted, limit)]

    def show(self, job: str) -> Row:
        """Return the row of a job with `changes` (of its state or by hand) and `gates`, both in order."""
        record = self.job(job)
        changes, reason = record.changes, f"launch type: {record.launch_type}"
        if not changes or (changes[0].at, changes[0].state) != (record.created, "embryo"):
            changes = (StateChange("embryo", record.created, reason=reason), *changes)
        gates = [gate_row(each) for each in record.gates]
        return self._row(record) | {"changes": [change_row(each) for each in changes], "gates": gates}

    def job(self, job: str) -> JobRecord:
        """Return the record of a job.

        Raises:
            UsageError: there is none.
        """
        process, slash, slot = job.rpartition("/")
        if not (slash and process and slot):
            what = f"{job!r} is not the id of a job"
            raise UsageError(what, hint="write PROCESS/SLOT, as scoopi job list prints it")
        name = f"{self._name_of(process)}/{parse_slot(slot)}"
        record = self._store.jobs([name]).get(name)
        if record is None:
            raise self._absent(name)
        return record

    def _name_of(self, process: str) -> str:
        """The qualified name of a process that is defined, or was removed but has a record."""
        return process if self._store.get(ProcessRecord, [process]) else self._qualified(process)

    def _absent(self, job: str) -> UsageError:
        """The error about a job that does not exist, with the reason, if its process is known."""
        name, _, slot = job.rpartition("/")
        process = self._state.current()[1].process(name)
        record = self._store.get(ProcessRecord, [name]).get(name)
        if process is None or record is None:
            hint = f"scoopi job list --process {name} shows its jobs"
            return UsageError(f"there is no job {job}", hint=hint)
        why_not, hint = absent_job(process, record, parse_slot(slot), self._now)
        return UsageError(f"there is no job {job}: {why_not}", hint=hint)

    def why(self, job: str) -> Row:
        """Return the row of `why`: what a job waits for or does, or how it ended."""
        return why(self.job(job), self._state.observed(self._now))

    def skip(self, job: str, *, dry_run: bool = False) -> list[Row]:
        """Skip a job; if it has a live attempt, cancel that, whose end then skips the job.

        Args:
            dry_run: change nothing.
        Returns:
            A row for the job, and for each job that the next pass skips because of it.
        Raises:
            StateRefusedError: the job has already ended, or was changed at the same moment.
        """
        record = self._active(job, "skip")
        rows = [self._row(each) for each in self._cascade().to_skip(record)]
        if dry_run:
            return [self._row(record), *rows]
        reason = f"skipped by {self._user}"
        if self._cancelled(record, reason, "") is None:
            row = self._move(record, ended_by(self._user, record, "skipped", reason, self._now))
        else:
            row = self._row(self.job(record.job))
        return [row, *rows]

    def cancel(self, job: str, mode: str) -> Row:
        """Cancel the live attempt of a job; the job is then skipped.

        Args:
            mode: `drain`, `step` or `kill`; empty for the project's default.
        Raises:
            StateRefusedError: the job has already ended, or has no live attempt.
        """
        record = self._active(job, "cancel")
        if self._cancelled(record, f"cancelled by {self._user}", mode) is None:
            what = f"{record.job} is {record.state} and has no live attempt, which a cancel needs"
            raise StateRefusedError(what, hint=f"scoopi job skip {quote(record.job)} skips it")
        return self._row(self.job(record.job))

    def clear(self, job: str) -> Row:
        """Have the next pass start another attempt of a job that is on hold or waits for its retry.

        Raises:
            StateRefusedError: the job waits for something else, or was changed at the same moment.
        """
        record = self._active(job, "clear")
        if not record.held and record.retry_at is None:
            what = f"{record.job} is {record.state}, but neither on hold nor waiting for a retry"
            raise StateRefusedError(what, hint=f"scoopi job why {quote(record.job)} says what it waits for")
        freed = {"held": False, "retry_at": None, "failures": 0, "first_attempt": None}
        cleared = moved(record, self._now, self._user, reason=f"cleared by {self._user}", **freed)
        return self._move(record, cleared)

    def reprocess(self, job: str, *, dry_run: bool = False) -> list[Row]:
        """Run a job once more, as a further attempt, and all started jobs that depend on it.

        Unfinished attempts are cancelled, and their results are ignored. Each job is written before those
        that depend on it, so that they wait for it. After a crash in between, repeat the command.

        Args:
            dry_run: change nothing.
        Returns:
            A row for each of these jobs.
        Raises:
            StateRefusedError: none of them has started, or one was changed at the same moment.
        """
        record = self.job(job)
        affected = self._cascade().to_reprocess(record)
        if not affected:
            raise StateRefusedError(f"{record.job} is embryo", hint="a job that has begun is reprocessed")
        if dry_run:
            return [self._row(each) for each, _ in affected]
        return [self._reprocessed(each, each.trigger["job"] if waits else "") for each, waits in affected]

    def _reprocessed(self, record: JobRecord, awaits: str) -> Row:
        reason = f"reprocessed by {self._user}"
        fields: dict[str, Any] = {
            "held": False,
            "retry_at": None,
            "next_at": None,
            "failures": 0,
            "first_attempt": None,
            "deadline_done": True,  # else a job of last week would fail at once
            "settled": record.attempts,  # the end of the attempt that is cancelled does not count
            "awaits": awaits,
            "cancelled": False,
        }
        new = moved(record, self._now, self._user, state="embryo", phase=ACTIVE, reason=reason, **fields)
        row = self._move(record, new)
        if record.state not in FINISHED:
            self._cancelled(record, reason, "")
        return row

    def _active(self, job: str, verb: str) -> JobRecord:
        record = self.job(job)
        if record.state in FINISHED:
            again = f"scoopi job reprocess {quote(record.job)} runs it once more"
            hint = f"only a job that is embryo, in_progress or final_run can; {again}"
            raise StateRefusedError(f"cannot {verb} {record.job}: it is {record.state}", hint=hint)
        return record

    def _move(self, record: JobRecord, new: JobRecord) -> Row:
        if not self._store.write(record, new):
            raise StateRefusedError(f"{record.job} has changed meanwhile", hint="look at it, then try again")
        return self._row(new)

    def _row(self, record: JobRecord) -> Row:
        return job_row(record, self._state.current()[1].process(record.process))

    def _cascade(self) -> Cascade:
        return Cascade(self._store, self._state.current()[1].processes)

    def _cancelled(self, job: JobRecord, reason: str, mode: str) -> AttemptRecord | None:
        """Request the cancel of a job's live attempt, and return its record; None if there is none."""
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
