"""retrying: decides what happens to a job when its attempt has ended."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any

import msgspec

from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.process import Process, RetryRule
from scoopi.model.schedule.schedule_records import (
    ENDED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
)
from scoopi.periods.slot import moment_text
from scoopi.scheduler.decisions import changed, moved
from scoopi.scheduler.planning.evaluations import next_evaluation

_ENDS: dict[str, SlotState] = {"succeeded": "processed", "noop": "noop", "canceled": "skipped"}


def fraction(text: str) -> float:
    """Return a number from 0 up to 1 that depends only on a text, so that a jitter can be predicted."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest()) / 2**48


def retry_delay(retry: RetryRule, failures: int, attempt: str) -> timedelta:
    """Return how long after the end of an attempt the next one is due.

    Args:
        failures: how many attempts have failed, at least one.
        attempt: the id of the failed attempt, which the jitter is derived from.
    """
    seconds, longest = retry.delay.total_seconds(), retry.max_delay.total_seconds()
    for _ in range(1, failures if retry.backoff > 1 else 1):
        if not 0 < seconds < longest:  # a power of the backoff may exceed the range of a float
            break
        seconds *= retry.backoff
    return timedelta(seconds=min(seconds, longest) * (1 + retry.jitter * fraction(attempt)))


def after_attempt(
    job: JobRecord,
    attempt: AttemptRecord,
    process: Process | None,
    now: datetime,
    record: ProcessRecord | None = None,
) -> JobRecord:
    """Return the job after the end of its last attempt: over, waiting for a retry, or on hold.

    A job of a `continuous` or `recomputing` process waits for its next evaluation while its period runs.

    Args:
        process: the definition of its process; None if it was removed, after which nothing is retried.
        record: the record of the process; needed only if its jobs are evaluated repeatedly.
    """
    job = msgspec.structs.replace(job, settled=attempt.number)
    end = _ENDS.get(attempt.status)
    if end in ("processed", "noop") and job.state == "in_progress" and _repeats(process):
        assert process is not None
        assert record is not None
        next_at = next_evaluation(process, record, attempt.ended or now)
        return changed(job, failures=0, next_at=next_at, changed=now, reason="")
    if end is not None:
        job = msgspec.structs.replace(job, cancelled=attempt.status == "canceled")
        return over(job, end, attempt.explanation, now, missed=attempt.missed)
    failures = job.failures + 1
    retry = process.retry if process is not None else RetryRule()
    ended = min(attempt.ended or now, now)  # a worker's clock that is ahead delays no retry
    due = ended + retry_delay(retry, failures, attempt.attempt)
    if attempt.status in retry.when and failures <= retry.max and not _gives_up(job, retry, due):
        reason = f"attempt {attempt.number} of {job.attempts - failures + retry.max + 1} {_failed(attempt)}"
        return changed(job, failures=failures, retry_at=due, changed=now, reason=reason)
    reason = f"attempt {attempt.number} {_failed(attempt)}"
    if retry.on_exhausted == "hold":
        return changed(job, failures=failures, retry_at=None, held=True, changed=now, reason=reason)
    return over(
        changed(job, failures=failures), "skipped" if retry.on_exhausted == "skip" else "failed", reason, now
    )


def over(job: JobRecord, state: SlotState, reason: str, now: datetime, *, missed: bool = False) -> JobRecord:
    """Return the job in a final state, ended by a pass.

    Args:
        state: the final state.
        missed: whether the job is skipped because it did not start in time.
    """
    return ended_by("", job, state, reason, now, missed=missed)


def ended_by(
    by: str, job: JobRecord, state: SlotState, reason: str, now: datetime, *, missed: bool = False
) -> JobRecord:
    """Return the job in a final state, ended by the user `by`, or by a pass if that is empty; see `over`."""
    fields: dict[str, Any] = {
        "state": state,
        "phase": ENDED,
        "retry_at": None,
        "held": False,
        "missed": missed,
    }
    return moved(job, now, by, reason=reason, awaits="", **fields)


def waits_for_retry(job: JobRecord, now: datetime) -> str:
    """Return why a job waits after a failure; empty if it does not."""
    if job.held:
        return f"on hold: {job.reason}"
    if job.retry_at is not None and now < job.retry_at:
        return f"waits for its retry at {moment_text(job.retry_at)}; {job.reason}"
    return ""


def _repeats(process: Process | None) -> bool:
    return process is not None and process.machine != "discrete"


def _gives_up(job: JobRecord, retry: RetryRule, due: datetime) -> bool:
    begun = job.first_attempt
    return retry.give_up_after is not None and begun is not None and due > begun + retry.give_up_after


def _failed(attempt: AttemptRecord) -> str:
    verb = "failed" if attempt.status == "failed" else "ended in an error"
    return f"{verb}: {attempt.explanation}" if attempt.explanation else verb
