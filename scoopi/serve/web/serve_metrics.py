"""The metrics of a `serve`: those of the schedule, which all processes share, and those of its own work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scoopi.metrics.families import Family, by, one
from scoopi.model.schedule.schedule_records import CLAIMED, LIVE
from scoopi.scheduler.explaining.holders import SIGNED_OFF, condition
from scoopi.scheduler.snapshot import Snapshot
from scoopi.serve.passes import Passes
from scoopi.serve.serve_health import ServeHealth
from scoopi.version import __version__


def serve_metrics(health: ServeHealth, passes: Passes) -> Iterator[Family]:
    """Yield the metrics of this process; they need no store."""
    info = Family("scoopi_serve_info", "gauge", "Which worker and version this is.")
    info.add(1, {"worker": health.worker, "version": __version__})
    yield info
    yield one("scoopi_serve_healthy", "gauge", "1 while the process is healthy.", int(not health.fault()))
    yield one("scoopi_serve_ready", "gauge", "1 while the process works.", int(not health.unready()))
    yield one("scoopi_serve_uptime_seconds", "gauge", "Seconds since the start.", health.seconds)
    took = Family("scoopi_pass_seconds", "summary", "How long a pass of this process takes.")
    counts = passes.counts
    took.add(counts.seconds, suffix="_sum")
    took.add(counts.passes, suffix="_count")
    yield took
    yield one("scoopi_pass_writes_total", "counter", "Records written by passes here.", counts.writes)
    faults = Counter(fault.process for fault in passes.faults.found.values())
    text = "Errors of the last pass here: slots, jobs and attempts that it could not plan."
    yield by("scoopi_pass_faults", "gauge", text, "process", faults)
    ended = Family("scoopi_attempts_ended_total", "counter", "Attempts that ended here.")
    for (process, status), count in sorted(health.ended.items()):
        ended.add(count, {"process": process, "status": status})
    yield ended


def schedule_metrics(snapshot: Snapshot) -> Iterator[Family]:
    """Yield the metrics of the records; all processes of a schedule report the same."""
    jobs = Family("scoopi_schedule_jobs", "gauge", "Jobs that are not over.")
    states = Counter((job.process, job.state) for job in snapshot.active)
    for (process, state), count in sorted(states.items()):
        jobs.add(count, {"process": process, "state": state})
    yield jobs
    live = [attempt for attempt in snapshot.attempts if attempt.phase == LIVE]
    attempts = Family("scoopi_schedule_attempts", "gauge", "Attempts that are not over.")
    for (process, status), count in sorted(Counter((each.process, each.status) for each in live).items()):
        attempts.add(count, {"process": process, "status": status})
    yield attempts
    held = Counter(job.process for job in snapshot.active if job.held)
    yield by("scoopi_schedule_held_jobs", "gauge", "Jobs on hold, for a clear by hand.", "process", held)
    text = "Age of the oldest job that is due and has no attempt; 0 if there is none."
    yield one("scoopi_schedule_oldest_due_seconds", "gauge", text, _oldest_due_s(snapshot))
    everyone = snapshot.workers.values()
    alive = [each for each in everyone if each.state != "lost" and not snapshot.is_lost(each)]
    gone = sum(condition(each) in SIGNED_OFF for each in everyone)
    workers: dict[str, float] = {"lost": len(everyone) - len(alive) - gone}
    workers.update(Counter(each.state for each in alive))
    yield by(
        "scoopi_schedule_workers",
        "gauge",
        "Workers, lost ones included, but none that has stopped.",
        "state",
        workers,
    )
    capacity = sum(worker.capacity for worker in alive if worker.state == "running")
    yield one("scoopi_schedule_capacity", "gauge", "Attempts that live workers run at a time.", capacity)
    used = sum(1 for attempt in live if attempt.status in CLAIMED)
    yield one("scoopi_schedule_capacity_used", "gauge", "Attempts that are running.", used)


def _oldest_due_s(snapshot: Snapshot) -> float:
    """The age in seconds of the oldest due job without an attempt, jobs on hold left out; 0 without one."""
    waiting = (
        snapshot.now
        - max(at for at in (job.created, job.due, job.retry_at, job.next_at, job.not_before) if at)
        for job in snapshot.active
        if not job.held and job.job not in snapshot.attempt_of
    )
    return max((age.total_seconds() for age in waiting if age.total_seconds() > 0), default=0.0)
