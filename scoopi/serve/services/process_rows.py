"""ProcessRows: processes as verbs print them: definition, next slots, and what cannot be planned."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.period import Period, parse_qualifier
from scoopi.periods.slot import Instant, Iteration, Slot, instant_text, moment_text, parse_slot, slot_key
from scoopi.scheduler.iteration_window import LETS_FOLLOW, window_of
from scoopi.scheduler.planning.evaluations import next_evaluation, trigger_text, with_interval
from scoopi.scheduler.planning.plan_faults import CORRECT, PlanFault, PlanFaults, unless_faulty
from scoopi.scheduler.reconcile import faults_of
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import FOLLOWING, planned_ahead, upcoming
from scoopi.serve.rows import Row

_NO_PLAN: Row = {"next": None, "next_evaluation": None, "trigger": None, "window": []}
_MOST_FAULTS = 3


class ProcessRows:
    """Makes the rows of processes.

    Args:
        snapshot: the records, with the time of the rows.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._now = snapshot.now

    @cached_property
    def _faults(self) -> PlanFaults:
        """The faults that a pass would note now."""
        return faults_of(self._snapshot)

    def row(self, process: Process, record: ProcessRecord) -> Row:
        """Return the row of a process; what cannot be calculated is None, and `error` says why."""
        faults = _listed(self._faults.of(process.name))
        return {
            "process": process.name,
            "mode": process.mode,
            "enabled": process.enabled,
            "paused": record.paused or (None if record.paused is None else "no reason given"),
            "qualifier": process.qualifier,
            "machine": process.machine,
            **(unless_faulty(self._plan, process, record) or _NO_PLAN),
            "inputs": dict(process.inputs),
            "error": "; ".join(filter(None, (record.source_error, faults, self.ahead(process, record))))
            or None,
        }

    def hint(self, process: Process, record: ProcessRecord) -> str:
        """Return a hint on the errors that `row` gives for a process; empty if there is none."""
        if self._faults.of(process.name):
            return CORRECT
        fill = f"scoopi process backfill {process.name} creates the jobs of fires that have passed"
        return fill if self.ahead(process, record) else ""

    def ahead(self, process: Process, record: ProcessRecord) -> str:
        """Return a sentence if a pass whose clock was ahead has planned fires of the future; else empty.

        The fires up to that time get no further slots.
        """
        until = planned_ahead(process, record, self._now)
        if until is None:
            return ""
        return f"no slot is created before {moment_text(until)}: a pass whose clock was ahead has planned it"

    def upcoming(self, process: Process, record: ProcessRecord, count: int) -> list[Row]:
        """Return the next slots of a process, each with the time at which it becomes due."""
        return [
            {"process": process.name, "slot": str(slot), **_times(process, slot, at)}
            for slot, at in self._following(process, record, count)
        ]

    def no_upcoming(self, process: Process) -> str:
        """Return why a process has no next slot."""
        name, trigger = process.name, process.trigger
        if trigger is None:
            return f"{name} has no trigger; scoopi launch {name} creates a job"
        if trigger.after:
            return f"{name} has no slots of its own: it follows {' or '.join(trigger.after)}"
        if trigger.until is not None and trigger.until <= self._now:
            return f"the trigger of {name} has ended at {instant_text(trigger.until)} (until)"
        if trigger.source == FOLLOWING:
            return f"the next iteration of {name} begins when the current one is over"
        return f"no next slot of {name} is known; scoopi process show {name} has its trigger"

    def _following(self, process: Process, record: ProcessRecord, count: int) -> list[tuple[Slot, datetime]]:
        """The next slots with their times; none while it is not known when the current iteration is over."""
        trigger = process.trigger
        if trigger is not None and trigger.source == FOLLOWING and record.iteration is not None:
            name = f"{process.name}/{Iteration(record.iteration)}"
            current = self._snapshot.jobs.get(name)
            if current is not None and current.state not in LETS_FOLLOW:
                return []
        found = upcoming(with_interval(process, record), record, self._now, count)
        if trigger is not None and trigger.source == FOLLOWING:  # the time may be now, with microseconds
            return [(slot, at.replace(microsecond=0)) for slot, at in found]
        return found

    def _plan(self, process: Process, record: ProcessRecord) -> Row:
        """The fields of the row about the next slots of a process."""
        following = self._following(process, record, 1)
        return {
            "next": instant_text(following[0][1]) if following else None,
            "next_evaluation": self._next_evaluation(process, record, following),
            "trigger": trigger_text(process, record),
            "window": self._window(process),
        }

    def _next_evaluation(
        self, process: Process, record: ProcessRecord, following: list[tuple[Slot, datetime]]
    ) -> str | None:
        """When a pass next considers new slots of a process; None if that is not known.

        For a managed process this is its next evaluation, for others their next fire.
        """
        at = following[0][1] if following else None
        if process.trigger is not None and process.mode == "managed":
            at = next_evaluation(process, record, self._now)
        return instant_text(at) if at is not None else None

    def _window(self, process: Process) -> list[str]:
        """The slots that jobs work on now: the iterations of the window, or the current period."""
        trigger = process.trigger
        if trigger is not None and trigger.slots == "iterations":
            slots = window_of(process, self._snapshot)
            return sorted(slots, key=lambda text: slot_key(parse_slot(text)))
        if process.qualifier is not None:
            return [str(Period(parse_qualifier(process.qualifier), self._now))]
        return []


def _listed(faults: list[PlanFault]) -> str:
    """The texts of faults as one text: at most three, and how many more there are."""
    more = len(faults) - _MOST_FAULTS
    texts = [fault.text for fault in faults[:_MOST_FAULTS]]
    return "; ".join([*texts, *([f"and {more} more"] if more > 0 else [])])


def _times(process: Process, slot: Slot, at: datetime) -> Row:
    """The fields of a slot: `start` and `end` of the time that its job covers, and `at`, when it is due.

    The job of the last period of a group covers the whole group.
    """
    start = end = slot.at if isinstance(slot, Instant) else at
    if isinstance(slot, Period):
        start, end = slot.group(process.grouping)[0].bounds()[0], slot.bounds()[1]
    return {"start": instant_text(start), "end": instant_text(end), "at": _local(process, at)}


def _local(process: Process, at: datetime) -> str:
    """A time in the zone of the process's trigger, in ISO format."""
    zone = process.trigger.timezone if process.trigger is not None else "UTC"
    return at.astimezone(ZoneInfo(zone)).isoformat().replace("+00:00", "Z")
