"""absent_job: why there is no job of a slot."""

from __future__ import annotations

from datetime import datetime, timedelta

from scoopi.errors import PeriodError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.period import Period
from scoopi.periods.slot import Instant, Iteration, ManualSlot, Slot, moment_text
from scoopi.scheduler.planning.evaluations import next_evaluation, with_interval
from scoopi.scheduler.planning.past_slots import past_slots, slot_of
from scoopi.scheduler.removed_slots import removed_state
from scoopi.scheduler.triggers import due_fires, planned_ahead, window

_PASSES = "scoopi serve runs passes, and scoopi tick runs one"
_MOST_FIRES = 10_000


def absent_job(process: Process, record: ProcessRecord, slot: Slot, now: datetime) -> tuple[str, str]:
    """Return why a process has no job of a slot, as a clause, and a hint for the user.

    Reasons: the slot is not one of the process, is still to come, waits for a pass, was missed, or removed.
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
    if found == slot and (ended := removed_state(record.removed, str(slot))) is not None:
        again = f"scoopi launch {name} --slot '{slot}' runs it once more"
        return f"it ended as {ended}, and was removed (history, retention)", again
    if trigger.until is not None and (begin or now) > trigger.until:
        hint = f"scoopi launch {name} --slot '{slot}' creates it"
        return f"its trigger gives no slot after {moment_text(trigger.until)} (until)", hint
    if begin is None:
        return "no iteration of this number has begun", following
    if found != slot or not (isinstance(slot, Iteration) or _fires(process, record, slot, begin)):
        return f"it is not a slot of {name}", following
    fill = f"scoopi process backfill {name} --from '{slot}' --to '{slot}' creates it"
    since, ahead = trigger.since or record.since, planned_ahead(process, record, now)
    if ahead is not None and since < begin < ahead:
        why_not = (
            f"a pass whose clock was ahead has planned {moment_text(ahead)}, and no slot before it follows"
        )
        return why_not, fill if begin <= now else f"scoopi launch {name} --slot '{slot}' creates it"
    if begin > now:
        return f"its slot begins at {moment_text(begin)}, and a pass creates it then", following
    if since >= (due or begin) and trigger.since is not None:
        return f"its trigger begins at {moment_text(trigger.since)} (since), after this slot", fill
    if since >= (due or begin):
        return f"the process was first deployed at {moment_text(record.since)}, after this slot", fill
    return _not_created(process, record, slot, begin, now) or (_missed(process, slot), fill)


def _not_created(
    process: Process, record: ProcessRecord, slot: Slot, begin: datetime, now: datetime
) -> tuple[str, str] | None:
    """The clause and the hint for a slot that gets its job from a later pass; None for other slots."""
    if isinstance(slot, Instant):
        is_due = slot.at in due_fires(process, record, now, _MOST_FIRES)
    elif isinstance(slot, Period):
        is_due = record.last_fire is None or begin > record.last_fire
    else:
        is_due = slot in [each for each, _ in window(process, record, now)]
    if not is_due:
        return None
    at = None if isinstance(slot, Instant) else next_evaluation(process, record, begin - datetime.resolution)
    if at is not None and at > now:
        shows = f"scoopi process interval {process.name} EVERY changes how often it is evaluated"
        return f"the next evaluation of {process.name}, at {moment_text(at)}, creates it", shows
    return "no pass has run since it began; the next one creates it", _PASSES


def _missed(process: Process, slot: Slot) -> str:
    """The clause for a slot that got no job, or whose job was removed: the records do not show which."""
    if isinstance(slot, Period):
        return "it was removed (retention)"
    if isinstance(slot, Iteration):
        return f"no pass has run while it was in the window (lookback: {process.lookback})"
    reasons = [f"no pass has created it in time (catchup: {process.catchup})"]
    if process.overlap == "remind":
        reasons.append("another job ran then (overlap: remind)")
    return f"{', '.join(reasons)}, or it was removed (history, retention)"


def _fires(process: Process, record: ProcessRecord, slot: Slot, begin: datetime) -> bool:
    """Whether a slot that is not an iteration is one of the schedule, past or to come."""
    later = begin + timedelta(days=1)
    return any(each == slot for each, _ in past_slots(process, record, str(slot), str(slot), later))
