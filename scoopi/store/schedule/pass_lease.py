"""PassLease: the right to run a pass of the scheduler, which one process has at a time."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import SchedulerRecord, WorkerRecord
from scoopi.store.schedule.schedule_store import ScheduleStore

LEASE = timedelta(seconds=30)
"""The length of a lease. Once it is over, the holder is taken to be dead, and another process may begin."""


class PassLease:
    """The right to run a pass of the scheduler, which one process has at a time. Belongs to one thread.

    The right only saves work: passes at the same time do no harm, since their writes are conditional. So
    another process takes it as soon as the holder is likely to be dead: its worker is lost, the worker's name
    belongs to another process, or the lease is over.

    Args:
        store: has the record of the right, and those of workers.
        liveness: returns the settings by which missed heartbeats are counted.
    """

    def __init__(self, store: ScheduleStore, liveness: Callable[[], Liveness]) -> None:
        self._store = store
        self._liveness = liveness
        self._holder, self._worker = uuid.uuid4().hex, ""

    def hold_as(self, worker: str, incarnation: str) -> None:
        """From now on, hold the right as this worker, whose heartbeats show that the process is alive."""
        self._holder, self._worker = incarnation, worker

    def take(self, now: datetime) -> bool:
        """Take the right; if another process has it, ask that process for another pass.

        A process that still has the right, because a store error interrupted its last pass, takes it again.

        Args:
            now: the current time, from which the lease counts.
        Returns:
            Whether this process has the right.
        """

        def take(record: SchedulerRecord) -> SchedulerRecord | None:
            if record.holder in ("", self._holder) or self._is_over(record, now) or self._is_dead(record):
                holds = {"holder": self._holder, "worker": self._worker, "until": now + LEASE}
                return _changed(record, **holds, is_requested=False)
            return None if record.is_requested else _changed(record, is_requested=True)

        written = self._store.change_scheduler(take)
        return written is not None and written.holder == self._holder

    def renew(self, until: datetime) -> bool:
        """Prolong the lease until that time; return False if another process has taken the right."""

        def renewed(record: SchedulerRecord) -> SchedulerRecord | None:
            return _changed(record, until=until) if record.holder == self._holder else None

        return self._store.change_scheduler(renewed) is not None

    def release(self, *, is_unfinished: bool, must_end: bool) -> SchedulerRecord | None:
        """Give the right back, unless this process has to run another pass.

        Args:
            is_unfinished: whether the pass has left something to decide, so that another one is needed.
            must_end: whether to give the right back in any case; the next process that takes it continues.
        Returns:
            The new record: if it has a holder, this process has to run another pass. None if another process
            had taken the right.
        """

        def released(record: SchedulerRecord) -> SchedulerRecord | None:
            if record.holder != self._holder:
                return None
            is_requested = record.is_requested or is_unfinished
            if is_requested and not must_end:
                return _changed(record, is_requested=False)
            return _changed(record, holder="", worker="", until=None, is_requested=is_requested)

        return self._store.change_scheduler(released)

    def _is_over(self, record: SchedulerRecord, now: datetime) -> bool:
        until = record.until
        # Not before `until - LEASE` either: a clock that was set back must not prolong the lease.
        return until is None or not until - LEASE <= now <= until

    def _is_dead(self, record: SchedulerRecord) -> bool:
        """Whether the holder's worker is lost, or another process has the worker's name."""
        if not record.worker:
            return False
        worker = self._store.get(WorkerRecord, [record.worker]).get(record.worker)
        if worker is None or worker.incarnation != record.holder or worker.state == "lost":
            return True
        most = self._liveness().most_missed(worker.liveness)
        return worker.beat is not None and record.beat - worker.beat > most


def _changed(record: SchedulerRecord, **fields: Any) -> SchedulerRecord:
    return replace(record, **fields, version=record.version + 1)
