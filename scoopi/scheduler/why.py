"""why: one sentence on what a job waits for, is doing, or how it ended."""

from __future__ import annotations

from typing import Any

from scoopi.model.schedule.process import DEFAULT_GROUPS, EXTERNAL
from scoopi.model.schedule.schedule_records import FINISHED, AttemptRecord, JobRecord
from scoopi.periods.slot import instant_text
from scoopi.scheduler.gates import ClosedGate, closed_gate
from scoopi.scheduler.placing.placement import Room, groups_of, no_worker_of, waits_for_place
from scoopi.scheduler.placing.run_nodes import nodes_text
from scoopi.scheduler.snapshot import Snapshot


def why(job: JobRecord, snapshot: Snapshot) -> dict[str, Any]:
    """The answer as a row: `job state gate answer reason until attempts`.

    A job that is not over has a closed gate or a live attempt; the next pass gives it the latter when no
    gate is closed.
    """
    if job.state in FINISHED:
        reason = job.reason or f"{job.state} at {instant_text(job.changed)}"
        return _row(job, ClosedGate("done", "wait", reason))
    attempt = snapshot.attempt_of.get(job.job)
    if attempt is not None:
        waits = attempt.status in ("pending", "paused") or attempt.offer_at is not None
        return _row(job, _of_attempt(attempt, snapshot), answer=None if waits else "runs")
    answer = closed_gate(job, snapshot)
    if answer is not None:
        return _row(job, answer)
    reason = "its gates are open; the next pass creates its attempt"
    process = snapshot.process(job.process)
    if process is not None and process.executes.kind != EXTERNAL:
        reason += _nobody(Room(snapshot), process.groups)
    return _row(job, ClosedGate("", "wait", reason), answer="runs")


def _of_attempt(attempt: AttemptRecord, snapshot: Snapshot) -> ClosedGate:
    name = f"attempt {attempt.number}"
    nodes = f"; {nodes_text(attempt)}" if attempt.nodes else ""
    if attempt.wish == "cancel":
        return ClosedGate("live", "wait", f"{name} is being cancelled: {attempt.explanation}")
    if attempt.status in ("pending", "paused") or attempt.offer_at is not None:
        waits = waits_for_place(attempt, snapshot)
        return waits or ClosedGate("live", "wait", f"{name} is placed by the next pass")
    if attempt.status == "waiting":
        what = f"{name} waits for {_claimant(attempt, snapshot)} to claim it{nodes}"
        return ClosedGate("live", "wait", what)
    since = f" since {instant_text(attempt.started)}" if attempt.started else ""
    return ClosedGate("live", "wait", f"{name} is {attempt.status} on worker {attempt.worker}{since}{nodes}")


def _nobody(room: Room, groups: tuple[str, ...]) -> str:
    """What to start if no live worker may run the next attempt; else empty."""
    if not room.alive:
        of_groups = "" if "default" in groups else f" --groups {groups[0]}"
        return f", and no worker is live to run it: start scoopi serve{of_groups}"
    missing = no_worker_of(room, groups)
    return f", but there is {missing}: start scoopi serve --groups {groups[0]}" if missing else ""


def _claimant(attempt: AttemptRecord, snapshot: Snapshot) -> str:
    groups = groups_of(attempt, snapshot)
    of_groups = "" if groups == DEFAULT_GROUPS else f" of group {' or '.join(groups)}"
    return f"worker {attempt.worker}" if attempt.worker else f"a registered worker{of_groups}"


def _row(job: JobRecord, found: ClosedGate, answer: str | None = None) -> dict[str, Any]:
    return {
        "job": job.job,
        "state": job.state,
        "gate": found.gate or None,
        "answer": answer or found.answer,
        "reason": found.reason,
        "until": instant_text(found.until) if found.until else None,
        "attempts": job.attempts,
    }
