"""Rows: jobs and attempts as verbs print them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from scoopi.model.schedule.schedule_records import LIVE, AttemptRecord, JobRecord, WorkerRecord
from scoopi.periods.slot import instant_text

Row = dict[str, Any]
ENDS = ("succeeded", "noop", "failed", "error", "canceled", "not_ready")
"""What a worker reports at the end of an attempt."""


def job_row(record: JobRecord) -> Row:
    """The row of a job, as verbs print it."""
    return {
        "job": record.job,
        "process": record.process,
        "slot": record.slot,
        "state": record.state,
        "attempts": record.attempts,
        "failures": record.failures,
        "created": instant_text(record.created),
        "changed": instant_text(record.changed),
        "reason": record.reason or None,
    }


def attempt_row(record: AttemptRecord) -> Row:
    """The row of an attempt, as verbs print it."""
    return {
        "attempt": record.attempt,
        "job": record.job,
        "n": record.number,
        "status": record.status,
        "result": record.result,
        "launch_type": record.launch_type,
        "fence": record.fence,
        "bundle": record.bundle,
        "worker": record.worker or None,
        "inputs": dict(record.inputs),
        "outputs": msgspec.to_builtins(record.outputs),
        "created": instant_text(record.created),
        "started": instant_text(record.started) if record.started else None,
        "ended": instant_text(record.ended) if record.ended else None,
        "wish": record.wish,
        "explanation": record.explanation or None,
    }


def worker_row(record: WorkerRecord, attempts: Iterable[AttemptRecord]) -> Row:
    """The row of a worker, as verbs print it.

    Args:
        attempts: all that are open.
    """
    mine = [each.attempt for each in attempts if each.worker == record.worker and each.phase == LIVE]
    return {
        "worker": record.worker,
        "incarnation": record.incarnation or None,
        "state": record.state,
        "groups": ",".join(record.groups),
        "capacity": record.capacity,
        "used": len(mine),
        "jobs": mine,
    }
