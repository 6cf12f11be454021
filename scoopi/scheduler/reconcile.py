"""reconcile: one pass, from a snapshot to decisions; the same snapshot gives the same decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from scoopi.errors import DefsError
from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    LIVE,
    PAST,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
)
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.applied import applied
from scoopi.scheduler.decisions import INSIDE_GROUP, Decision, canceled, changed, is_inside_group, made, moved
from scoopi.scheduler.gate_changes import Waiting, gate_changes, opened, with_gate
from scoopi.scheduler.gates import closed_gate, counterpart, edges_of, overlap_of
from scoopi.scheduler.iteration_window import window_of
from scoopi.scheduler.notices.noticing import marks, with_notices
from scoopi.scheduler.placing.placement import placements
from scoopi.scheduler.placing.run_nodes import further_nodes
from scoopi.scheduler.planning.job_times import slot_end
from scoopi.scheduler.planning.plan_faults import PlanFaults, unless_faulty
from scoopi.scheduler.planning.slot_planning import planned
from scoopi.scheduler.retrying import after_attempt, over, waits_for_retry
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.sweep import swept
from scoopi.scheduler.templates import inputs_of


def reconcile(snapshot: Snapshot, faults: PlanFaults | None = None) -> list[Decision]:
    """Return the writes that bring the records closer to the state that the definitions ask for, in order.

    Each write is conditional on the record that it was decided on, so a pass may run anywhere and at any
    time, and a crash between two writes does no harm: the next pass decides again. A caller repeats the
    pass until it decides nothing.

    Args:
        faults: collects the errors; by default the first one is raised.
    """
    faults = PlanFaults(is_strict=True) if faults is None else faults
    cleared = [*swept(snapshot, faults)]
    decisions = [*cleared, *_settled(snapshot, faults)]
    decided = {_key(decision) for decision in decisions}
    # Planning must see the attempts that the sweep ends, whether or not a crash comes in between.
    seen = applied(snapshot, cleared)
    waiting: Waiting = {}
    slots, gated = [*planned(seen, faults)], [*_gated(seen, waiting, faults)]
    is_settled = not any(each.decision == "attempt_made" for each in gated)
    placed = placements(seen, faults, joins=is_settled)
    others: list[Decision] = []
    for decision in [*slots, *gated, *placed, *marks(seen, faults)]:
        if _key(decision) not in decided:
            others.append(decision)
            decided.add(_key(decision))
    # What exists is placed before more is created: a pass may end in between, and workers would have to wait.
    decisions += sorted(others, key=lambda decision: decision.decision != "attempt_placed")
    if not decisions:  # the gates at which jobs wait are final now
        return [*gate_changes(waiting, snapshot, faults)]
    return with_notices(decisions, snapshot, faults)


def faults_of(snapshot: Snapshot, only: str = "") -> PlanFaults:
    """Return the faults that a pass over a snapshot would note.

    Args:
        only: the subject to try, as in `PlanFault`; empty for all.
    """
    faults = PlanFaults(only=only)
    reconcile(snapshot, faults)
    return faults


def wanted(snapshot: Snapshot) -> set[str]:
    """Return the ids of the jobs that a pass must read besides the active ones that were found.

    These are the jobs of windows, the jobs that others depend on, and those of all attempts: if the job of an
    attempt was only missed by the scan, its end must not be treated like that of a removed job.
    """
    found = {attempt.job for attempt in snapshot.attempts}
    for name, process in snapshot.schedule.processes.items():
        record = snapshot.processes.get(name)
        trigger = process.trigger
        if record and trigger and trigger.slots == "iterations":
            found |= {f"{name}/{slot}" for slot in unless_faulty(window_of, process, snapshot) or ()}
    defined = snapshot.schedule.processes.values()  # the scrapes launched without one depend on nothing
    waiting = {process.name: process for process in defined if any(edges_of(process))}
    for job in snapshot.jobs.values():
        if job.phase != ACTIVE:
            continue
        if job.awaits:
            found.add(job.awaits)
        if (process_of := waiting.get(job.process)) is not None:
            found |= unless_faulty(_depended_on, job, process_of, snapshot) or set()
    return found - snapshot.jobs.keys()


def _depended_on(job: JobRecord, process: Process, snapshot: Snapshot) -> set[str]:
    """The ids of the jobs of other processes that a job waits for."""
    found = set()
    for edge in edges_of(process):
        before = counterpart(parse_slot(job.slot), edge, snapshot.process(edge.process))
        if before is not None:
            found.add(f"{edge.process}/{before}")
    return found


def _settled(snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Step 3 of a pass: move the jobs of attempts that have ended, after creating the jobs they trigger."""
    for attempt in snapshot.attempts:
        if attempt.phase == UNSETTLED or _is_uncounted(attempt, snapshot.jobs.get(attempt.job)):
            yield from faults.decided(attempt.process, attempt.attempt, _settle, attempt, snapshot)


