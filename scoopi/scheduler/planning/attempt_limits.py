"""AttemptLimits: checks attempts against the limits that the definition of their process sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ACTIVE, CLAIMED, UNCLAIMED, AttemptRecord
from scoopi.periods.duration import duration_text
from scoopi.scheduler.planning.job_times import missed, too_late
from scoopi.scheduler.snapshot import Snapshot

Effect = Literal["error", "missed", "deadline"]
"""The attempt ends as an error, its job is skipped as missed, or its job fails at its deadline."""


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """A limit of attempts.

    Attributes:
        effect: what follows when it is exceeded.
        is_set: returns whether a process has the limit.
        exceeded: returns why an attempt of such a process exceeds the limit; empty if it does not.
    """

    effect: Effect
    is_set: Callable[[Process], bool]
    exceeded: Callable[[AttemptRecord, Process, Snapshot], str]


class AttemptLimits:
    """The limits that the attempts of one process have. Most processes have none or one of them.

    Args:
        process: the definition; None if it was removed; then its attempts have no limits.
    """

    def __init__(self, process: Process | None) -> None:
        self._process = process
        self._set = () if process is None else tuple(limit for limit in _LIMITS if limit.is_set(process))

    def exceeded(self, attempt: AttemptRecord, snapshot: Snapshot, effect: Effect | None = None) -> str:
        """Return why an attempt exceeds a limit of this effect, by default of any; empty if it does not."""
        process = self._process
        if process is None or not self._set:
            return ""
        limits: Sequence[AttemptLimit] = self._set
        for each in limits:
            if effect in (None, each.effect) and (reason := each.exceeded(attempt, process, snapshot)):
                return reason
        return ""


def _queued(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    limit, since = process.timeout.queue, attempt.queued or attempt.created
    if attempt.status not in ("pending", "waiting") or not _exceeds(snapshot.now - since, limit):
        return ""
    return f"timeout.queue: waited longer than {_text(limit)}"


def _running(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    limit, since = process.timeout.run, attempt.started if attempt.status in CLAIMED else None
    if since is None or not _exceeds(snapshot.now - since, limit):
        return ""
    return f"timeout.run: ran longer than {_text(limit)}"


def _silent(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    limit, since = process.timeout.heartbeat, attempt.started if attempt.status in CLAIMED else None
    if since is None or not _exceeds(snapshot.now - (attempt.beat or since), limit):
        return ""
    return f"timeout.heartbeat: no progress for {_text(limit)}"


def _stays(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    """Check the `remind_limit`, which applies once a fire got no job because the attempt ran."""
    if attempt.status not in CLAIMED or attempt.started is None or snapshot.is_backfill(attempt):
        return ""
    record = snapshot.processes.get(attempt.process)
    if record is None or record.last_fire is None or record.last_fire <= attempt.started:
        return ""
    limit = process.remind_limit
    is_over = _exceeds(snapshot.now - attempt.started, limit)
    return f"remind_limit: still running after {_text(limit)}" if is_over else ""


def _unfinished(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    job, limit = snapshot.jobs.get(attempt.job), process.retry.give_up_after
    begun = job.first_attempt if job is not None and job.phase == ACTIVE else None
    if begun is None or not _exceeds(snapshot.now - begun, limit):
        return ""
    return f"give_up_after: not finished within {_text(limit)} of the first attempt"


def _missed(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    """Check the `start_deadline`, which applies to a first attempt that has not run."""
    job = snapshot.jobs.get(attempt.job)
    if job is None or attempt.number > 1 or attempt.status not in UNCLAIMED:
        return ""
    if attempt.started is not None and (attempt.ended is None or attempt.ended < attempt.started):
        return ""  # it has run: its worker was lost, or has handed it back
    return missed(job, process, snapshot.now)


def _late(attempt: AttemptRecord, process: Process, snapshot: Snapshot) -> str:
    job = snapshot.jobs.get(attempt.job)
    return "" if job is None or job.phase != ACTIVE else too_late(job, process, snapshot.now)


def _exceeds(duration: timedelta, limit: timedelta | None) -> bool:
    return limit is not None and duration > limit


def _text(limit: timedelta | None) -> str:
    return duration_text(limit) if limit is not None else "never"


_LIMITS = (
    AttemptLimit("error", lambda process: process.timeout.queue is not None, _queued),
    AttemptLimit("error", lambda process: process.timeout.run is not None, _running),
    AttemptLimit("error", lambda process: process.timeout.heartbeat is not None, _silent),
    AttemptLimit("error", lambda process: process.overlap == "remind", _stays),
    AttemptLimit("error", lambda process: process.retry.give_up_after is not None, _unfinished),
    AttemptLimit("missed", lambda process: process.start_deadline is not None, _missed),
    AttemptLimit("deadline", lambda process: process.deadline is not None, _late),
)
