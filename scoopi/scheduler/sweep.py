"""sweep: offers attempts of lost workers again, and ends those that take too long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from scoopi.model.schedule.process import RetryRule
from scoopi.model.schedule.schedule_records import CLAIMED, LIVE, UNCLAIMED, AttemptRecord
from scoopi.periods.slot import moment_text
from scoopi.scheduler.decisions import Decision, canceled, changed, ended, requeued
from scoopi.scheduler.placing.run_nodes import freed
from scoopi.scheduler.planning.attempt_limits import AttemptLimits
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.retrying import over
from scoopi.scheduler.snapshot import Snapshot


def swept(snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Step 1 of a pass: handle lost workers, timeouts, deadlines, and cancels that no worker carries out."""
    lost = {worker.worker for worker in snapshot.workers.values() if snapshot.is_lost(worker)}
    for worker in snapshot.workers.values():
        if worker.worker in lost and worker.state != "lost":
            yield Decision("worker_lost", worker, changed(worker, state="lost", since=snapshot.now))
    limits: dict[str, AttemptLimits] = {}
    for attempt in snapshot.attempts:
        if attempt.phase != LIVE:
            continue
        name = attempt.process
        own = limits.get(name) or limits.setdefault(name, AttemptLimits(snapshot.process(name)))
        if not _just_waits(attempt, own, snapshot):
            yield from faults.decided(name, attempt.attempt, _sweep, attempt, own, lost, snapshot)


def _just_waits(attempt: AttemptRecord, limits: AttemptLimits, snapshot: Snapshot) -> bool:
    """Whether the sweep has nothing to decide on an attempt: no worker has it, and it exceeds no limit.

    This is a shortcut for most attempts of a long queue, all of which a pass checks repeatedly.
    """
    if attempt.worker or attempt.wish is not None or attempt.offer_at is not None or attempt.nodes:
        return False
    try:
        return attempt.status in UNCLAIMED and not limits.exceeded(attempt, snapshot)
    except Exception:  # it occurs again in `_sweep`, where it is noted as a fault
        return False


def _sweep(
    attempt: AttemptRecord, limits: AttemptLimits, lost: set[str], snapshot: Snapshot
) -> Iterator[Decision]:
    decision = _swept(attempt, limits, attempt.worker in lost or _is_unknown(attempt, snapshot), snapshot)
    if decision is not None:
        yield decision
    elif (left := freed(attempt, _missing(attempt, lost, snapshot))) is not None:
        yield Decision("attempt_placed", attempt, left, "worker", "a worker of its nodes is lost")
    else:
        yield from _late(attempt, limits, snapshot)


def _swept(
    attempt: AttemptRecord, limits: AttemptLimits, is_lost: bool, snapshot: Snapshot
) -> Decision | None:
    if attempt.wish == "cancel" and (is_lost or _is_overdue(attempt, snapshot)):
        return ended(attempt, attempt.outcome or "canceled", attempt.explanation, snapshot.now)
    if is_lost and attempt.status in ("running", "waiting"):
        begun = attempt.started if attempt.status == "running" else None
        fields = {"status": "waiting", "worker": "", "placed": snapshot.now}
        again = requeued(attempt, snapshot.now, begun, **fields)
        return Decision("attempt_placed", attempt, again, "worker", f"worker {attempt.worker} is lost")
    is_free = attempt.wish is None or attempt.wish_mode == "drain"
    if is_free and (reason := limits.exceeded(attempt, snapshot, "error")):
        if attempt.status not in CLAIMED:
            return ended(attempt, "error", reason, snapshot.now)
        outcome = "" if attempt.wish else "error"  # an attempt that is being cancelled is not retried
        wished = changed(
            attempt, wish="cancel", wish_mode="step", wished=snapshot.now, outcome=outcome, explanation=reason
        )
        return Decision("attempt_canceled", attempt, wished, "", reason)
    if reason := limits.exceeded(attempt, snapshot, "missed"):
        return ended(attempt, "canceled", reason, snapshot.now, missed=True)
    process = snapshot.process(attempt.process)
    return _stale(attempt, process.retry if process else RetryRule(), snapshot)


def _late(attempt: AttemptRecord, limits: AttemptLimits, snapshot: Snapshot) -> Iterator[Decision]:
    """Fail a job at its deadline; its attempt is cancelled first."""
    job = snapshot.jobs.get(attempt.job)
    if job is not None and (reason := limits.exceeded(attempt, snapshot, "deadline")):
        mode = snapshot.schedule.settings.cancel.default_mode
        if attempt.wish is None:
            stopped = canceled(attempt, snapshot.now, mode, reason)
            yield Decision("attempt_canceled", attempt, stopped, "deadline", reason)
        failed = over(replace(job, deadline_done=True), "failed", reason, snapshot.now)
        yield Decision("job_moved", job, failed, "deadline", reason)


def _stale(attempt: AttemptRecord, retry: RetryRule, snapshot: Snapshot) -> Decision | None:
    """Take an attempt without a sign of life from its worker, and offer it again later.

    That is not a failure. The heartbeat of a `serve` is a sign of life of the attempts that it runs, but not
    of those that it has not claimed yet.
    """
    now = snapshot.now
    if attempt.offer_at is not None:
        if now < attempt.offer_at:
            return None
        offered = changed(attempt, offer_at=None, placed=now, explanation="")
        return Decision("attempt_placed", attempt, offered, "", "stale")
    since = _last_sign(attempt) if attempt.worker else None
    if since is None or retry.stale_after is None or now - since <= retry.stale_after:
        return None
    worker = snapshot.workers.get(attempt.worker)
    if attempt.status != "waiting" and (worker is None or not worker.is_external):
        return None
    again = now + retry.delay
    reason = f"stale: no sign of life from worker {attempt.worker} since {moment_text(since)}"
    if attempt.wish == "cancel":
        return ended(attempt, attempt.outcome or "canceled", attempt.explanation, now)
    begun = attempt.started if attempt.status == "running" else None
    fields = {"status": "waiting", "worker": "", "offer_at": again, "explanation": reason}
    taken = requeued(attempt, now, begun, **fields)
    return Decision("attempt_placed", attempt, taken, "", f"{reason}; offered again at {moment_text(again)}")


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
