"""WorkerRegistry: the records of workers: registers workers, changes them and writes their heartbeats."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scoopi.errors import FencedError, UsageError
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.scheduler.decisions import changed
from scoopi.store.schedule.schedule_store import ScheduleStore


class WorkerRegistry:
    """Registers workers, changes them and writes their heartbeats; most methods return the new record."""

    def __init__(self, store: ScheduleStore) -> None:
        self._store = store

    def put(
        self, name: str, groups: tuple[str, ...], capacity: float, *, is_external: bool, incarnation: str = ""
    ) -> WorkerRecord:
        """Register a worker, or replace its record.

        Args:
            capacity: the most attempts at a time.
            is_external: whether the worker is not a `serve`, so that its heartbeats may be missing.
            incarnation: id of the worker's process; empty for a worker that is not a `serve`.
        """
        beat = None if is_external else self._store.scheduler().beat

        def registered(old: WorkerRecord | None) -> WorkerRecord:
            return WorkerRecord(
                worker=name,
                incarnation=incarnation,
                groups=groups,
                capacity=float(capacity),
                is_external=is_external,
                beat=beat if old is None or not is_external else old.beat,
                version=old.version + 1 if old is not None else 0,
            )

        record = self._store.update(WorkerRecord, name, registered)
        assert record is not None
        return record

    def register(self, worker: WorkerRecord) -> bool:
        """Register the worker of a `serve`, unless one with another state folder is live under its name.

        Args:
            worker: the record to write; its version and its heartbeat are set here.
        Returns:
            Whether the worker was registered.
        """
        beat = self._store.scheduler().beat

        def registered(old: WorkerRecord | None) -> WorkerRecord | None:
            is_free = old is None or old.is_external or old.state == "lost"
            if old is not None and not is_free and old.home not in ("", worker.home):
                return None
            return replace(worker, beat=beat, version=old.version + 1 if old is not None else 0)

        return self._store.update(WorkerRecord, worker.worker, registered) is not None

    def change(self, name: str, incarnation: str = "", **fields: Any) -> WorkerRecord:
        """Change fields of a worker.

        Args:
            incarnation: id of the worker's process, which may change only its own record; empty for any.
        Raises:
            UsageError: the worker is not registered.
            FencedError: another process has the worker's name.
        """

        def written(old: WorkerRecord | None) -> WorkerRecord | None:
            _ensure_own(old, incarnation)
            return changed(old, **fields) if old else None

        return known_worker(name, self._store.update(WorkerRecord, name, written))

    def beat(self, name: str, incarnation: str = "", liveness: Liveness | None = None) -> WorkerRecord:
        """Write the current heartbeat number; a lost worker becomes live again.

        Args:
            incarnation: as for `change`.
            liveness: the settings that the leases of the worker's attempts are computed with.
        Raises:
            UsageError, FencedError: as for `change`; FencedError also if the record was removed meanwhile.
        """
        number = self._store.scheduler().beat

        def beaten(old: WorkerRecord | None) -> WorkerRecord | None:
            if old is None:
                return None
            _ensure_own(old, incarnation)
            again = {"state": "running", "since": None} if old.state == "lost" else {}
            return changed(old, beat=number, liveness=liveness, **again)

        record = self._store.update(WorkerRecord, name, beaten)
        if record is None and incarnation:
            what = f"worker {name} was lost for so long that its record was removed"
            raise FencedError(what, hint="start this serve again")
        return known_worker(name, record)


def known_worker(name: str, record: WorkerRecord | None) -> WorkerRecord:
    """Return the record that was found for a worker's name.

    Raises:
        UsageError: there is none.
    """
    if record is None:
        raise UsageError(f"unknown worker {name}", hint=f"scoopi worker put {name} registers it")
    return record


def _ensure_own(worker: WorkerRecord | None, incarnation: str) -> None:
    if worker is not None and incarnation and worker.incarnation != incarnation:
        what = f"worker {worker.worker} belongs to another serve, which began while this one was lost"
        raise FencedError(what, hint="start this one with another --name")
