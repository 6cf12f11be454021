"""Sweep: offers attempts of lost workers again, and ends those that take too long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec.structs import replace

from scoopi.model.schedule.process import Process, RetryRule, Timeouts
from scoopi.model.schedule.schedule_records import ACTIVE, CLAIMED, LIVE, UNCLAIMED, AttemptRecord
from scoopi.periods.duration import duration_text
from scoopi.periods.slot import instant_text
from scoopi.scheduler.decisions import Decision, canceled, changed, ended, requeued
from scoopi.scheduler.placing.run_nodes import freed
from scoopi.scheduler.planning.job_times import missed, too_late
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.retrying import over
from scoopi.scheduler.snapshot import Snapshot


def swept(snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Step 1: lost workers, timeouts, deadlines, and cancels that no worker carries out."""
    lost = {worker.worker for worker in snapshot.workers.values() if snapshot.is_lost(worker)}
    for worker in snapshot.workers.values():
        if worker.worker in lost and worker.state != "lost":
            yield Decision("worker_lost", worker, changed(worker, state="lost", since=snapshot.now))
    for attempt in snapshot.attempts:
        if attempt.phase == LIVE and not _just_waits(attempt, snapshot):
            yield from faults.decided(attempt.process, attempt.attempt, _sweep, attempt, lost, snapshot)


