"""gates: the ordered conditions of a job's next attempt; the first closed one is why the job waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from scoopi.model.schedule.process import DependsOn, Process
from scoopi.model.schedule.schedule_records import FINISHED, JobRecord
from scoopi.periods.period import Period, parse_qualifier
from scoopi.periods.slot import Iteration, Slot, moment_text, parse_slot
from scoopi.scheduler.chains import is_end_of_chain
from scoopi.scheduler.planning.job_times import due_of, missed, probe_opens_at, slot_end, too_late
from scoopi.scheduler.retrying import waits_for_retry
from scoopi.scheduler.snapshot import Snapshot


class ClosedGate(NamedTuple):
    """The answer of a closed gate; a tuple, as a pass creates one for each waiting job.

    Attributes:
        until: when it opens by itself; None if that is not known.
        holders: ids of the attempts or jobs that it waits for.
        rule: of the gate `live`, what keeps a job from running beside the others of its process: their
            `overlap`, the `max_parallel` of its backfill, or that a `backfill` runs.
    """

    gate: str
    answer: Literal["wait", "skip", "fail"]
    reason: str
    until: datetime | None = None
    holders: tuple[str, ...] = ()
    rule: Literal["", "overlap", "max_parallel", "backfill"] = ""


_ENDED = {"noop": "was a noop", "skipped": "was skipped"}
Gate = Callable[[JobRecord, Process, Snapshot], ClosedGate | None]


def closed_gate(job: JobRecord, snapshot: Snapshot) -> ClosedGate | None:
    """Return the first closed gate of a job without an attempt; None if all are open."""
    process = snapshot.process(job.process)
    if process is None:
        return ClosedGate("enabled", "wait", f"process {job.process} is not part of the current definitions")
    for gate in GATES:
        answer = gate(job, process, snapshot)
        if answer is not None:
            return answer
    return None


def failing_gate(job: JobRecord, snapshot: Snapshot) -> str:
    """Return the name of the first gate whose check raises an error; `enabled` if none does."""
    process = snapshot.process(job.process)
    if process is not None:
        for gate in GATES:
            try:
                gate(job, process, snapshot)
            except Exception:  # of any class: only the gate is wanted
                return gate.__name__
    return enabled.__name__


def deadline(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open unless the job fails by its deadline; checked first, as that may be before it could start."""
    if reason := too_late(job, process, snapshot.now):
        return ClosedGate("deadline", "fail", reason)
    return None


