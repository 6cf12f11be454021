"""holders: describes what keeps a gate closed: the attempts and jobs that are awaited, and since when."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime

from scoopi.model.schedule.schedule_records import CLAIMED, FINISHED, AttemptRecord, JobRecord, WorkerRecord
from scoopi.periods.slot import moment_text
from scoopi.scheduler.snapshot import Snapshot

MOST_SHOWN = 3
"""The most holders that a sentence names; the others are counted."""


def since_text(at: datetime | None) -> str:
    """Return ` since TIME`; empty if the time is not known."""
    return "" if at is None else f" since {moment_text(at)}"


def quoted(name: str) -> str:
    """Return an id quoted for the shell, to which `!` and `#` are special."""
    return shlex.quote(name)


def listed(texts: Sequence[str]) -> str:
    """Return texts as a part of a sentence.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    if len(texts) > MOST_SHOWN:
        return f"{', '.join(texts[:MOST_SHOWN])} and {len(texts) - MOST_SHOWN} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def state_since(job: JobRecord) -> datetime:
    """Return when a job got its current state; if its changes do not show that, when it last changed."""
    since = job.created
    state = "embryo"
    for change in job.changes:
        if change.state != state:
            state, since = change.state, change.at
    return since if state == job.state else job.changed


def attempt_since(attempt: AttemptRecord) -> datetime:
    """Return when an attempt got its status, as far as its record shows that."""
    if attempt.status == "canceling" and attempt.wish_seen is not None:
        return attempt.wish_seen
    if attempt.status == "paused" and attempt.paused is not None:
        return attempt.paused
    if attempt.status in CLAIMED:
        return attempt.started or attempt.created
    if attempt.status == "waiting":
        return attempt.placed or attempt.created
    return attempt.ended or attempt.created


def attempt_text(attempt: AttemptRecord, snapshot: Snapshot, name: str = "") -> str:
    """Return a clause on the status of an attempt, since when, and on which worker.

    Args:
        name: what to call the attempt; empty for its id.
    """
    on = f" on worker {attempt.worker}{missed_beats(attempt, snapshot)}" if attempt.worker else ""
    return f"{name or attempt.attempt} has been {attempt.status}{since_text(attempt_since(attempt))}{on}"


def missed_beats(attempt: AttemptRecord, snapshot: Snapshot) -> str:
    """Return a clause on the heartbeats that an attempt's worker has missed, or its end; empty for none."""
    worker = snapshot.workers.get(attempt.worker)
    if worker is None:
        return ", which is not registered"
    if worker.worker in snapshot.dead:
        return ", whose serve has ended without handing it back"
    most = snapshot.schedule.settings.liveness.most_missed(worker.liveness)
    missed = 0 if worker.beat is None else snapshot.beat - worker.beat
    if worker.state == "lost" or missed > most:
        return (
            ", which is lost" if worker.since is None else f", which was lost at {moment_text(worker.since)}"
        )
    # The counter grows before the worker can read it, so a difference of one is normal.
    return f", which has missed {missed} heartbeats of {most}" if missed > 1 else ""


SIGNED_OFF = ("stopped", "removed")
"""The conditions of workers that run nothing, and that nothing waits for."""


def condition(worker: WorkerRecord) -> str:
    """Return the state of a worker; instead of `lost`, `stopped` if it signed off, or `removed` by hand."""
    left = "removed" if worker.is_external else "stopped"
    return left if worker.state == "lost" and worker.beat is None else worker.state


def job_text(name: str, snapshot: Snapshot) -> str:
    """Return a clause on the state of a job, since when, and why; the job may have been removed."""
    process, _, slot = name.partition("/")
    state, job = snapshot.state_of(process, slot), snapshot.jobs.get(name)
    if state is None:
        return f"{name}, which does not exist yet"
    if job is None:
        return f"{name}, which was {state} and removed"
    since, why = state_since(job), f": {job.reason}" if job.reason else ""
    if job.held:
        return f"{name}, which has been on hold{since_text(job.changed)}{why}"
    if job.retry_at is not None:
        return f"{name}, which waits for its retry at {moment_text(job.retry_at)}{why}"
    if state not in FINISHED:
        return f"{name}, which has been {state}{since_text(since)}"
    was = "was " if state in ("skipped", "processed") else "was a " if state == "noop" else ""
    return f"{name}, which {was}{state} at {moment_text(since)}{why}"


def gone_text(workers: Sequence[WorkerRecord]) -> str:
    """Return a clause on workers that are gone: their conditions, and since when; empty without any."""
    texts = [f"{each.worker} has been {condition(each)}{since_text(each.since)}" for each in workers]
    return f" ({listed(texts)})" if texts else ""
