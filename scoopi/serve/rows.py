"""Rows: jobs, attempts and workers as verbs print them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from scoopi.model.schedule.job_changes import GateChange, StateChange
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.process_change import ProcessChange
from scoopi.model.schedule.run_node import RunNode
from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord, WorkerRecord
from scoopi.periods.slot import instant_text
from scoopi.scheduler.explaining.holders import SIGNED_OFF, condition
from scoopi.scheduler.placing.run_nodes import assigned_workers

Row = dict[str, Any]
ENDS = ("succeeded", "noop", "failed", "error", "canceled", "not_ready")
"""The statuses that a worker may report at the end of an attempt."""


def job_row(record: JobRecord, process: Process | None) -> Row:
    """Return the row of a job; the process is None if the current definitions do not have it."""
    return {
        "job": record.job,
        "process": record.process,
        "slot": record.slot,
        "state": record.state,
        "machine": process.machine if process is not None else None,
        "attempts": record.attempts,
        "failures": record.failures,
        "created": instant_text(record.created),
        "changed": instant_text(record.changed),
        "reason": record.reason or None,
    }


def change_row(change: StateChange) -> Row:
    """Return the row of a change of a job."""
    return {
        "at": instant_text(change.at),
        "state": change.state,
        "by": change.by or None,
        "reason": change.reason or None,
    }


def gate_row(change: GateChange) -> Row:
    """Return the row of a gate that a job began to wait at; `gate` is None if all are open."""
    return {"at": instant_text(change.at), "gate": change.gate or None, "reason": change.reason or None}


def process_change_row(change: ProcessChange) -> Row:
    """Return the row of a change of a process by hand."""
    return {
        "at": instant_text(change.at),
        "change": change.change,
        "by": change.by,
        "host": change.host,
        "reason": change.reason or None,
    }


def attempt_row(record: AttemptRecord, retry_at: datetime | None = None) -> Row:
    """Return the row of an attempt.

    Args:
        retry_at: when its job is retried; None if it is not.
    """
    return {
        "attempt": record.attempt,
        "job": record.job,
        "n": record.number,
        "status": record.status,
        "result": record.result,
        "launch_type": record.launch_type,
        "fence": record.fence,
        "bundle": record.bundle,
        "group": record.group or None,
        "worker": record.worker or None,
        "cost": 1,
        "inputs": dict(record.inputs),
        "outputs": msgspec.to_builtins(record.outputs),
        "created": instant_text(record.created),
        "started": instant_text(record.started) if record.started else None,
        "ended": instant_text(record.ended) if record.ended else None,
        "wish": record.wish,
        "retry_at": instant_text(retry_at) if retry_at else None,
        "explanation": record.explanation or None,
        "progress": msgspec.to_builtins(record.progress),
        "nodes": [_node_row(node) for node in record.nodes],
    }


def _node_row(node: RunNode) -> Row:
    return {
        "node": node.number,
        "status": node.status,
        "worker": node.worker or None,
        "started": instant_text(node.started) if node.started else None,
        "explanation": node.explanation or None,
    }


def group_row(
    group: str,
    workers: Iterable[WorkerRecord],
    attempts: Sequence[AttemptRecord],
    dead: Collection[str] = (),
) -> Row:
    """Return the row of a group of workers.

    The whole capacity of a worker counts in each of its groups. What a lost or draining worker still runs
    counts as `used`, but its free capacity does not count as `left`. Only its workers limit a group, so
    `max_jobs` and `max_cost` are 0.

    Args:
        workers: those of the group; one that has signed off counts only while it still holds attempts.
        attempts: all open attempts, of any worker.
        dead: as for `worker_row`.
    """
    held = Counter(name for each in attempts for name in assigned_workers(each))
    there = (each for each in workers if held[each.worker] or condition(each) not in SIGNED_OFF)
    members = sorted(there, key=lambda each: each.worker)
    used = {each.worker: held[each.worker] for each in members}
    alive = [each for each in members if each.state == "running" and each.worker not in dead]
    return {
        "group": group,
        "workers": [each.worker for each in members],
        "capacity": sum(each.capacity for each in members),
        "used": sum(used.values()),
        "left": sum(max(0, each.capacity - used[each.worker]) for each in alive),
        "jobs": [each.attempt for each in attempts if not used.keys().isdisjoint(assigned_workers(each))],
        "max_jobs": 0,
        "max_cost": 0,
    }


def worker_row(record: WorkerRecord, attempts: Iterable[AttemptRecord], dead: Collection[str] = ()) -> Row:
    """Return the row of a worker.

    Args:
        attempts: all open attempts, of any worker.
        dead: names of workers whose process has ended, although their heartbeats do not show it yet; they
            are shown as lost.
    """
    mine = [each.attempt for each in attempts for name in assigned_workers(each) if name == record.worker]
    return {
        "worker": record.worker,
        "incarnation": record.incarnation or None,
        "state": "lost" if record.worker in dead else condition(record),
        "groups": ",".join(record.groups),
        "capacity": record.capacity,
        "used": len(mine),
        "jobs": [*dict.fromkeys(mine)],
    }
