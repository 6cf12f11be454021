"""Evaluations: the times at which a managed process is evaluated, so that its slots get jobs."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from scoopi.model.schedule.process import Process, Trigger
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.duration import duration_text
from scoopi.periods.fires import BoundedFires, Fires, IntervalFires
from scoopi.periods.slot import instant_text
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import local_fires

DEFAULT_EVERY = timedelta(seconds=60)
"""The time between two evaluations of a process without `every`."""


def evaluated_at(process: Process, snapshot: Snapshot) -> datetime:
    """Return when a managed process was last evaluated.

    That is now if this pass handles the end of an attempt of the process, or by `wake_on` of a process that
    it depends on. Otherwise it is the last time of its trigger, or of the deployment if that was later.
    """
    wakes = {process.name}
    if process.trigger is not None and "dependency_done" in process.trigger.wake_on:
        wakes |= {edge.process for edge in process.depends_on}
    if not wakes.isdisjoint(snapshot.settling):
        return snapshot.now
    record = snapshot.processes[process.name]
    last = last_evaluation(process, record, snapshot.now)
    deployed = snapshot.deployed
    return last if deployed is None or deployed > snapshot.now else max(last, deployed)


def last_evaluation(process: Process, record: ProcessRecord, now: datetime) -> datetime:
    """Return the last time of the trigger up to now; if there is none, that of the first deployment."""
    last = next(_grid(process, record).before(now + datetime.resolution), None)
    return record.since if last is None else max(last, record.since)


def next_evaluation(process: Process, record: ProcessRecord, after: datetime) -> datetime | None:
    """Return the first time of the trigger after a moment; None if there is none."""
    return next(_grid(process, record).after(after), None)


def trigger_text(process: Process, record: ProcessRecord) -> str | None:
    """Return when a process is evaluated, or fires, as `process show` prints it; None without a trigger."""
    trigger = process.trigger
    if trigger is None:
        return None
    if trigger.after:
        return f"after {', '.join(trigger.after)}"
    return f"{_times_text(trigger, record)}{_bounds_text(trigger)}"


def _times_text(trigger: Trigger, record: ProcessRecord) -> str:
    if trigger.at:
        return f"at {', '.join(trigger.at)}"
    if trigger.cron is not None and trigger.slots != "iterations":
        return f"cron {trigger.cron}"
    return f"every {duration_text(record.interval or trigger.every or DEFAULT_EVERY)}"


def _bounds_text(trigger: Trigger) -> str:
    since = "" if trigger.since is None else f" since {instant_text(trigger.since)}"
    return since if trigger.until is None else f"{since} until {instant_text(trigger.until)}"


def with_interval(process: Process, record: ProcessRecord) -> Process:
    """Return the process with the interval that was set by hand, if any, counted from `interval_from`."""
    trigger = process.trigger
    if record.interval is None or trigger is None or trigger.every is None:
        return process
    fields: dict[str, object] = {"every": record.interval}
    if trigger.slots == "instants":
        fields["since"] = record.interval_from
    return replace(process, trigger=replace(trigger, **fields))


def _grid(process: Process, record: ProcessRecord) -> Fires:
    trigger = process.trigger
    assert trigger is not None
    if trigger.slots != "iterations" and (trigger.cron is not None or trigger.at):
        return BoundedFires(local_fires(trigger), record.since)
    interval = record.interval or trigger.every or DEFAULT_EVERY
    return IntervalFires(record.interval_from or record.since, interval)