def _is_uncounted(attempt: AttemptRecord, job: JobRecord | None) -> bool:
    """Whether the pass that created an attempt crashed before it wrote the job."""
    return job is not None and job.attempts == attempt.number - 1 and job.phase == ACTIVE


def _settle(attempt: AttemptRecord, snapshot: Snapshot) -> Iterator[Decision]:
    job = snapshot.jobs.get(attempt.job)
    if job is not None and _is_uncounted(attempt, job):
        yield _counted(job, attempt.number, snapshot)
        return
    if job is not None and job.settled < attempt.number and job.phase == ACTIVE:
        process = snapshot.process(job.process)
        record = snapshot.processes.get(job.process)
        after = after_attempt(job, attempt, process, snapshot.now, record)
        if after.state == "processed":
            yield from _triggered(job, attempt, snapshot)
        gate = ""
        if after.phase == ACTIVE and (waits := waits_for_retry(after, snapshot.now)):
            gate, after = "error", with_gate(after, "error", waits, snapshot.now)
        yield Decision("job_moved", job, after, gate, after.reason)
    yield Decision("planned", attempt, changed(attempt, phase=PAST))


def _triggered(job: JobRecord, attempt: AttemptRecord, snapshot: Snapshot) -> Iterator[Decision]:
    for process in snapshot.schedule.processes.values():
        if process.trigger is not None and job.process in process.trigger.after:
            cause = {"job": job.job, "slot": job.slot, "outputs": attempt.outputs}
            again = snapshot.jobs.get(f"{process.name}/{job.slot}")
            if again is not None and again.awaits == job.job:
                yield Decision("planned", again, changed(again, awaits="", trigger=cause))
                continue
            yield made(process, parse_slot(job.slot), snapshot.now, trigger=cause, launch_type="dependent")


