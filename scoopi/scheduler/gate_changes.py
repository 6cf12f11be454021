"""gate_changes: decides which changes of gates are logged: of the first job of a process that waits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec.structs import replace

from scoopi.model.schedule.job_changes import GateChange
from scoopi.model.schedule.schedule_records import (
    LIVE,
    UNCLAIMED,
    AttemptRecord,
    JobRecord,
)
from scoopi.scheduler.decisions import Decision, changed
from scoopi.scheduler.gates import ClosedGate
from scoopi.scheduler.placing.placement import FreeCapacity, waiting_gate
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.snapshot import Snapshot

LOGGED_AFTER = timedelta(seconds=30)
"""How long a job has to wait before its gate is logged: most waits are shorter, and of no interest."""
MOST_GATES = 20
"""The most gates that are logged per job; older entries are dropped."""

Waiting = dict[str, tuple[JobRecord, ClosedGate]]
"""By the name of a process: its first job without an attempt, and the gate at which that job waits."""


def gate_changes(waiting: Waiting, snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Yield the writes that log at which gate jobs wait, unless it is their last entry already.

    At most two jobs of a process are logged, so that the number of writes does not grow with the number of
    jobs: the first job without an attempt, unless it waits for other jobs of its process, and the first whose
    attempt has no worker.
    """
    now = snapshot.now
    for job, gate in waiting.values():
        # Each job waits for its slot first, which its times show.
        is_usual = gate.gate == "live" or (gate.gate == "slot" and not job.gates)
        is_new = _last(job) != gate.gate or job.gates[-1].at < job.changed
        if is_new and not is_usual and now - job.changed >= LOGGED_AFTER:
            yield _logged(job, gate.gate, gate.reason, now)
    found = [each for each in _without_worker(snapshot) if now - each.created >= LOGGED_AFTER]
    if not found:
        return
    free = FreeCapacity(snapshot)
    for attempt in found:
        yield from faults.decided(attempt.process, attempt.attempt, _of_attempt, attempt, free, snapshot)


def _of_attempt(attempt: AttemptRecord, free: FreeCapacity, snapshot: Snapshot) -> Iterator[Decision]:
    own = snapshot.jobs.get(attempt.job)
    closed = waiting_gate(attempt, free, snapshot)
    if own is not None and closed is not None and _is_new(own, attempt, closed[0]):
        yield _logged(own, *closed, snapshot.now)


def with_gate(job: JobRecord, gate: str, reason: str, now: datetime) -> JobRecord:
    """Return a copy of a job with one more entry on its gates.

    Args:
        gate: the name of the closed gate; empty if all are open.
    """
    return replace(job, gates=(*job.gates, GateChange(gate, now, reason))[-MOST_GATES:])


def opened(job: JobRecord, number: int, now: datetime) -> JobRecord:
    """Return a job that gets an attempt; if its last entry is a closed gate, with one that all are open."""
    return with_gate(job, "", f"attempt {number} was created", now) if _last(job) else job


def _logged(job: JobRecord, gate: str, reason: str, now: datetime) -> Decision:
    return Decision("planned", job, changed(with_gate(job, gate, reason, now)), gate)


def _without_worker(snapshot: Snapshot) -> Iterator[AttemptRecord]:
    """For each process, its oldest attempt that no worker has."""
    first: dict[str, AttemptRecord] = {}
    for attempt in snapshot.attempts:
        if attempt.status not in UNCLAIMED or attempt.worker or attempt.phase != LIVE:
            continue
        other = first.get(attempt.process)
        if other is None or attempt.created < other.created:
            first[attempt.process] = attempt
    yield from first.values()


def _last(job: JobRecord) -> str:
    return job.gates[-1].gate if job.gates else ""


def _is_new(job: JobRecord, attempt: AttemptRecord, gate: str) -> bool:
    """Whether an attempt waits at another gate than was logged last, or again after a worker had it."""
    if _last(job) != gate:
        return True
    return gate != "prepare" and attempt.placed is not None and attempt.placed > job.gates[-1].at
