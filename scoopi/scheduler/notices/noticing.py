"""noticing: decides what of a pass is reported to which targets, and which jobs are late or stuck."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import msgspec

from scoopi.model.schedule.notice_record import OPEN, NoticeRecord
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import LIVE, PAST, UNSETTLED, AttemptRecord, JobRecord
from scoopi.periods.slot import moment_text, parse_slot
from scoopi.scheduler.decisions import Decision, changed
from scoopi.scheduler.gates import closed_gate, counterpart
from scoopi.scheduler.planning.job_times import deadline_of
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.snapshot import Snapshot

MISSED, DEADLINE, STUCK = "missed", "deadline", "stuck"
RUNNING, CANCELING = "running", "canceling"
"""Statuses that workers set before an attempt ends; a pass may see them late, or never."""
RETURNED = ("pending", "waiting")
"""Statuses of an attempt that its worker has found not ready, or has handed back."""
_HASH_BYTES = 4


def with_notices(decisions: Sequence[Decision], snapshot: Snapshot, faults: PlanFaults) -> list[Decision]:
    """Return the decisions, each after the notices that report it, so that a crash in between loses none.

    The id of a notice is derived from what it reports, so a repeated pass does not write it twice.
    """
    if not any(has_targets(process, snapshot) for process in snapshot.schedule.processes.values()):
        return [*decisions]
    found: list[Decision] = []
    for decision in decisions:
        new = decision.new
        reported: list[Decision] = []
        if isinstance(new, AttemptRecord | JobRecord):
            subject = new.attempt if isinstance(new, AttemptRecord) else new.job
            reported = faults.decided(new.process, subject, _reported, decision, snapshot)
        found += reported or [decision]
    return found


def marks(snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Yield the writes that mark late and stuck jobs, and what workers did, so that each is reported once.

    Nothing is marked for processes without targets.
    """
    processes = snapshot.schedule.processes.items()
    reported = {name: process for name, process in processes if has_targets(process, snapshot)}
    for attempt in snapshot.attempts if reported else ():
        yield from faults.decided(attempt.process, attempt.attempt, _mark_attempt, attempt, snapshot)
    for job in snapshot.active if reported else ():
        if (process := reported.get(job.process)) is not None:
            yield from faults.decided(job.process, job.job, _mark, job, process, snapshot)


def _mark_attempt(attempt: AttemptRecord, snapshot: Snapshot) -> Iterator[Decision]:
    if attempt.phase == LIVE and _by_worker(attempt, snapshot):
        yield Decision("planned", attempt, changed(attempt))


