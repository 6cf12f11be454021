"""reconcile: one pass, from a snapshot to decisions; the same snapshot gives the same decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoopi.errors import DefsError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    LIVE,
    PAST,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    SlotState,
)
from scoopi.periods.period import Period
from scoopi.periods.slot import Instant, parse_slot
from scoopi.scheduler.applied import applied
from scoopi.scheduler.decisions import INSIDE_GROUP, Decision, canceled, changed, is_inside_group, made, moved
from scoopi.scheduler.gate_changes import gate_changes, opened, with_gate
from scoopi.scheduler.gates import ClosedGate, closed_gate, counterpart, edges_of, overlap_of
from scoopi.scheduler.iteration_window import iterations, window_of
from scoopi.scheduler.notices.noticing import marks, with_notices
from scoopi.scheduler.placing.placement import placements
from scoopi.scheduler.placing.run_nodes import further_nodes
from scoopi.scheduler.planning.job_times import slot_end
from scoopi.scheduler.planning.looks import looked, with_interval
from scoopi.scheduler.retrying import after_attempt, over, waits_for_retry
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.sweep import swept
from scoopi.scheduler.templates import inputs_of
from scoopi.scheduler.triggers import due_fires, periods_since


def reconcile(snapshot: Snapshot) -> list[Decision]:
    """The writes that bring the records nearer to what the definitions ask for, in the order to make them.

    Each write is conditional on the record that it was decided on, so a pass may run anywhere and at any
    time, and a crash between two writes does no harm: the next pass decides again. A caller repeats the
    pass until it decides nothing.
    """
    cleared = [*swept(snapshot)]
    decisions = [*cleared, *_settled(snapshot)]
    decided = {_key(decision) for decision in decisions}
    # What is planned beside an attempt that the sweep ends must not depend on a crash between the two.
    seen = applied(snapshot, cleared)
    waiting: dict[str, tuple[JobRecord, ClosedGate]] = {}
    gated = [*_gated(seen, waiting)]
    is_settled = not any(each.decision == "attempt_made" for each in gated)
    for decision in [*_planned(seen), *gated, *placements(seen, joins=is_settled), *marks(seen)]:
        if _key(decision) not in decided:
            decisions.append(decision)
            decided.add(_key(decision))
    if not decisions:  # which gates jobs wait at is clear when nothing else follows
        return [*gate_changes(waiting, snapshot)]
    return with_notices(decisions, snapshot)


def wanted(snapshot: Snapshot) -> set[str]:
    """Ids of the jobs that a pass has to know beside the active ones that were found.

    They are those of windows, those depended on, and those of all attempts: the end of one whose job was
    only overlooked must not be taken for that of a job that was removed.
    """
    found = {attempt.job for attempt in snapshot.attempts}
    for name, process in snapshot.schedule.processes.items():
        record = snapshot.processes.get(name)
        trigger = process.trigger
        if record and trigger and trigger.slots == "iterations":
            found |= {f"{name}/{slot}" for slot in window_of(process, snapshot)}
    for job in snapshot.active:
        found |= {job.awaits} - {""}
        process_of = snapshot.process(job.process)
        for edge in edges_of(process_of) if process_of else ():
            before = counterpart(parse_slot(job.slot), edge, snapshot.process(edge.process))
            if before is not None:
                found.add(f"{edge.process}/{before}")
    return found - snapshot.jobs.keys()


def _planned(snapshot: Snapshot) -> Iterator[Decision]:
    """Step 2: the jobs of slots that are due; those that jobs depend on."""
    for name, process in snapshot.schedule.processes.items():
        record = snapshot.processes.get(name)
        trigger = process.trigger
        if record is None or trigger is None or trigger.after:
            continue
        if trigger.slots == "periods":
            yield from _periods(process, snapshot)
        elif trigger.slots == "iterations":
            yield from iterations(process, snapshot)
        else:
            yield from _instants(process, snapshot)
    yield from _counterparts(snapshot)


def _instants(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    record = snapshot.processes[process.name]
    process = with_interval(process, record)
    fires = due_fires(process, record, snapshot.now, snapshot.schedule.settings.max_new_slots)
    for fire in fires:
        live = _scheduled(snapshot.live_of.get(process.name, ()), snapshot)
        if process.overlap == "remind" and live:
            yield Decision("reminded", live[0], changed(live[0]), "live", f"{Instant(fire)} fired meanwhile")
            break
        yield made(process, Instant(fire), snapshot.now)
    if fires:
        yield Decision("planned", record, changed(record, last_fire=fires[-1]))


def _periods(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    record = snapshot.processes[process.name]
    begin, most = record.since, snapshot.schedule.settings.max_new_slots
    if record.last_fire is not None and snapshot.now < record.last_fire:
        return
    if not periods_since(process, record, begin, snapshot.now):
        return
    due = periods_since(process, record, begin, looked(process, snapshot))[:most]
    for period in due:
        yield made(process, period, snapshot.now, due=period.bounds()[1])
    if due:
        yield Decision("planned", record, changed(record, last_fire=due[-1].bounds()[0]))


def _counterparts(snapshot: Snapshot) -> Iterator[Decision]:
    """The periods of other processes that jobs wait for, if their own trigger has not created them."""
    seen: set[str] = set()
    for job in snapshot.active:
        process = snapshot.process(job.process)
        if process is None or not process.depends_on:
            continue
        slot = parse_slot(job.slot)
        if not isinstance(slot, Period):
            continue
        for edge in process.depends_on:
            other = snapshot.process(edge.process)
            before = counterpart(slot, edge, other)
            name = f"{edge.process}/{before}"
            if (
                other is not None
                and isinstance(before, Period)
                and name not in seen
                and snapshot.state_of(other.name, str(before)) is None
            ):
                seen.add(name)
                yield made(other, before, snapshot.now, due=before.bounds()[1], launch_type="dependent")


def _settled(snapshot: Snapshot) -> Iterator[Decision]:
    """Step 3: the end of attempts moves their jobs; first come the jobs that it triggers, so none is lost."""
    for attempt in snapshot.attempts:
        job = snapshot.jobs.get(attempt.job)
        if job is not None and job.attempts == attempt.number - 1 and job.phase == ACTIVE:
            yield _counted(job, attempt.number, snapshot)  # the pass that made it crashed
            continue
        if attempt.phase != UNSETTLED:
            continue
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


def _gated(snapshot: Snapshot, waiting: dict[str, tuple[JobRecord, ClosedGate]]) -> Iterator[Decision]:
    """Step 4: jobs whose gates are open get an attempt; others may be skipped or fail.

    Args:
        waiting: gets the first waiting job of each process, with its gate.
    """
    started = dict.fromkeys(snapshot.live_of, True)
    running = dict(snapshot.running_of_backfill)
    for job in snapshot.active:
        if snapshot.is_worked_on(job):
            continue
        process = snapshot.process(job.process)
        if process is not None and _is_inside_group(job, process):
            ended = over(job, "noop", INSIDE_GROUP, snapshot.now)
            yield Decision("job_moved", job, ended, "", INSIDE_GROUP)
            continue
        answer = closed_gate(job, snapshot)
        if answer is not None:
            waiting.setdefault(job.process, (job, answer))
            if answer.answer != "wait":
                state: SlotState = "skipped" if answer.answer == "skip" else "failed"
                is_done = job.deadline_done or answer.gate == "deadline"
                ended = over(replace(job, deadline_done=is_done), state, answer.reason, snapshot.now)
                yield Decision("job_moved", job, ended, answer.gate, answer.reason)
            elif answer.gate == "live" and process is not None and _cancels_others(job, process):
                yield from _cancel_others(job, snapshot)
            continue
        assert process is not None
        if overlap_of(job, process) not in ("allow", "remind") and started.get(process.name):
            continue
        if job.backfill is not None:
            key = (job.process, job.backfill.name)
            if 0 < job.backfill.max_parallel <= running.get(key, 0):
                continue
            running[key] = running.get(key, 0) + 1
        started[process.name] = True
        yield from _attempted(job, process, snapshot)


def _is_inside_group(job: JobRecord, process: Process) -> bool:
    """Whether another job does its work: it was reprocessed, or created before its periods were grouped."""
    return process.grouping > 1 and job.attempts == 0 and is_inside_group(process, parse_slot(job.slot))


def _cancels_others(job: JobRecord, process: Process) -> bool:
    return overlap_of(job, process) == "cancel_running"


def _scheduled(attempts: Sequence[AttemptRecord], snapshot: Snapshot) -> list[AttemptRecord]:
    """Those that are not part of a backfill."""
    return [each for each in attempts if not snapshot.is_backfill(each)]


def _cancel_others(job: JobRecord, snapshot: Snapshot) -> Iterator[Decision]:
    live = snapshot.live_of.get(job.process, ())
    for attempt in live if job.backfill is not None else _scheduled(live, snapshot):
        if attempt.wish is None:
            reason = f"overlap: {job.job} is due"
            yield Decision("attempt_canceled", attempt, _canceled(attempt, snapshot, reason), "live", reason)


def _attempted(job: JobRecord, process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    """A new attempt, written before its job; after a crash between the two, the next pass moves the job.

    If its inputs name what is unknown, it has ended before anyone runs it.
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
