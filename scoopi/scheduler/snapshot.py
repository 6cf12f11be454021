"""Snapshot: the records at one moment, on which a pass of the scheduler decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import (
    LIVE,
    TERMINAL,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    WorkerRecord,
)
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.removed_slots import removed_state


@dataclass(frozen=True)
class Snapshot:
    """The records at one moment; a pass decides by nothing else.

    Args:
        now: the time of the pass; decisions read no clock.
        schedule: the current definitions.
        bundle: the digest of the current definitions.
        processes: the records of processes, by name.
        jobs: the active jobs, and those that active jobs depend on, by id.
        attempts: live and unsettled attempts.
        workers: the records of workers, by name.
        beat: the current heartbeat number.
        deployed: when the current definitions were deployed; None if they are the first.
        pass_until: when the lease of the pass that runs expires; None if none runs.
        dead: names of workers whose process has ended although their heartbeats do not show it yet; only for
            explanations, as decisions follow heartbeats.
    """

    now: datetime
    schedule: Schedule
    bundle: str
    processes: Mapping[str, ProcessRecord] = field(default_factory=dict)
    jobs: Mapping[str, JobRecord] = field(default_factory=dict)
    attempts: Sequence[AttemptRecord] = ()
    workers: Mapping[str, WorkerRecord] = field(default_factory=dict)
    beat: int = 0
    deployed: datetime | None = None
    pass_until: datetime | None = None
    dead: frozenset[str] = frozenset()

    @cached_property
    def active(self) -> Sequence[JobRecord]:
        """The active jobs, oldest first; those of backfills come last."""
        found = [job for job in self.jobs.values() if job.phase == "active"]
        return sorted(found, key=_turn)

    @cached_property
    def turns(self) -> Mapping[str, int]:
        """The place of each active job in `active`, by id."""
        return {job.job: turn for turn, job in enumerate(self.active)}

    @cached_property
    def running_of_backfill(self) -> Mapping[tuple[str, str], int]:
        """How many jobs of a backfill have a live attempt, by process and name of the backfill."""
        counts: dict[tuple[str, str], int] = {}
        for name in self.attempt_of:
            job = self.jobs.get(name)
            if job is not None and job.backfill is not None:
                key = (job.process, job.backfill.name)
                counts[key] = counts.get(key, 0) + 1
        return counts

    @cached_property
    def attempt_of(self) -> Mapping[str, AttemptRecord]:
        """The live or unsettled attempt of a job, by the job's id."""
        return {attempt.job: attempt for attempt in self.attempts}

    def is_worked_on(self, job: JobRecord) -> bool:
        """Whether the end of a job's last attempt has not moved the job yet.

        The record of the job shows that, even if the attempt was not found: a scan of a cluster that migrates
        data between members may miss records, which must not lead to a second attempt.
        """
        return job.settled < job.attempts or job.job in self.attempt_of

    @cached_property
    def settling(self) -> frozenset[str]:
        """The processes with an attempt whose end is handled by this pass."""
        return frozenset(each.process for each in self.attempts if each.phase == UNSETTLED)

    @cached_property
    def live_of(self) -> Mapping[str, Sequence[AttemptRecord]]:
        """The live attempts of a process, by its name."""
        found: dict[str, list[AttemptRecord]] = {}
        for attempt in self.attempts:
            if attempt.phase == LIVE and attempt.status not in TERMINAL:
                found.setdefault(attempt.process, []).append(attempt)
        return found

    def scheduled_of(self, process: str) -> list[AttemptRecord]:
        """Return the live attempts of a process, except those of backfills."""
        return [each for each in self.live_of.get(process, ()) if not self.is_backfill(each)]

    def process(self, name: str) -> Process | None:
        """Return the definition of a process; None if it was removed."""
        return self.schedule.process(name)

    def is_backfill(self, attempt: AttemptRecord) -> bool:
        """Whether an attempt belongs to a job of a backfill, which the schedule does not wait for."""
        job = self.jobs.get(attempt.job)
        return job is not None and job.backfill is not None

    def state_of(self, process: str, slot: str) -> SlotState | None:
        """Return the state of a job, or the final state of a removed one; None if there was none."""
        job, record = self.jobs.get(f"{process}/{slot}"), self.processes.get(process)
        if job is not None:
            return job.state
        return None if record is None or not record.removed else removed_state(record.removed, slot)

    def is_lost(self, worker: WorkerRecord) -> bool:
        """Whether a worker has missed too many heartbeats, or its process is known to have ended.

        A worker that never sent a heartbeat is lost only if its record says so.
        """
        if worker.worker in self.dead:
            return True
        if worker.beat is None:
            return worker.state == "lost"
        return self.beat - worker.beat > self.schedule.settings.liveness.most_missed(worker.liveness)


def _turn(job: JobRecord) -> tuple[bool, datetime, float, str]:
    """The sort key of `active`: oldest first, then by due time; backfills last, perhaps newest slot first."""
    due = (job.due or job.created).timestamp()
    is_backfill = job.backfill is not None
    newest_first = job.backfill is not None and job.backfill.newest_first
    return is_backfill, job.created, -due if newest_first else due, job.job
