"""Explanation: what a closed gate waits for, since when, what holds it, and what a user may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.process_change import ProcessChange, ProcessChangeName
from scoopi.model.schedule.schedule_records import FINISHED, JobRecord
from scoopi.periods.duration import duration_text
from scoopi.periods.period import Period
from scoopi.periods.slot import moment_text, parse_slot
from scoopi.scheduler.explaining.holders import (
    attempt_since,
    attempt_text,
    job_text,
    listed,
    quoted,
    since_text,
    state_since,
)
from scoopi.scheduler.gates import ClosedGate, failing_gate, overlap_of
from scoopi.scheduler.planning.plan_faults import CORRECT, PlanFault
from scoopi.scheduler.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a job waits for or does, or how it ended, in words.

    Attributes:
        gate: the name of the closed gate, or `done` for a job that is over; empty if all gates are open.
        reason: what is awaited, and what holds it, as one sentence.
        since: when this began; None if the records do not say.
        holders: ids of the attempts and jobs that are waited for.
        hint: what a user may do, with the command.
        until: when it changes by itself; None if that is not known.
        answer: `wait`, `skip` or `fail` of a gate; `runs` if nothing but the work is awaited.
    """

    gate: str
    reason: str
    since: datetime | None = None
    holders: tuple[str, ...] = ()
    hint: str = ""
    until: datetime | None = None
    answer: str = "wait"


