"""gate_changes: which changes of gates a pass logs: of the first job of each process that has to wait."""

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
"""How long a job has to wait before its gate is logged: most waits are shorter, and nobody asks for them."""
MOST_GATES = 20
"""Of a job."""

Waiting = dict[str, tuple[JobRecord, ClosedGate]]
"""Of each process by its name: its first job that has no attempt, and the gate that keeps it waiting."""


def gate_changes(waiting: Waiting, snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """The gates that keep jobs waiting, written to the jobs as far as their last entry is another gate.

    At most two jobs of a process are at the head of the list, so the number of writes does not depend on the
    number of jobs: the first that has no attempt, unless it waits for other jobs of its process, and the
    first whose attempt has no worker.
    """
    now = snapshot.now
    for job, gate in waiting.values():
        # A job begins with the wait for its slot, which its times say.
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
    """A copy of a job with another entry about its gates.

    Args:
        gate: its name; empty if all are open.
    """
    return replace(job, gates=(*job.gates, GateChange(gate, now, reason))[-MOST_GATES:])


def opened(job: JobRecord, number: int, now: datetime) -> JobRecord:
    """A copy of a job that gets an attempt: if it was logged that it waits, its gates are open now."""
    return with_gate(job, "", f"attempt {number} was created", now) if _last(job) else job


def _logged(job: JobRecord, gate: str, reason: str, now: datetime) -> Decision:
    return Decision("planned", job, changed(with_gate(job, gate, reason, now)), gate)


def _without_worker(snapshot: Snapshot) -> Iterator[AttemptRecord]:
    """The oldest attempt of each process that no worker has."""
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
    """Whether an attempt waits at another gate, or at the same one once more after a worker had it."""
    if _last(job) != gate:
        return True
    return gate != "prepare" and attempt.placed is not None and attempt.placed > job.gates[-1].at
