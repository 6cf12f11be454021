"""Placement: which worker runs an attempt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from scoopi.model.schedule.schedule_records import LIVE, AttemptRecord, WorkerRecord
from scoopi.periods.slot import instant_text
from scoopi.scheduler.decisions import Decision, changed
from scoopi.scheduler.gates import ClosedGate
from scoopi.scheduler.snapshot import Snapshot

EXTERNAL = "external"
"""The kind of executables that only registered workers run."""


def placements(snapshot: Snapshot) -> Iterator[Decision]:
    """Step 5: attempts without a worker, the oldest first, get the worker with the most room.

    An `external` attempt waits for whichever registered worker claims it.
    """
    room = Room(snapshot)
    started = 0
    for attempt in _unplaced(snapshot):
        if started >= snapshot.schedule.settings.start_limit:
            return
        if _is_external(attempt, snapshot):
            if attempt.status == "pending":
                started += 1
                yield _placed(attempt, "", snapshot.now)
        elif (worker := room.take()) is not None:
            started += 1
            yield _placed(attempt, worker.worker, snapshot.now)


def waits_for_place(attempt: AttemptRecord, snapshot: Snapshot) -> ClosedGate | None:
    """Why an attempt has no worker; None if it has one, or needs none."""
    if _is_asked_later(attempt, snapshot):
        until = _asked_at(attempt, snapshot)
        reason = f"it was not ready{f': {why}' if (why := attempt.explanation) else ''}"
        return ClosedGate("prepare", "wait", f"{reason}; asked again at {instant_text(until)}", until)
    if attempt.worker or _is_external(attempt, snapshot):
        return None
    workers = Room(snapshot)
    if not workers.alive:
        return ClosedGate("worker", "wait", "no live worker in group default")
    if workers.take() is None:
        return ClosedGate(
            "capacity", "wait", f"{workers.used:g} of {workers.capacity:g} slots of group default are in use"
        )
    return None


class Room:
    """The room of each live worker, after the attempts that it has."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.alive: list[WorkerRecord] = [
            worker
            for worker in snapshot.workers.values()
            if worker.state == "running" and not worker.is_external and not snapshot.is_lost(worker)
        ]
        self._left = {worker.worker: worker.capacity for worker in self.alive}
        self.capacity = sum(self._left.values())
        for attempt in snapshot.attempts:
            if attempt.phase == LIVE and attempt.worker in self._left:
                self._left[attempt.worker] -= 1
        self.used = self.capacity - sum(self._left.values())

    def take(self) -> WorkerRecord | None:
        """The worker with the most room (of equal ones the first by name), which has one place less now.

        Returns:
            None if no worker has room.
        """
        most = min(self.alive, key=lambda worker: (-self._left[worker.worker], worker.worker), default=None)
        if most is None or self._left[most.worker] < 1:
            return None
        self._left[most.worker] -= 1
        return most


def _unplaced(snapshot: Snapshot) -> list[AttemptRecord]:
    waiting = (
        attempt
        for attempt in snapshot.attempts
        if attempt.phase == LIVE
        and attempt.status in ("pending", "waiting")
        and not attempt.worker
        and not _is_asked_later(attempt, snapshot)
    )
    turns = snapshot.turns
    return sorted(
        waiting,
        # Backfills come last, so that a long one does not hold up the schedule.
        key=lambda each: (snapshot.is_backfill(each), each.created, turns.get(each.job, 0)),
    )


def _is_asked_later(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    """Whether an attempt was released as not ready, just now."""
    return attempt.ended is not None and snapshot.now < _asked_at(attempt, snapshot)


def _asked_at(attempt: AttemptRecord, snapshot: Snapshot) -> datetime:
    return (attempt.ended or attempt.created) + snapshot.schedule.settings.every


def _is_external(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    process = snapshot.process(attempt.process)
    return process is not None and process.executes.kind == EXTERNAL


def _placed(attempt: AttemptRecord, worker: str, now: datetime) -> Decision:
    placed = changed(attempt, status="waiting", worker=worker, placed=now)
    return Decision("attempt_placed", attempt, placed, "", f"on worker {worker}" if worker else "")
