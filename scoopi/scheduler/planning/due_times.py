"""DueTimes: when the next pass has something to do."""

from __future__ import annotations

from datetime import datetime

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.periods.period import Period, parse_qualifier
from scoopi.scheduler.planning.evaluations import next_evaluation, with_interval
from scoopi.scheduler.planning.job_times import deadline_of, due_of, opens_at
from scoopi.scheduler.planning.plan_faults import unless_faulty
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import upcoming


class DueTimes:
    """Calculates when the next pass has something to do, so that nothing due waits for the next regular pass.

    The time of a fire is calculated again only after it has passed, or when the definitions have changed.
    """

    def __init__(self) -> None:
        self._bundle = ""
        self._fires: dict[str, datetime | None] = {}

    def next(self, snapshot: Snapshot) -> datetime | None:
        """Return when, after this snapshot, a pass first has something to do; None if that is not known."""
        now = snapshot.now
        if snapshot.bundle != self._bundle:
            self._bundle, self._fires = snapshot.bundle, {}
        for name, process in snapshot.schedule.processes.items():
            fire = self._fires.get(name)
            is_known = name in self._fires and (fire is None or fire > now)
            if name in snapshot.processes and not is_known:
                self._fires[name] = unless_faulty(_next_of, process, snapshot.processes[name], now)
        times = [at for at in self._fires.values() if at is not None]
        for job in snapshot.active:
            times += unless_faulty(_times_of, job, snapshot.process(job.process)) or ()
        times += [each.offer_at for each in snapshot.attempts if each.offer_at is not None]
        return min((at for at in times if at > now), default=None)


def _times_of(job: JobRecord, process: Process | None) -> list[datetime]:
    """The times at which something changes for a job by itself."""
    latest = deadline_of(job, process) if process is not None else None
    opens = opens_at(job, process) if process is not None and process.probe else None
    has_lag = process is not None and (process.qualifier or (process.trigger and process.trigger.jitter))
    is_waiting = has_lag and not job.attempts
    due = due_of(job, process) if process is not None and is_waiting else job.due
    ends = latest + datetime.resolution if latest is not None else None  # a job may end at its deadline
    own = (ends, job.retry_at, job.next_at, job.not_before, due, opens)
    return [at for at in own if at is not None]


def _next_of(process: Process, record: ProcessRecord, now: datetime) -> datetime | None:
    """When the next slot of a process is due, or gets its job; None if that is not known."""
    following = upcoming(with_interval(process, record), record, now, 1)
    due = following[0][1] if following else None
    trigger = process.trigger
    if trigger is None or trigger.slots == "instants":
        return due
    begin = due if trigger.slots == "iterations" else None
    if process.qualifier is not None:
        begin = Period(parse_qualifier(process.qualifier), now).bounds()[1]
    evaluation = None if begin is None else next_evaluation(process, record, begin - datetime.resolution)
    return min((at for at in (due, evaluation) if at is not None and at > now), default=None)
