"""iteration_window: creates the jobs of the iterations in a window, and closes those that have left it."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import LIVE, JobRecord, ProcessRecord
from scoopi.periods.slot import Iteration, parse_slot
from scoopi.scheduler.decisions import Decision, canceled, changed, made
from scoopi.scheduler.planning.evaluations import evaluated_at, with_interval
from scoopi.scheduler.retrying import over
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import FOLLOWING, next_begin, window

LETS_FOLLOW = ("processed", "noop", "skipped")
"""The final states of an iteration after which the next iteration begins."""


def iterations(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    """Create the missing jobs of a process's window, and skip or cancel older ones, by `on_window_exit`."""
    assert process.trigger is not None
    record = snapshot.processes[process.name]
    if process.trigger.source == FOLLOWING:
        yield from _following(process, record, snapshot)
    elif process.trigger.source == "cron":
        for slot, fire in window(process, record, evaluated_at(process, snapshot)):
            if snapshot.state_of(process.name, str(slot)) is None:
                yield made(process, slot, snapshot.now, due=fire)
    else:
        for number in record.window:
            if snapshot.state_of(process.name, str(Iteration(number))) is None:
                yield made(process, Iteration(number), snapshot.now)
    first = first_of_window(process, snapshot)
    for job in snapshot.active if first is not None else ():
        if job.process != process.name or job.launch_type != "scheduled" or not _is_before(first, job):
            continue
        attempt = snapshot.attempt_of.get(job.job)
        if attempt is None and not snapshot.is_worked_on(job):
            yield Decision("job_moved", job, over(job, "skipped", "out of window", snapshot.now), "slot")
        elif (
            attempt is not None
            and process.on_window_exit == "cancel"
            and attempt.phase == LIVE
            and attempt.wish is None
        ):
            mode = snapshot.schedule.settings.cancel.default_mode
            new = canceled(attempt, snapshot.now, mode, "out of window")
            yield Decision("attempt_canceled", attempt, new, "slot")


def window_of(process: Process, snapshot: Snapshot) -> set[str]:
    """Return the slots of the window, as texts; empty before the first iteration."""
    record = snapshot.processes[process.name]
    assert process.trigger is not None
    if process.trigger.source == "cron":
        return {str(slot) for slot, _ in window(process, record, evaluated_at(process, snapshot))}
    if process.trigger.source != FOLLOWING:
        return {str(Iteration(number)) for number in record.window}
    if record.iteration is None:
        return set()
    first = max(0, record.iteration - process.lookback)
    return {str(Iteration(number)) for number in range(first, record.iteration + 1)}


def first_of_window(process: Process, snapshot: Snapshot) -> int | None:
    """Return the number of the first iteration of the window; None before the first iteration."""
    return min((int(slot[1:]) for slot in window_of(process, snapshot)), default=None)


def _is_before(first: int | None, job: JobRecord) -> bool:
    """Whether a job is older than the window."""
    slot = parse_slot(job.slot)
    return first is not None and isinstance(slot, Iteration) and slot.number < first


def _following(process: Process, record: ProcessRecord, snapshot: Snapshot) -> Iterator[Decision]:
    """Create the next iteration, once the current one is over and `every` has passed since it began.

    The job is written before its number, so a pass repeats both if it crashed between the two.
    """
    trigger, now = with_interval(process, record).trigger, snapshot.now
    assert trigger is not None
    if now < next_begin(trigger, record) or (trigger.until is not None and now > trigger.until):
        return
    number = 0
    if record.iteration is not None:
        current = snapshot.jobs.get(f"{process.name}/{Iteration(record.iteration)}")
        if current is not None and current.state not in LETS_FOLLOW:
            return
        number = record.iteration + 1
    slot = Iteration(number)
    if snapshot.state_of(process.name, str(slot)) is None:
        yield made(process, slot, now)
    yield Decision("planned", record, changed(record, iteration=number, last_fire=now))
