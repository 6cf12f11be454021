"""WorkerService: registers, drains and removes workers as users request it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.process import DEFAULT_GROUPS
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.explaining.holders import condition
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.schedule_store import ScheduleStore


class WorkerService:
    """Registers, drains and removes workers as users request it.

    The worker of a live `serve` keeps its name: only a worker that nothing runs for any longer can become
    another one, or lose its attempts.

    Args:
        store: the records.
        now: the time of this command.
    """

    def __init__(self, store: ScheduleStore, now: datetime) -> None:
        self._store, self._registry = store, WorkerRegistry(store)
        self._now = now

    def put(self, name: str, groups: tuple[str, ...] | None, capacity: float | None) -> WorkerRecord:
        """Register a worker outside of Scoopi, or change any; one that drains takes attempts again.

        Args:
            groups, capacity: None for those that it has; of a new worker, for `default` and 1.
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
        """Give a worker no more attempts; it may still be lost by its heartbeat.

        Raises:
            UsageError: the worker is not registered.
        """
        return self._registry.change(name, state="draining", since=self._now)

    def remove(self, name: str) -> WorkerRecord:
        """Remove a worker; the next pass offers its attempts again.

        Raises:
            UsageError: the worker is not registered.
            StateRefusedError: a `serve` may keep it alive, and run its attempts.
        """

        def removed(old: WorkerRecord | None) -> WorkerRecord | None:
            if old is not None and _is_served(old):
                what = f"worker {name} is {old.state}, and belongs to a serve that may be alive"
                hint = (
                    "stop that serve, which hands its attempts back; one without heartbeats is lost by itself"
                )
                raise StateRefusedError(what, hint=hint)
            return changed(old, state="lost", beat=None, since=self._now) if old else None

        record = self._store.update(WorkerRecord, name, removed)
        if record is None:
            raise UsageError(f"unknown worker {name}", hint=f"scoopi worker put {name} registers it")
        return record


def _is_served(worker: WorkerRecord) -> bool:
    return not worker.is_external and worker.state != "lost"
