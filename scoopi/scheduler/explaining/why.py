"""why: one sentence on what a job waits for, is doing, or how it ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scoopi.model.schedule.process import EXTERNAL
from scoopi.model.schedule.schedule_records import FINISHED, JobRecord
from scoopi.periods.slot import instant_text
from scoopi.scheduler.explaining.attempt_explanation import explained_attempt, passing, start_text
from scoopi.scheduler.explaining.explanation import Explanation, explained, faulty, over
from scoopi.scheduler.gates import closed_gate
from scoopi.scheduler.placing.placement import FreeCapacity, no_worker_of
from scoopi.scheduler.reconcile import faults_of
from scoopi.scheduler.snapshot import Snapshot


def why(job: JobRecord, snapshot: Snapshot) -> dict[str, Any]:
    """Return a row on what a job waits for or does, or how it ended.

    Its fields are `job`, `state`, `gate`, `answer`, `reason`, `until`, `attempts`, `since`, `holders` and
    `hint`. The `reason` is a sentence on what is awaited, what holds it and since when; the `hint` says what
    a user may do. A job that is not over has a live attempt, or a closed gate, or gets an attempt by the next
    pass.
    """
    found = _found(job, snapshot)
    return {
        "job": job.job,
        "state": job.state,
        "gate": found.gate or None,
        "answer": found.answer,
        "reason": found.reason,
        "until": instant_text(found.until) if found.until else None,
        "attempts": job.attempts,
        "since": instant_text(found.since) if found.since else None,
        "holders": list(found.holders),
        "hint": found.hint or None,
    }


def _found(job: JobRecord, snapshot: Snapshot) -> Explanation:
    if job.state in FINISHED:
        return over(job)
    attempt = snapshot.attempt_of.get(job.job)
    subject = job.job if attempt is None else attempt.attempt
    if (fault := faults_of(snapshot, subject).found.get(subject)) is not None:
        return faulty(job, fault, snapshot)
    if attempt is not None:
        return explained_attempt(attempt, snapshot)
    gate = closed_gate(job, snapshot)
    return _open(job, snapshot) if gate is None else explained(job, gate, snapshot)


def _open(job: JobRecord, snapshot: Snapshot) -> Explanation:
    """Explain a job without a closed gate: the next pass creates its attempt."""
    reason = f"its gates are open; the next pass creates its attempt{passing(snapshot)}"
    found = Explanation("", reason, job.changed, answer="runs")
    process = snapshot.process(job.process)
    if process is None or process.executes.kind == EXTERNAL:
        return found
    free, hint = FreeCapacity(snapshot), start_text(process.groups)
    if not free.alive:
        return replace(found, reason=f"{reason}, and no worker is live to run it", hint=hint)
    missing = no_worker_of(free, process.groups)
    if not missing:
        return found
    hint = f"start scoopi serve --groups {process.groups[0]}"
    return replace(found, reason=f"{reason}, but there is {missing}", hint=hint)