def _just_waits(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    """Whether nothing can be swept of an attempt: no worker has it, and none of its limits is over.

    Most attempts of a long queue are so. This is a shortcut, as a pass looks at all of them repeatedly.
    """
    is_free = not attempt.worker and attempt.wish is None and attempt.offer_at is None and not attempt.nodes
    process = snapshot.schedule.processes.get(attempt.process) if is_free else None
    if process is None or attempt.status not in UNCLAIMED or process.deadline is not None:
        return False
    limits = (process.timeout.queue, process.retry.give_up_after, process.start_deadline)
    if limits == (None, None, None):
        return True
    since = attempt.queued or attempt.created
    if (job := snapshot.jobs.get(attempt.job)) is not None:
        since = min(since, job.created, job.first_attempt or since)
    waited = snapshot.now - since
    return not any(_exceeds(waited, limit) for limit in limits)


def _sweep(attempt: AttemptRecord, lost: set[str], snapshot: Snapshot) -> Iterator[Decision]:
    decision = _swept(attempt, attempt.worker in lost or _is_unknown(attempt, snapshot), snapshot)
    if decision is not None:
        yield decision
    elif (left := freed(attempt, _missing(attempt, lost, snapshot))) is not None:
        yield Decision("attempt_placed", attempt, left, "worker", "a worker of its nodes is lost")
    else:
        yield from _late(attempt, snapshot)


def _swept(attempt: AttemptRecord, is_lost: bool, snapshot: Snapshot) -> Decision | None:
    if attempt.wish == "cancel" and (is_lost or _is_overdue(attempt, snapshot)):
        return ended(attempt, attempt.outcome or "canceled", attempt.explanation, snapshot.now)
    if is_lost and attempt.status in ("running", "waiting"):
        begun = attempt.started if attempt.status == "running" else None
        fields = {"status": "waiting", "worker": "", "placed": snapshot.now}
        again = requeued(attempt, snapshot.now, begun, **fields)
        return Decision("attempt_placed", attempt, again, "worker", f"worker {attempt.worker} is lost")
    process = snapshot.process(attempt.process)
    timeouts, retry = (process.timeout, process.retry) if process else (Timeouts(), RetryRule())
    is_free = attempt.wish is None or attempt.wish_mode == "drain"
    reason = _timed_out(attempt, timeouts, snapshot) or _stays(attempt, process, snapshot)
    reason = reason or _given_up(attempt, retry, snapshot)
    if is_free and reason:
        if attempt.status not in CLAIMED:
            return ended(attempt, "error", reason, snapshot.now)
        outcome = "" if attempt.wish else "error"  # one that is being cancelled is not retried
        wished = changed(
            attempt, wish="cancel", wish_mode="step", wished=snapshot.now, outcome=outcome, explanation=reason
        )
        return Decision("attempt_canceled", attempt, wished, "", reason)
    if reason := _missed(attempt, process, snapshot):
        return ended(attempt, "canceled", reason, snapshot.now, missed=True)
    return _stale(attempt, retry, snapshot)


def _late(attempt: AttemptRecord, snapshot: Snapshot) -> Iterator[Decision]:
    """Fail a job at its deadline; its attempt is cancelled first."""
    job, process = snapshot.jobs.get(attempt.job), snapshot.process(attempt.process)
    if job is None or job.phase != ACTIVE or process is None:
        return
    if reason := too_late(job, process, snapshot.now):
        mode = snapshot.schedule.settings.cancel.default_mode
        if attempt.wish is None:
            stopped = canceled(attempt, snapshot.now, mode, reason)
            yield Decision("attempt_canceled", attempt, stopped, "deadline", reason)
        failed = over(replace(job, deadline_done=True), "failed", reason, snapshot.now)
        yield Decision("job_moved", job, failed, "deadline", reason)


def _missed(attempt: AttemptRecord, process: Process | None, snapshot: Snapshot) -> str:
    """Why the first attempt of a job may no longer start; empty if it may, or has run before."""
    if process is None or process.start_deadline is None or attempt.number > 1:
        return ""
    job = snapshot.jobs.get(attempt.job)
    if job is None or attempt.status not in UNCLAIMED:
        return ""
    if attempt.started is not None and (attempt.ended is None or attempt.ended < attempt.started):
        return ""  # its worker was lost, or handed it back; it was not only found not ready
    return missed(job, process, snapshot.now)


def _timed_out(attempt: AttemptRecord, timeouts: Timeouts, snapshot: Snapshot) -> str:
    """Which timeout an attempt exceeds, with its length; empty if none."""
    now = snapshot.now
    queued = attempt.queued or attempt.created
    if attempt.status in ("pending", "waiting") and _exceeds(now - queued, timeouts.queue):
        return f"timeout.queue: waited longer than {_text(timeouts.queue)}"
    if attempt.status in CLAIMED and attempt.started is not None:
        if _exceeds(now - attempt.started, timeouts.run):
            return f"timeout.run: ran longer than {_text(timeouts.run)}"
        if _exceeds(now - (attempt.beat or attempt.started), timeouts.heartbeat):
            return f"timeout.heartbeat: no progress for {_text(timeouts.heartbeat)}"
    return ""


def _stays(attempt: AttemptRecord, process: Process | None, snapshot: Snapshot) -> str:
    """Why an attempt exceeds the `remind_limit`; empty if it does not."""
    record = snapshot.processes.get(attempt.process)
    if process is None or process.overlap != "remind" or snapshot.is_backfill(attempt):
        return ""
    if attempt.status not in CLAIMED or attempt.started is None or record is None or record.last_fire is None:
        return ""
    has_reminded = record.last_fire > attempt.started
    if has_reminded and _exceeds(snapshot.now - attempt.started, process.remind_limit):
        return f"remind_limit: still running after {_text(process.remind_limit)}"
    return ""


def _given_up(attempt: AttemptRecord, retry: RetryRule, snapshot: Snapshot) -> str:
    """Why an attempt exceeds the `give_up_after` of its job; empty if it does not."""
    if retry.give_up_after is None:
        return ""
    job = snapshot.jobs.get(attempt.job)
    begun = job.first_attempt if job is not None and job.phase == ACTIVE else None
    if begun is None or not _exceeds(snapshot.now - begun, retry.give_up_after):
        return ""
    return f"give_up_after: not finished within {_text(retry.give_up_after)} of the first attempt"


def _stale(attempt: AttemptRecord, retry: RetryRule, snapshot: Snapshot) -> Decision | None:
    """An attempt without a sign of life is taken from its worker, and offered again later, without a failure.

    The heartbeat of a `serve` is a sign of life of what it runs, but not of what it has not claimed yet.
    """
    now = snapshot.now
    if attempt.offer_at is not None:
        if now < attempt.offer_at:
            return None
        offered = changed(attempt, offer_at=None, placed=now, explanation="")
        return Decision("attempt_placed", attempt, offered, "", "stale")
    since = _last_sign(attempt) if attempt.worker and retry.stale_after is not None else None
    if since is None or not _exceeds(now - since, retry.stale_after):
        return None
    worker = snapshot.workers.get(attempt.worker)
    if attempt.status != "waiting" and (worker is None or not worker.is_external):
        return None
    again = now + retry.delay
    reason = f"stale: no sign of life from worker {attempt.worker} since {instant_text(since)}"
    if attempt.wish == "cancel":
        return ended(attempt, attempt.outcome or "canceled", attempt.explanation, now)
    begun = attempt.started if attempt.status == "running" else None
    fields = {"status": "waiting", "worker": "", "offer_at": again, "explanation": reason}
    taken = requeued(attempt, now, begun, **fields)
    return Decision("attempt_placed", attempt, taken, "", f"{reason}; offered again at {instant_text(again)}")


def _last_sign(attempt: AttemptRecord) -> datetime | None:
    signs = [at for at in (attempt.placed, attempt.started, attempt.beat) if at is not None]
    return max(signs, default=None)


def _is_overdue(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    """Whether a worker has had enough time to carry out a cancel, but has not reported the end.

    A drain kills nothing, so only `timeout` limits it. A `serve` kills after `kill_after`, and then reports.
    """
    if attempt.wish_mode == "drain":
        return False
    worker = snapshot.workers.get(attempt.worker)
    kill_after = snapshot.schedule.settings.cancel.kill_after
    allowed = kill_after if worker is not None and worker.is_external else 2 * kill_after
    return attempt.wished is not None and snapshot.now - attempt.wished > allowed


def _missing(attempt: AttemptRecord, lost: set[str], snapshot: Snapshot) -> list[str]:
    """The workers of an attempt's further nodes that are lost or no longer registered."""
    names = {node.worker for node in attempt.nodes if node.is_held}
    return [name for name in names if name in lost or name not in snapshot.workers]


def _is_unknown(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    return bool(attempt.worker) and attempt.worker not in snapshot.workers


def _exceeds(duration: timedelta, limit: timedelta | None) -> bool:
    return limit is not None and duration > limit


def _text(limit: timedelta | None) -> str:
    return duration_text(limit) if limit is not None else "never"