def _mark(job: JobRecord, process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    latest = deadline_of(job, process)
    rule = process.deadline
    notifies = rule is not None and rule.then == "notify" and bool(_via(process, snapshot, DEADLINE))
    if notifies and latest is not None and snapshot.now > latest:
        reason = f"deadline: not finished by {moment_text(latest)}"
        yield Decision("planned", job, changed(job, deadline_done=True), DEADLINE, reason)
    elif not job.stuck_reported and (reason := _stuck(job, process, snapshot)):
        yield Decision("planned", job, changed(job, stuck_reported=True), STUCK, reason)


def stuck_at(job: JobRecord, process: Process, snapshot: Snapshot) -> tuple[datetime, str] | None:
    """Return when a job counts as stuck, and the id of the failed job that it waits for.

    None if it waits for no failed job, or `stuck_after` is `never`.
    """
    after = snapshot.schedule.settings.stuck_after
    if after is None or job.job in snapshot.attempt_of:
        return None
    gate = closed_gate(job, snapshot)
    if gate is None or gate.gate != "depends" or gate.answer != "wait":
        return None
    slot = parse_slot(job.slot)
    names = (f"{e.process}/{counterpart(slot, e, snapshot.process(e.process))}" for e in process.depends_on)
    failed = [each for name in names if (each := snapshot.jobs.get(name)) and each.state == "failed"]
    if not failed:
        return None
    first = min(failed, key=lambda each: each.changed)
    return max(first.changed, job.created) + after, first.job


def has_targets(process: Process, snapshot: Snapshot) -> bool:
    """Whether notifications about a process are sent: it or the project has a `notify`."""
    return bool(process.notify or snapshot.schedule.settings.notify)


def _stuck(job: JobRecord, process: Process, snapshot: Snapshot) -> str:
    found = stuck_at(job, process, snapshot) if _via(process, snapshot, STUCK) else None
    if found is None or snapshot.now <= found[0]:
        return ""
    return f"waits on a failed job: {found[1]}"


def _via(process: Process, snapshot: Snapshot, event: str) -> list[tuple[str, ...]]:
    """The targets of an event, without duplicates."""
    rules = (*process.notify, *snapshot.schedule.settings.notify)
    return [*dict.fromkeys(rule.via for rule in rules if event in rule.when)]


def _by_worker(attempt: AttemptRecord, snapshot: Snapshot) -> dict[str, str]:
    """The statuses that workers have set and that are still to be reported, each with a reason."""
    process = snapshot.process(attempt.process)
    if process is None or not attempt.fence:
        return {}
    given = {RUNNING: f"on worker {attempt.worker}" if attempt.worker else ""}
    if attempt.wish_seen is not None:
        given[CANCELING] = attempt.explanation
    if attempt.status in RETURNED and not attempt.worker:
        given[attempt.status] = attempt.explanation
    return {
        status: reason
        for status, reason in given.items()
        if attempt.noted.get(status, 0) < attempt.fence and _via(process, snapshot, status)
    }


def _noted(decision: Decision, snapshot: Snapshot) -> Decision:
    """The decision, with what the attempt's worker did marked as reported: no later pass may see that."""
    old, new = decision.old, decision.new
    if not isinstance(old, AttemptRecord) or not isinstance(new, AttemptRecord):
        return decision
    given = _by_worker(old, snapshot)
    if not given:
        return decision
    noted = old.noted | dict.fromkeys(given, old.fence)
    return replace(decision, new=msgspec.structs.replace(new, noted=noted))


def _reported(decision: Decision, snapshot: Snapshot) -> Iterator[Decision]:
    decision = _noted(decision, snapshot)
    yield from _notices(decision, snapshot)
    yield decision


def _notices(decision: Decision, snapshot: Snapshot) -> Iterator[Decision]:
    new = decision.new
    process = snapshot.process(new.process) if isinstance(new, AttemptRecord | JobRecord) else None
    if process is None:
        return
    for event, reason in _events(decision, snapshot):
        for via in _via(process, snapshot, event):
            notice = _notice(decision, event, reason, via, snapshot)
            yield Decision("noticed", None, notice, "", reason)


def _events(decision: Decision, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The events of a decision that may be reported, each with a reason.

    A job that ends as its attempt did (`failed`, `noop`) is not a second event.
    """
    old, new = decision.old, decision.new
    if isinstance(new, AttemptRecord):
        yield from _by_worker(old, snapshot).items() if isinstance(old, AttemptRecord) else ()
        before = old if isinstance(old, AttemptRecord) else None
        is_settled = before is not None and new.phase == PAST and before.phase != PAST
        if is_settled or (new.phase == LIVE and (before is None or before.status != new.status)):
            yield new.status, new.explanation
    elif isinstance(new, JobRecord):
        if not isinstance(old, JobRecord) or old.state != new.state:
            attempt = snapshot.attempt_of.get(new.job)
            if attempt is None or attempt.phase != UNSETTLED or attempt.status != new.state:
                yield new.state, new.reason
            if new.state == "skipped" and new.missed:
                yield MISSED, new.reason
        if decision.gate in (DEADLINE, STUCK):
            yield decision.gate, decision.reason


def _notice(
    decision: Decision, event: str, reason: str, via: tuple[str, ...], snapshot: Snapshot
) -> NoticeRecord:
    new = decision.new
    assert isinstance(new, AttemptRecord | JobRecord)
    number, count = ("-", new.attempts) if isinstance(new, JobRecord) else (str(new.number), new.fence)
    target = hashlib.blake2b("\0".join(via).encode(), digest_size=_HASH_BYTES).hexdigest()
    return NoticeRecord(
        notice=f"{new.job}/{number}/{event}/{count}/{target}",
        phase=OPEN,
        event=event,
        process=new.process,
        slot=new.slot,
        at=snapshot.now,
        via=via,
        bundle=snapshot.bundle,
        attempt="" if isinstance(new, JobRecord) else new.attempt,
        reason=reason,
    )
