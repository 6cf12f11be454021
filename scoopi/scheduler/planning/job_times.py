"""job_times: when a job may have its first attempt, and when it is late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from scoopi.model.schedule.process import Probe, Process
from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.periods.period import Period
from scoopi.periods.slot import ManualSlot, moment_text, parse_slot
from scoopi.scheduler.retrying import fraction


def opens_at(job: JobRecord, process: Process) -> datetime | None:
    """Return when the probes with `not_before` allow an attempt; None if there are no such probes."""
    times = [probe_opens_at(job, process, probe) for probe in process.probe]
    return max((at for at in times if at is not None), default=None)


def missed(job: JobRecord, process: Process, now: datetime) -> str:
    """Return why a job that has not started may no longer start; empty if it may."""
    limit = process.start_deadline
    if limit is None or now - job.created <= limit:
        return ""
    return f"missed: not started by {moment_text(job.created + limit)}"


def too_late(job: JobRecord, process: Process, now: datetime) -> str:
    """Return why a job that is not over fails by its deadline; empty if it does not."""
    rule, latest = process.deadline, deadline_of(job, process)
    if rule is None or latest is None or rule.then != "fail" or now <= latest:
        return ""
    return f"deadline: not finished by {moment_text(latest)}"


def deadline_of(job: JobRecord, process: Process) -> datetime | None:
    """Return when a job must be finished; None if its process has no deadline, or it does not apply.

    A deadline that counts from the slot does not apply to launches and backfills, whose slots may be old.
    """
    rule = process.deadline
    if rule is None or job.deadline_done:
        return None
    if rule.after == "created":
        return job.created + rule.within
    if job.launch_type in ("manual", "backfill"):
        return None
    own = parse_slot(job.slot)
    is_start = rule.after == "slot_start" and isinstance(own, Period)
    return (own.bounds()[0] if is_start and isinstance(own, Period) else slot_end(job)) + rule.within


def slot_end(job: JobRecord) -> datetime:
    """Return the end of a job's period; for another slot when the job was due, or else created."""
    own = parse_slot(job.slot)
    return own.bounds()[1] if isinstance(own, Period) else job.due or job.created


def probe_opens_at(job: JobRecord, process: Process, probe: Probe) -> datetime | None:
    """Return the time of `not_before` on the day of the slot's end; None for another kind of probe."""
    if probe.not_before is None:
        return None
    zone = ZoneInfo(process.trigger.timezone if process.trigger is not None else "UTC")
    hour, _, minute = probe.not_before.partition(":")
    day = slot_end(job).astimezone(zone).replace(tzinfo=None, second=0, microsecond=0)
    return day.replace(hour=int(hour), minute=int(minute), tzinfo=zone).astimezone(UTC)


def due_of(job: JobRecord, process: Process) -> datetime:
    """Return when the first attempt at a job may begin."""
    own = parse_slot(job.slot)
    due = job.due or job.created
    if isinstance(own, Period) and process.machine == "discrete":
        due = own.bounds()[1] + process.lag
    elif isinstance(own, Period):
        due = own.bounds()[0]
    if process.trigger is not None and process.trigger.jitter and not isinstance(own, ManualSlot):
        due += timedelta(seconds=process.trigger.jitter.total_seconds() * fraction(job.job))
    return max(due, job.not_before) if job.not_before is not None else due
