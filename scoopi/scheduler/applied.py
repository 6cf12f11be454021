"""applied: a snapshot with decisions applied to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoopi.model.schedule.schedule_records import (
    PAST,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    WorkerRecord,
)
from scoopi.scheduler.decisions import Decision
from scoopi.scheduler.snapshot import Snapshot


def applied(snapshot: Snapshot, decisions: Sequence[Decision]) -> Snapshot:
    """Return the snapshot with the records that decisions write; its time stays the same.

    Jobs that are over stay in it, like those that active jobs depend on.
    """
    if not decisions:
        return snapshot
    attempts = {each.attempt: each for each in snapshot.attempts}
    jobs, processes, workers = dict(snapshot.jobs), dict(snapshot.processes), dict(snapshot.workers)
    for new in (decision.new for decision in decisions):
        if isinstance(new, AttemptRecord):
            attempts[new.attempt] = new
        elif isinstance(new, JobRecord):
            jobs[new.job] = new
        elif isinstance(new, ProcessRecord):
            processes[new.name] = new
        elif isinstance(new, WorkerRecord):
            workers[new.worker] = new
    live = [each for each in attempts.values() if each.phase != PAST]
    return replace(snapshot, attempts=live, jobs=jobs, processes=processes, workers=workers)