def enabled(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open if the process is enabled and not paused."""
    record = snapshot.processes.get(process.name)
    if record is not None and record.paused is not None:
        return ClosedGate("enabled", "wait", f"process {process.name} is paused")
    if process.enabled:
        return None
    reason = f"process {process.name} is disabled"
    if process.when_disabled == "skip":
        return ClosedGate("enabled", "skip", reason)
    return ClosedGate("enabled", "wait", reason)


def slot(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open if the slot is due, and the deadline of its start has not passed."""
    if job.attempts == 0 and (reason := missed(job, process, snapshot.now)):
        return ClosedGate("slot", "skip", reason)
    due = due_of(job, process)
    if job.next_at is not None:
        due = max(due, min(job.next_at, slot_end(job)))
    if snapshot.now < due:
        return ClosedGate("slot", "wait", f"waits until {moment_text(due)}", due)
    return None


def live(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open if no attempt of the job is live, and none of its process that `overlap` forbids beside it."""
    own = snapshot.attempt_of.get(job.job)
    if own is not None:
        return ClosedGate("live", "wait", f"attempt {own.number} is {own.status}")
    if snapshot.is_worked_on(job):
        return ClosedGate(
            "live", "wait", f"attempt {job.attempts} was not found just now; it is looked for again"
        )
    others = [each for each in snapshot.live_of.get(process.name, ()) if each.job != job.job]
    if reason := _backfill_is_full(job, snapshot):
        return ClosedGate("live", "wait", reason, None, _of_backfill(job, snapshot), "max_parallel")
    overlap = overlap_of(job, process)
    if not others or overlap in ("allow", "remind"):
        return None
    reason = f"{others[0].attempt} is {others[0].status}"
    holders = tuple(each.attempt for each in others)
    if job.backfill is None and all(map(snapshot.is_backfill, others)):
        return ClosedGate("live", "wait", reason, None, holders, "backfill")
    if overlap == "skip" and job.attempts == 0:
        return ClosedGate("live", "skip", f"overlap: {reason}")
    if overlap == "buffer_one" and _has_newer(job, snapshot):
        return ClosedGate("live", "skip", "overlap: a newer slot waits")
    return ClosedGate("live", "wait", reason, None, holders, "overlap")


def overlap_of(job: JobRecord, process: Process) -> str:
    """Return the `overlap` that applies to a job: that of its process, or for a backfill its own."""
    return process.overlap if job.backfill is None else job.backfill.overlap


def error(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open unless the job is on hold or its retry is not due yet."""
    reason = waits_for_retry(job, snapshot.now)
    return ClosedGate("error", "wait", reason, job.retry_at) if reason else None


def depends(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open if the jobs that come first are over; of several answers, fail counts before skip and wait."""
    if not process.depends_on and not job.awaits:
        return None
    answers = [
        answer for edge in process.depends_on if (answer := _edge(job, process, edge, snapshot)) is not None
    ]
    if job.awaits and (again := _awaited(job, snapshot)) is not None:
        answers.append(again)
    if len(answers) < 2:
        return answers[0] if answers else None
    first = next(each for kind in ("fail", "skip", "wait") for each in answers if each.answer == kind)
    if first.answer != "wait":
        return first
    return first._replace(holders=tuple(name for each in answers for name in each.holders))


def prepare(job: JobRecord, process: Process, snapshot: Snapshot) -> ClosedGate | None:
    """Open if the probes that a pass can evaluate hold: those of a time or a job, and constants."""
    for probe in process.probe:
        if (opens := probe_opens_at(job, process, probe)) is not None and snapshot.now < opens:
            return ClosedGate("prepare", "wait", f"not before {moment_text(opens)}", opens)
        if probe.job_done is not None and (gate := _not_done(job, probe.job_done, snapshot)) is not None:
            return gate
        if probe.constant is False:
            return ClosedGate("prepare", "wait", "probe: constant is false")
    return None


GATES: tuple[Gate, ...] = (deadline, enabled, slot, live, error, depends, prepare)
"""In the order in which they are checked."""


def counterpart(own: Slot, edge: DependsOn, other: Process | None) -> Slot | None:
    """Return the slot of another process that a slot depends on; None if the process has no such slot.

    Args:
        own: the slot of the dependent job.
        edge: the dependency.
        other: the process that it depends on; None if that was removed.
    """
    if isinstance(own, Period):
        if other is None or other.qualifier is None:
            return None
        return own.cast(parse_qualifier(other.qualifier)).shift(edge.slot)
    if isinstance(own, Iteration):
        return Iteration(own.number + edge.slot) if own.number + edge.slot >= 0 else None
    return own if edge.slot == 0 else None


def edges_of(process: Process) -> Iterator[DependsOn]:
    """Yield the dependencies of a process, and those that its `job_done` probes express."""
    yield from process.depends_on
    yield from (probe.job_done for probe in process.probe if probe.job_done is not None)


def _backfill_is_full(job: JobRecord, snapshot: Snapshot) -> str:
    """Why a job of a backfill waits for its others; empty if it does not."""
    if job.backfill is None or not job.backfill.max_parallel:
        return ""
    running = snapshot.running_of_backfill.get((job.process, job.backfill.name), 0)
    if running < job.backfill.max_parallel:
        return ""
    jobs = "1 job" if running == 1 else f"{running} jobs"
    return f"backfill {job.backfill.name} runs {jobs}, its max_parallel"


def _of_backfill(job: JobRecord, snapshot: Snapshot) -> tuple[str, ...]:
    """The ids of the live attempts of a job's backfill."""
    jobs = ((each, snapshot.jobs.get(each.job)) for each in snapshot.live_of.get(job.process, ()))
    return tuple(each.attempt for each, own in jobs if own is not None and own.backfill == job.backfill)


def _edge(job: JobRecord, process: Process, edge: DependsOn, snapshot: Snapshot) -> ClosedGate | None:
    before = counterpart(parse_slot(job.slot), edge, snapshot.process(edge.process))
    if before is None:
        return None if edge.slot else ClosedGate("depends", "wait", f"{edge.process} has no slot {job.slot}")
    name = f"{edge.process}/{before}"
    state = snapshot.state_of(edge.process, str(before))
    if state is None and is_end_of_chain(process, edge, before, snapshot):
        return None
    if state is None or state not in FINISHED:
        return _waits("depends", name, state)
    if state in ("processed", "noop"):
        return None
    rule = edge.when_skipped if state == "skipped" else edge.when_failed
    if rule == "run":
        return None
    if _is_kept_from(name, snapshot):
        rule = "wait"
    ended = "was skipped" if state == "skipped" else "failed"
    return ClosedGate("depends", rule, f"{name} {ended}", None, (name,))


def _awaited(job: JobRecord, snapshot: Snapshot) -> ClosedGate | None:
    """The gate of a job that waits for the one that triggers it; None if it may begin."""
    process, _, at = job.awaits.partition("/")
    state = snapshot.state_of(process, at)
    if state in (None, "processed"):
        return None
    if state in FINISHED and not _is_kept_from(job.awaits, snapshot):
        return ClosedGate("depends", "skip", f"{job.awaits} {_ENDED.get(state, state)}")
    return _waits("depends", job.awaits, state)


def _is_kept_from(name: str, snapshot: Snapshot) -> bool:
    """Whether a job was cancelled and `settings.cancel.cascade` lets its dependents wait all the same."""
    job = snapshot.jobs.get(name)
    return (
        job is not None and job.cancelled and snapshot.schedule.settings.cancel.cascade.dependents == "none"
    )


def _not_done(job: JobRecord, edge: DependsOn, snapshot: Snapshot) -> ClosedGate | None:
    """The gate that a `job_done` probe keeps closed; None if the probe holds."""
    before = counterpart(parse_slot(job.slot), edge, snapshot.process(edge.process))
    if before is None:
        return ClosedGate("prepare", "wait", f"{edge.process} has no slot for {job.slot}")
    state, name = snapshot.state_of(edge.process, str(before)), f"{edge.process}/{before}"
    if state in ("processed", "noop"):
        return None
    return _waits("prepare", name, state)


def _waits(gate: str, name: str, state: str | None) -> ClosedGate:
    """A gate that another job keeps closed; `state` is that of the other job, None if it does not exist."""
    is_so = "does not exist yet" if state is None else f"is {state}"
    return ClosedGate(gate, "wait", f"waits for {name}, which {is_so}", None, (name,))


def _has_newer(job: JobRecord, snapshot: Snapshot) -> bool:
    return any(
        other.process == job.process and other.job != job.job and other.created > job.created
        for other in snapshot.active
        if other.job not in snapshot.attempt_of
    )
