"""absent_job: why there is no job of a slot."""

from __future__ import annotations

from datetime import datetime, timedelta

from scoopi.errors import PeriodError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.period import Period
from scoopi.periods.slot import Iteration, ManualSlot, Slot, instant_text
from scoopi.scheduler.planning.looks import with_interval
from scoopi.scheduler.planning.past_slots import past_slots, slot_of
from scoopi.scheduler.triggers import planned_ahead


def absent_job(process: Process, record: ProcessRecord, slot: Slot, now: datetime) -> tuple[str, str]:
    """Why a process has no job of a slot, as the second part of a sentence, and what the user can do.

    The slot is not one of the process, is still to come, or no pass has created its job, or it was removed.
    """
    name, trigger = process.name, process.trigger
    if isinstance(slot, ManualSlot):
        return "none was launched with this number", f"scoopi launch {name} creates the next"
    if trigger is None or trigger.after:
        why_not = (
            f"it follows the job of {' or '.join(trigger.after)}" if trigger else f"{name} has no trigger"
        )
        return why_not, f"scoopi launch {name} --slot '{slot}' creates it"
    following = f"scoopi process next {name} shows its next slots"
    process = with_interval(process, record)
    try:
        found, due = slot_of(process, record, str(slot))
    except PeriodError as error:
        return error.what, following
    begin = slot.bounds()[0] if isinstance(slot, Period) else due
    if trigger.until is not None and (begin or now) > trigger.until:
        hint = f"scoopi launch {name} --slot '{slot}' creates it"
        return f"its trigger gives no slot after {instant_text(trigger.until)} (until)", hint
    if begin is None:
        return "no iteration of this number has begun", following
    if found != slot or not (isinstance(slot, Iteration) or _fires(process, record, slot, begin)):
        return f"it is not a slot of {name}", following
    fill = f"scoopi process backfill {name} --from '{slot}' --to '{slot}' creates it"
    since, ahead = trigger.since or record.since, planned_ahead(process, record, now)
    if ahead is not None and since < begin < ahead:
        why_not = (
            f"a pass whose clock was ahead has planned {instant_text(ahead)}, and no slot before it follows"
        )
        return why_not, fill if begin <= now else f"scoopi launch {name} --slot '{slot}' creates it"
    if begin > now:
        return f"its slot begins at {instant_text(begin)}, and a pass creates it then", following
    if since >= (due or begin) and trigger.since is not None:
        return f"its trigger begins at {instant_text(trigger.since)} (since), after this slot", fill
    if since >= (due or begin):
        return f"the process was first deployed at {instant_text(record.since)}, after this slot", fill
    return "no pass has created it in time (catchup), or it was removed (history, retention)", fill


def _fires(process: Process, record: ProcessRecord, slot: Slot, begin: datetime) -> bool:
    """Whether a slot that is not an iteration is one of the schedule, past or to come."""
    later = begin + timedelta(days=1)
    return any(each == slot for each, _ in past_slots(process, record, str(slot), str(slot), later))
