"""slot_planning: creates the jobs of slots that are due, and missing jobs that others depend on."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.periods.period import Period
from scoopi.periods.slot import Instant, parse_slot
from scoopi.scheduler.chains import is_end_of_chain
from scoopi.scheduler.decisions import Decision, changed, made
from scoopi.scheduler.gates import counterpart
from scoopi.scheduler.iteration_window import iterations
from scoopi.scheduler.planning.evaluations import evaluated_at, with_interval
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import due_fires, periods_since


def planned(snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Step 2 of a pass: create the jobs of slots that are due, and missing jobs that others depend on."""
    for name, process in snapshot.schedule.processes.items():
        record = snapshot.processes.get(name)
        trigger = process.trigger
        if record is None or trigger is None or trigger.after:
            continue
        step = {"periods": _periods, "iterations": iterations}.get(trigger.slots, _instants)
        yield from faults.decided(name, name, step, process, snapshot)
    dependent = {
        process.name: process for process in snapshot.schedule.processes.values() if process.depends_on
    }
    for job in snapshot.active if dependent else ():
        if (defined := dependent.get(job.process)) is not None:
            yield from faults.decided(job.process, job.job, _counterparts, job, defined, snapshot)


def _instants(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    record = snapshot.processes[process.name]
    process = with_interval(process, record)
    fires = due_fires(process, record, snapshot.now, snapshot.schedule.settings.max_new_slots)
    for fire in fires:
        live = snapshot.scheduled_of(process.name)
        if process.overlap == "remind" and live:
            yield Decision("reminded", live[0], changed(live[0]), "live", f"{Instant(fire)} fired meanwhile")
            break
        yield made(process, Instant(fire), snapshot.now)
    if fires:
        yield Decision("planned", record, changed(record, last_fire=fires[-1]))


def _periods(process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    record = snapshot.processes[process.name]
    most = snapshot.schedule.settings.max_new_slots
    if record.last_fire is not None and snapshot.now < record.last_fire:
        return
    if not periods_since(process, record, snapshot.now):
        return
    due = periods_since(process, record, evaluated_at(process, snapshot))[:most]
    for period in due:
        yield made(process, period, snapshot.now, due=period.bounds()[1])
    if due:
        yield Decision("planned", record, changed(record, last_fire=due[-1].bounds()[0]))


def _counterparts(job: JobRecord, process: Process, snapshot: Snapshot) -> Iterator[Decision]:
    """Create the jobs of the periods that a job depends on, as far as they do not exist."""
    slot = parse_slot(job.slot)
    if not isinstance(slot, Period):
        return
    for edge in process.depends_on:
        other = snapshot.process(edge.process)
        before = counterpart(slot, edge, other)
        if other is None or not isinstance(before, Period):
            continue
        is_missing = snapshot.state_of(other.name, str(before)) is None
        if is_missing and not is_end_of_chain(process, edge, before, snapshot):
            yield from _missing(other, before, snapshot)


def _missing(process: Process, period: Period, snapshot: Snapshot) -> Iterator[Decision]:
    """Create the job of a process for a period, unless there is or was one.

    A job that another process triggers (`after`) waits for that process's job, which is created too, so that
    it gets the outputs. If each of several processes may trigger it, they create it themselves.
    """
    if snapshot.state_of(process.name, str(period)) is not None:
        return
    after = () if process.trigger is None else process.trigger.after
    if len(after) > 1:
        return
    awaits = ""
    if (cause := snapshot.process(after[0]) if after else None) is not None:
        yield from _missing(cause, period, snapshot)
        awaits = f"{cause.name}/{period}"
    due = period.bounds()[1]
    yield made(process, period, snapshot.now, due=due, launch_type="dependent", awaits=awaits)
