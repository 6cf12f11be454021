"""BackfillService: creates jobs for past slots of a process, without changing its schedule."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any

from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import FINISHED, Backfill, JobRecord, ProcessRecord
from scoopi.periods.slot import Slot, parse_slot, slot_key
from scoopi.scheduler.decisions import changed, made
from scoopi.scheduler.planning.evaluations import with_interval
from scoopi.scheduler.planning.past_slots import past_slots
from scoopi.serve.rows import Row, job_row
from scoopi.serve.services.job_service import JobService
from scoopi.serve.state import State

MOST_JOBS = 10_000
"""The most jobs of one backfill; a longer range is probably a mistake."""
_MOST_TRIES = 9
_STATES = ("embryo", "in_progress", "final_run", "processed", "noop", "skipped", "failed")


class BackfillService:
    """Creates, lists and cancels the backfills of one process.

    Args:
        state: the records.
        process: the process whose slots get jobs.
        now: the time of this command.
    """

    def __init__(self, state: State, process: Process, now: datetime) -> None:
        self._state = state
        self._store = state.store
        self._process = process
        self._now = now

    def create(
        self, first: str, last: str, *, overlap: str, order: str, max_parallel: int, dry_run: bool
    ) -> list[Row]:
        """Create the missing jobs from slot `first` to slot `last`, inclusive; existing jobs do not change.

        Args:
            first, last: slots or days, as `past_slots` takes them.
            overlap: overrides the process's `overlap`; empty for `allow` if that is `allow` or `remind`, else
                for `wait`.
            order: `old` or `new`: which slots run first.
            max_parallel: the most jobs that run at a time; 0 for no limit.
            dry_run: create no job.
        Returns:
            A row for each slot: `job`, `change` (`create` or `exists`), `state` (None for a job that is only
            created without `dry_run`) and `backfill`, its name (None if nothing is created).
        Raises:
            PeriodError: a slot is not valid.
            UsageError: the range has no slots, or too many.
        """
        slots = self._slots(first, last)
        ids = [f"{self._process.name}/{slot}" for slot, _ in slots]
        known = self._store.jobs(ids)
        rows: list[Row] = []
        overlap = overlap or ("allow" if self._process.overlap in ("allow", "remind") else "wait")
        backfill = Backfill("", overlap, order == "new", max_parallel)
        if not dry_run and len(known) < len(slots):
            backfill = Backfill(self._next_name(), overlap, order == "new", max_parallel)
        for (slot, due), job in zip(slots, ids, strict=True):
            new = self._job(slot, due, backfill)
            is_new = job not in known and (dry_run or self._store.write(None, new))
            state = self._state_of(job, known) if not is_new else None if dry_run else new.state
            change = "create" if is_new else "exists"
            rows.append({"job": job, "change": change, "state": state, "backfill": backfill.name or None})
        return rows

    def backfills(self) -> list[Row]:
        """Return a row for each backfill: its first and last slot, and the number of jobs in each state."""
        found: dict[str, list[JobRecord]] = {}
        for job in self._jobs():
            assert job.backfill is not None
            found.setdefault(job.backfill.name, []).append(job)
        rows = []
        for name, jobs in sorted(found.items(), key=lambda item: int(item[0][1:])):
            slots = sorted((parse_slot(job.slot) for job in jobs), key=slot_key)
            row: Row = {"backfill": name, "from": str(slots[0]), "to": str(slots[-1]), "jobs": len(jobs)}
            states: list[str] = [job.state for job in jobs]
            rows.append(row | {state: states.count(state) for state in _STATES})
        return rows

    def cancel(self, name: str, jobs: JobService) -> list[Row]:
        """Skip all unfinished jobs of a backfill, and return their rows; live attempts are cancelled.

        Raises:
            UsageError: there is no such backfill.
        """
        own = [job for job in self._jobs() if job.backfill is not None and job.backfill.name == name]
        if not own:
            hint = f"scoopi process backfill {self._process.name} --list shows its backfills"
            raise UsageError(f"process {self._process.name} has no backfill {name}", hint=hint)
        return [self._skipped(job.job, jobs) for job in own if job.state not in FINISHED]

    def _skipped(self, job: str, jobs: JobService) -> Row:
        """Skip a job, unless it has ended meanwhile; return its row.

        A pass may change the job at the same moment; then this is tried again.
        """
        for _ in range(_MOST_TRIES):
            with suppress(StateRefusedError):
                return jobs.skip(job)[0]
            record = jobs.job(job)
            if record.state in FINISHED:
                return job_row(record, self._process)
        return jobs.skip(job)[0]

    def _state_of(self, job: str, known: Mapping[str, JobRecord]) -> str | None:
        """The state of a job that exists, or that another process has just created; None if it is gone."""
        record = known.get(job) or self._store.jobs([job]).get(job)
        return None if record is None else record.state

    def _slots(self, first: str, last: str) -> list[tuple[Slot, datetime]]:
        record = self._store.get(ProcessRecord, [self._process.name])[self._process.name]
        found = past_slots(with_interval(self._process, record), record, first, last, self._now)
        slots = [*islice(found, MOST_JOBS + 1)]
        if not slots:
            what = f"{self._process.name} has no slot from {first} to {last} that has begun"
            hint = f"scoopi process next {self._process.name} shows the next slots"
            raise UsageError(what, hint=hint)
        if len(slots) > MOST_JOBS:
            what = f"from {first} to {last} there are more than {MOST_JOBS} slots"
            raise UsageError(what, hint="fill a part of them at a time")
        return slots

    def _job(self, slot: Slot, due: datetime, backfill: Backfill) -> JobRecord:
        fields: dict[str, Any] = {"due": due, "launch_type": "backfill", "backfill": backfill}
        job = made(self._process, slot, self._now, **fields).new
        assert isinstance(job, JobRecord)
        return job

    def _next_name(self) -> str:
        record = self._store.update(
            ProcessRecord,
            self._process.name,
            lambda old: changed(old, backfills=old.backfills + 1) if old else None,
        )
        assert record is not None
        return f"b{record.backfills}"

    def _jobs(self) -> list[JobRecord]:
        found = self._store.scan(JobRecord, prefix=f"{self._process.name}/")
        return [job for job in found if job.backfill is not None]
