"""The window of iterations: the current one and those before it; which begins, and which are closed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import LIVE, ProcessRecord
from scoopi.periods.slot import Iteration
from scoopi.scheduler.decisions import Decision, canceled, changed, made
from scoopi.scheduler.retrying import over
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import FOLLOWING, next_begin, window

LETS_FOLLOW = ("processed", "noop", "skipped")
"""States of an iteration after which the next one begins."""


def iterations(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    """The window of a process: missing jobs are created, and those outside of it closed."""
    assert process.trigger is not None
    record = snapshot.processes[process.name]
    if process.trigger.source == FOLLOWING:
        yield from _following(process, record, snapshot)
    elif process.trigger.source == "cron":
        for slot, fire in window(process, record, snapshot.now):
            if snapshot.state_of(process.name, str(slot)) is None:
                yield made(process, slot, snapshot.now, due=fire)
    slots = window_of(process, record, snapshot.now)
    if record.iteration is not None and slots:
        slots.add(str(Iteration(record.iteration + 1)))  # its job is written before its number
    for job in snapshot.active if slots else ():
        if job.process != process.name or job.slot in slots or job.launch_type != "scheduled":
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


def window_of(process: Process, record: ProcessRecord, now: datetime) -> set[str]:
    """The slots of the window, as texts; none before the first iteration."""
    assert process.trigger is not None
    if process.trigger.source == "cron":
        return {str(slot) for slot, _ in window(process, record, now)}
    if process.trigger.source != FOLLOWING or record.iteration is None:
        return set()
    first = max(0, record.iteration - process.lookback)
    return {str(Iteration(number)) for number in range(first, record.iteration + 1)}


def first_of_window(process: Process, record: ProcessRecord, now: datetime) -> int | None:
    """The number of the first iteration of the window; None before the first iteration."""
    numbers = [int(slot[1:]) for slot in window_of(process, record, now)]
    return min(numbers, default=None)


def _following(process: Process, record: ProcessRecord, snapshot: Snapshot) -> Iterator[Decision]:
    """The next iteration, once the current one is over and `every` has passed since it began.

    The job is written before its number: a pass that crashed between the two is repeated.
    """
    trigger, now = process.trigger, snapshot.now
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
