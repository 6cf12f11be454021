"""WorkerHeartbeat: renews the heartbeat of a `serve`; count_tick: counts heartbeats for `scoopi tick`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from scoopi.errors import RecordError, StoreError
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import STATE_FORMAT, SchedulerRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.decisions import changed
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.schedule_store import ScheduleStore
from scoopi.store.store_outage import StoreOutage

_LEASE_SHARE = 0.9


class WorkerHeartbeat:
    """Renews the heartbeat of a worker, and increments the shared counter of heartbeats.

    No clocks are compared: a process that has not seen the counter change for the length of a beat
    increments it, and each worker writes the number that it reads into its record.

    A deployment may change the settings at any time. All processes count heartbeats with the settings of the
    current project. A worker's record has the settings that its leases are computed with, so that other
    processes do not take a lease to be over while attempts still run under it.

    Args:
        store: the records.
        worker: the worker's name; None if this process runs no attempts.
        schedule: returns the definitions of a deployed project by its digest.
        incarnation: id of the worker's process.
    Attributes:
        bundle: digest of the project that was current at the last heartbeat.
        lease_s: the length, in seconds, of the lease that began at the last heartbeat; 0 before the first.
        is_asked: at the last heartbeat, another process had requested a pass, and none was running.
    """

    def __init__(
        self,
        store: ScheduleStore,
        worker: str | None,
        schedule: Callable[[str], Schedule],
        incarnation: str = "",
    ) -> None:
        self._store = store
        self._worker, self._incarnation = worker, incarnation
        self._schedule = schedule
        self._liveness, self._granted = Liveness(), Liveness(gap=0)
        self.bundle = ""
        self.lease_s = 0.0
        self.is_asked = False
        self._seen = -1
        self._seen_at = self._next = time.monotonic()
        self._renewed = float("-inf")
        self._outage = StoreOutage("the heartbeat could not be renewed", "the heartbeat is renewed again")

    def wait_s(self) -> float:
        """Return the seconds until the next beat."""
        return max(0.0, self._next - time.monotonic())

    def lease_ends_at(self) -> float:
        """Return until when this worker's attempts may run, in seconds of the machine's monotonic clock.

        The lease counts from just before the last successful renewal was sent, however long the store took
        to answer, and ends a little before another worker may start the attempts.
        """
        return self._renewed + _LEASE_SHARE * self.lease_s

    def is_live(self) -> bool:
        """Whether the last heartbeat is so recent that no other worker can have taken this one's attempts."""
        return time.monotonic() - self._renewed < self.lease_s

    def beat(self) -> bool:
        """Renew the heartbeat, if it is due.

        Returns:
            Whether the heartbeat was renewed by this call.
        Raises:
            RecordError: a newer Scoopi has changed the records since.
            FencedError: another process has taken the worker's name, because this one was considered dead.
        """
        if self.wait_s() > 0:
            return False
        began = time.monotonic()
        self._plan_next(began)
        try:
            self._count()
            if self._worker is not None:
                # Until the attempts have received a shorter lease, they run under the former one.
                own = max(self._liveness, self._granted, key=lambda each: each.lease)
                WorkerRegistry(self._store).beat(self._worker, self._incarnation, own)
        except RecordError:
            raise
        except StoreError as error:
            self._outage.failed(error)
            return False
        self._outage.over()
        self._renewed, self._granted = began, self._liveness
        self.lease_s = self._granted.lease.total_seconds()
        self._plan_next(began)
        return True

    def _plan_next(self, began: float) -> None:
        self._next = began + self._liveness.beat.total_seconds() / 2

    def _count(self) -> None:
        shared = self._store.scheduler()
        if shared.state_format > STATE_FORMAT:
            what = f"a newer Scoopi has changed the records to format {shared.state_format}"
            raise RecordError(what, hint="upgrade this Scoopi, and start it again")
        self._liveness, self.bundle = self._schedule(shared.bundle).settings.liveness, shared.bundle
        self.is_asked = shared.is_requested and not shared.holder
        number, now = shared.beat, time.monotonic()
        if number != self._seen:
            self._seen, self._seen_at = number, now
        elif now - self._seen_at >= self._liveness.beat.total_seconds():
            self._store.change_scheduler(self._counted)
            # after the write, which may take long: the next beat must not come early
            self._seen, self._seen_at = number + 1, time.monotonic()

    def _counted(self, record: SchedulerRecord) -> SchedulerRecord | None:
        is_same = record.beat == self._seen and record.bundle == self.bundle
        return changed(record, beat=record.beat + 1) if is_same else None


def count_tick(store: ScheduleStore, liveness: Liveness, now: datetime) -> None:
    """Increment the shared counter of heartbeats, if it has not changed for the length of a beat.

    A tick compares its own time with that of the tick before, which is stored with the counter. If its time
    is the earlier one, because a clock was set back, it is stored, and nothing is incremented.
    """

    def counted(record: SchedulerRecord) -> SchedulerRecord | None:
        is_seen = record.beat_at is not None and record.beat == record.beat_seen
        if not is_seen or record.beat_at is None or now < record.beat_at:
            return changed(record, beat_at=now, beat_seen=record.beat)
        if now - record.beat_at < liveness.beat:
            return None
        return changed(record, beat=record.beat + 1, beat_at=now, beat_seen=record.beat + 1)

    store.change_scheduler(counted)