def _gated(snapshot: Snapshot, waiting: Waiting, faults: PlanFaults) -> Iterator[Decision]:
    """Step 4 of a pass: create attempts of jobs whose gates are open; other jobs may be skipped or fail.

    Args:
        waiting: gets the first waiting job of each process, with its gate.
    """
    ahead = _Ahead(waiting, dict.fromkeys(snapshot.live_of, True), {})
    for job in snapshot.active:
        if not snapshot.is_worked_on(job):
            yield from faults.decided(job.process, job.job, _pass_gates, job, snapshot, ahead)


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What earlier jobs of the same pass have got: gates that they wait at, and attempts.

    Attributes:
        waiting: the first waiting job of each process, with its gate.
        started: the processes with an attempt.
        backfilled: how many jobs of a backfill with a limit have got an attempt, by process and backfill.
    """

    waiting: Waiting
    started: dict[str, bool]
    backfilled: dict[tuple[str, str], int]


def _pass_gates(job: JobRecord, snapshot: Snapshot, ahead: _Ahead) -> Iterator[Decision]:
    """Decide on a job without an attempt: a new attempt, a wait, or its end."""
    process = snapshot.process(job.process)
    if process is not None and _is_inside_group(job, process):
        ended = over(job, "noop", INSIDE_GROUP, snapshot.now)
        yield Decision("job_moved", job, ended, "", INSIDE_GROUP)
        return
    answer = closed_gate(job, snapshot)
    if answer is not None:
        ahead.waiting.setdefault(job.process, (job, answer))
        if answer.answer != "wait":
            state: SlotState = "skipped" if answer.answer == "skip" else "failed"
            is_done = job.deadline_done or answer.gate == "deadline"
            is_missed = answer.gate == "slot"
            settled = replace(job, deadline_done=is_done)
            ended = over(settled, state, answer.reason, snapshot.now, missed=is_missed)
            yield Decision("job_moved", job, ended, answer.gate, answer.reason)
        elif answer.gate == "live" and process is not None and _cancels_others(job, process):
            yield from _cancel_others(job, snapshot)
        return
    assert process is not None
    if overlap_of(job, process) not in ("allow", "remind") and ahead.started.get(process.name):
        return
    backfill = job.backfill
    key = (job.process, backfill.name if backfill is not None else "")
    is_limited = backfill is not None and backfill.max_parallel > 0
    if backfill is not None and is_limited:
        running = snapshot.running_of_backfill.get(key, 0) + ahead.backfilled.get(key, 0)
        if running >= backfill.max_parallel:
            return
    yield from _attempted(job, process, snapshot)
    ahead.started[process.name] = True  # last: a job that fails here holds up no other one
    if is_limited:
        ahead.backfilled[key] = ahead.backfilled.get(key, 0) + 1


def _is_inside_group(job: JobRecord, process: Process) -> bool:
    """Whether the job at the end of its group does the work of this job.

    Such a job is active if it was reprocessed, or created before the periods were grouped.
    """
    return process.grouping > 1 and job.attempts == 0 and is_inside_group(process, parse_slot(job.slot))


def _cancels_others(job: JobRecord, process: Process) -> bool:
    return overlap_of(job, process) == "cancel_running"


def _cancel_others(job: JobRecord, snapshot: Snapshot) -> Iterator[Decision]:
    live = snapshot.live_of.get(job.process, ())
    for attempt in live if job.backfill is not None else snapshot.scheduled_of(job.process):
        if attempt.wish is None:
            reason = f"overlap: {job.job} is due"
            yield Decision("attempt_canceled", attempt, _canceled(attempt, snapshot, reason), "live", reason)


def _attempted(job: JobRecord, process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    """Create an attempt, before its job is changed; after a crash in between, the next pass moves the job.

    If its inputs use unknown names, it ends with an error before it runs.
    """
    attempt = AttemptRecord(
        process=job.process,
        slot=job.slot,
        number=job.attempts + 1,
        status="pending",
        phase=LIVE,
        bundle=snapshot.bundle,
        created=snapshot.now,
        launch_type="retry" if job.failures else job.launch_type,
        nodes=further_nodes(process),
    )
    try:
        attempt = replace(attempt, inputs=inputs_of(job, process))
    except DefsError as error:
        ended = {"status": "error", "phase": UNSETTLED, "ended": snapshot.now, "explanation": str(error)}
        attempt = replace(attempt, **ended)
    yield Decision("attempt_made", None, attempt, "", attempt.explanation)
    yield _counted(job, attempt.number, snapshot)


def _counted(job: JobRecord, number: int, snapshot: Snapshot) -> Decision:
    """The job with its new attempt."""
    process = snapshot.process(job.process)
    repeats = process is not None and process.machine != "discrete"
    is_final = job.state == "final_run" or (repeats and snapshot.now >= slot_end(job))
    counted = moved(
        opened(job, number, snapshot.now),
        snapshot.now,
        state="final_run" if is_final else "in_progress",
        attempts=number,
        retry_at=None,
        next_at=None,
        first_attempt=job.first_attempt or snapshot.now,
        reason="",
    )
    return Decision("job_moved", job, counted)


def _canceled(attempt: AttemptRecord, snapshot: Snapshot, reason: str) -> AttemptRecord:
    return canceled(attempt, snapshot.now, snapshot.schedule.settings.cancel.default_mode, reason)


def _key(decision: Decision) -> tuple[str, str]:
    new = decision.new
    if isinstance(new, AttemptRecord):
        return "attempt", new.attempt
    if isinstance(new, JobRecord):
        return "job", new.job
    return type(new).__name__, getattr(new, "name", "") or getattr(new, "worker", "")
