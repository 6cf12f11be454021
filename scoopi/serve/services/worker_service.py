"""WorkerService: registers, drains and removes workers as users request it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scoopi.errors import StateRefusedError
from scoopi.model.schedule.process import DEFAULT_GROUPS
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.explaining.holders import SIGNED_OFF, condition
from scoopi.serve.workers.worker_registry import WorkerRegistry, known_worker
from scoopi.store.schedule.schedule_store import ScheduleStore


class WorkerService:
    """Registers, drains and removes workers as users request it.

    The worker of a `serve` that may be alive is neither replaced nor removed: `put` changes only its groups
    and its capacity, and `remove` is refused. Each method returns the new record.

    Args:
        store: the records.
        now: the time of this command.
    """

    def __init__(self, store: ScheduleStore, now: datetime) -> None:
        self._store, self._registry = store, WorkerRegistry(store)
        self._now = now

    def put(self, name: str, groups: tuple[str, ...] | None, capacity: float | None) -> WorkerRecord:
        """Register a worker outside of Scoopi, or change any worker; a draining one gets attempts again.

        Args:
            name: the name of the worker.
            groups: None keeps the groups of a registered worker; a new one gets the group `default`.
            capacity: the most attempts at a time; None keeps that of a registered worker; a new one gets 1.
        """
        given: dict[str, Any] = {} if groups is None else {"groups": groups}
        if capacity is not None:
            given["capacity"] = capacity

        def as_it_was(old: WorkerRecord | None) -> WorkerRecord | None:
            if old is None or not (_is_served(old) or (old.is_external and condition(old) != "removed")):
                return None
            return changed(old, **given, state="running", since=None)

        record = self._store.update(WorkerRecord, name, as_it_was)
        if record is not None:
            return record
        groups = DEFAULT_GROUPS if groups is None else groups
        return self._registry.put(name, groups, 1.0 if capacity is None else capacity, is_external=True)

    def drain(self, name: str) -> WorkerRecord:
        """Place no more attempts on a worker; without heartbeats, it is still found to be lost.

        Raises:
            UsageError: the worker is not registered.
            StateRefusedError: the worker has signed off, or was removed.
        """

        def draining(old: WorkerRecord | None) -> WorkerRecord | None:
            if old is not None and condition(old) in SIGNED_OFF:
                hint = "only a worker that may come back can be drained; scoopi worker list shows all"
                raise StateRefusedError(f"worker {name} is {condition(old)}", hint=hint)
            return changed(old, state="draining", since=self._now) if old else None

        return known_worker(name, self._store.update(WorkerRecord, name, draining))

    def remove(self, name: str) -> WorkerRecord:
        """Remove a worker; the next pass offers its attempts again.

        Raises:
            UsageError: the worker is not registered.
            StateRefusedError: the worker is that of a `serve`, which may still run its attempts; or it has
                signed off, or was removed.
        """

        def removed(old: WorkerRecord | None) -> WorkerRecord | None:
            if old is not None and _is_served(old):
                what = f"worker {name} is {old.state}, and belongs to a serve that may be alive"
                hint = (
                    "stop that serve, which hands its attempts back; one without heartbeats is lost by itself"
                )
                raise StateRefusedError(what, hint=hint)
            if old is not None and condition(old) in SIGNED_OFF:
                hint = "it runs nothing; scoopi gc removes its record"
                raise StateRefusedError(f"worker {name} is {condition(old)}", hint=hint)
            return changed(old, state="lost", beat=None, since=self._now) if old else None

        return known_worker(name, self._store.update(WorkerRecord, name, removed))


def _is_served(worker: WorkerRecord) -> bool:
    return not worker.is_external and worker.state != "lost"