def explained(job: JobRecord, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    """Explain the closed gate of a job that has no attempt now."""
    explain = _BY_GATE.get(gate.gate)
    process = snapshot.process(job.process)
    if process is None:
        found = _removed(job, gate, snapshot)
    elif gate.answer != "wait" or explain is None:
        found = Explanation(gate.gate, gate.reason, holders=gate.holders)
    else:
        found = explain(job, process, gate, snapshot)
    return replace(found, until=gate.until, answer=gate.answer)


def faulty(job: JobRecord, fault: PlanFault, snapshot: Snapshot) -> Explanation:
    """Explain a job on which passes can decide nothing because of an error."""
    gate = "live" if job.job in snapshot.attempt_of else failing_gate(job, snapshot)
    reason = f"{fault.text}; passes try again, and decide on all else meanwhile"
    return Explanation(gate, reason, job.changed, hint=f"{_skip(job)}; {CORRECT}")


def over(job: JobRecord) -> Explanation:
    """Explain a job that is over: how and when it ended."""
    since = state_since(job)
    reason = f"{job.state} at {moment_text(since)}{f': {job.reason}' if job.reason else ''}"
    again = job.state in ("failed", "skipped")
    hint = f"scoopi job reprocess {quoted(job.job)} runs it once more" if again else ""
    return Explanation("done", reason, since, hint=hint)


def _removed(job: JobRecord, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    change = _last_change(job.process, snapshot, "removed")
    hint = f"deploy it again, or scoopi job skip {quoted(job.job)}"
    by = "" if change is None else f", from which {change.by} removed it at {moment_text(change.at)}"
    return Explanation(gate.gate, f"{gate.reason}{by}", change.at if change else None, hint=hint)


def _enabled(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    record = snapshot.processes.get(process.name)
    if record is not None and record.paused is not None:
        change = _last_change(process.name, snapshot, "paused")
        why = f": {record.paused}" if record.paused else ""
        hint = f"scoopi process resume {process.name} starts it again"
        if change is None:
            return Explanation(gate.gate, f"{gate.reason}{why}", hint=hint)
        reason = f"process {process.name} was paused at {moment_text(change.at)} by {change.by}{why}"
        return Explanation(gate.gate, reason, change.at, hint=hint)
    change = _last_change(process.name, snapshot, "added", "changed")
    by = f" by the definitions that {change.by} deployed at {moment_text(change.at)}" if change else ""
    hint = f"deploy it with enabled: true, or scoopi job skip {quoted(job.job)}"
    return Explanation(gate.gate, f"{gate.reason}{by}", change.at if change else None, hint=hint)


def _slot(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    slot, why = parse_slot(job.slot), ""
    if job.not_before is not None and gate.until == job.not_before:
        why = ", as its launch asks for (--after)"
    elif job.next_at is not None and job.attempts:
        why = f", the next evaluation of {job.slot} after attempt {job.attempts}"
    elif isinstance(slot, Period) and process.machine == "discrete":
        lag = duration_text(process.lag)
        why = f", {lag} (lag) after the end of {job.slot}" if process.lag else f", the end of {job.slot}"
    elif isinstance(slot, Period):
        why = f", when {job.slot} begins"
    elif process.trigger is not None and process.trigger.jitter:
        why = f", as jitter ({duration_text(process.trigger.jitter)}) delays it"
    return Explanation(gate.gate, f"{gate.reason}{why}", job.changed, hint=_skip(job))


def _live(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    found = [each for each in snapshot.attempts if each.attempt in gate.holders]
    if not found:
        return Explanation(gate.gate, gate.reason, job.changed)
    texts = listed([attempt_text(each, snapshot) for each in found])
    what = f"overlap is {overlap_of(job, process)}"
    if gate.rule == "max_parallel":
        what = gate.reason
    elif gate.rule == "backfill":
        what = "a backfill of the process runs"
    first = quoted(found[0].job)
    return Explanation(
        gate.gate,
        f"waits for other jobs of {process.name}, as {what}: {texts}",
        min(attempt_since(each) for each in found),
        gate.holders,
        f"scoopi job cancel {first} ends that one",
    )


def _error(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    does = "continues it" if job.held else "retries it at once"
    reason = f"on hold{since_text(job.changed)}: {job.reason}" if job.held else gate.reason
    return Explanation(gate.gate, reason, job.changed, hint=f"scoopi job clear {quoted(job.job)} {does}")


def _depends(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    """Explain a wait for jobs of other processes, by dependencies or probes."""
    if not gate.holders:
        hint = f"{_skip(job)}, or deploy {process.name} with other dependencies"
        return Explanation(gate.gate, gate.reason, state_since(job), hint=hint)
    jobs = [each for name in gate.holders if (each := snapshot.jobs.get(name)) is not None]
    texts = listed([job_text(name, snapshot) for name in gate.holders])
    failed = next((each for each in jobs if each.state in FINISHED), None)
    if failed is not None:
        again = f"scoopi job reprocess {quoted(failed.job)} runs that one once more"
        hint = f"{again}; {_skip(job)}"
    elif jobs:
        hint = f"scoopi job why {quoted(jobs[0].job)} explains that one"
    else:
        hint = f"scoopi process show {gate.holders[0].partition('/')[0]} shows when it is created"
    since = max((state_since(each) for each in jobs), default=None)
    return Explanation(gate.gate, f"waits for {texts}", since or state_since(job), gate.holders, hint)


def _prepare(job: JobRecord, process: Process, gate: ClosedGate, snapshot: Snapshot) -> Explanation:
    if gate.holders:
        return _depends(job, process, gate, snapshot)
    return Explanation(gate.gate, gate.reason, job.changed, hint=_skip(job))


def _skip(job: JobRecord) -> str:
    return f"scoopi job skip {quoted(job.job)} gives it up"


def _last_change(process: str, snapshot: Snapshot, *names: ProcessChangeName) -> ProcessChange | None:
    record = snapshot.processes.get(process)
    changes = record.changes if record is not None else ()
    return next((each for each in reversed(changes) if each.change in names), None)


_BY_GATE: dict[str, Callable[[JobRecord, Process, ClosedGate, Snapshot], Explanation]] = {
    "enabled": _enabled,
    "slot": _slot,
    "live": _live,
    "error": _error,
    "depends": _depends,
    "prepare": _prepare,
}
