"""Passes: runs the scheduler's passes, each of which reads a snapshot, decides, and writes the decisions."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from scoopi.errors import BusyRecordError, UnstorableError
from scoopi.model.schedule.schedule_records import AttemptRecord, WorkerRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.applied import applied
from scoopi.scheduler.decisions import HIDDEN, Decision
from scoopi.scheduler.gates import closed_gate
from scoopi.scheduler.placing.placement import stranded
from scoopi.scheduler.placing.run_nodes import assigned_workers
from scoopi.scheduler.planning.plan_faults import PlanFaults, unless_faulty
from scoopi.scheduler.reconcile import reconcile, wanted
from scoopi.scheduler.snapshot import Snapshot
from scoopi.store.schedule.pass_lease import LEASE, PassLease
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
_MOST_ROUNDS = 1000
_READ_SHARE = 4
"""A pass is not ended because of its length before it has taken this many times as long as its snapshot."""
LATEST_S = 1800.0
"""Seconds in which decisions on a snapshot are written; nothing that ended in twice that time is removed."""


@dataclass(slots=True)
class _Length:
    """How long a pass may take, and what is done meanwhile.

    Attributes:
        now: the time of the pass.
        meanwhile: called before each write and between scans.
        most_s: for how many seconds the pass may run.
        longest_read_s: how many seconds its longest snapshot took.
        is_cut: the pass has ended because of its length.
    """

    now: datetime
    meanwhile: Callable[[], object]
    most_s: float
    began: float = field(default_factory=lambda: time.monotonic())
    longest_read_s: float = 0.0
    is_cut: bool = False

    def is_over(self) -> bool:
        """Whether the pass has used its time, `most_s`, or if longer, `_READ_SHARE` times its snapshot's."""
        return time.monotonic() - self.began >= max(self.most_s, _READ_SHARE * self.longest_read_s)

    def was_read(self, seconds: float) -> None:
        """Note how long a snapshot took."""
        self.longest_read_s = max(self.longest_read_s, seconds)


@dataclass(slots=True)
class PassCounts:
    """Totals of this process: its passes, the seconds that they took, and the records that they wrote."""

    passes: int = 0
    seconds: float = 0.0
    writes: int = 0


class FaultLog:
    """Logs what passes of this process cannot plan, each kind of error once per process until it is gone."""

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}

    def note(self, faults: PlanFaults) -> None:
        """Log the faults that the last pass did not have, and the processes that have none any more."""
        kinds: dict[str, set[str]] = {}
        for fault in faults.found.values():
            kind = type(fault.error).__name__
            known = kinds.setdefault(fault.process, set())
            if kind not in known | self._known.get(fault.process, set()):
                what = "%s; all else is planned, and passes try again (scoopi process show %s)"
                log.error(what, fault.text, fault.process, exc_info=fault.error)
            known.add(kind)
        for process in self._known.keys() - kinds.keys():
            log.warning("process %s is planned again without errors", process)
        self._known = kinds


class Passes:
    """Runs passes: reads a snapshot, decides and writes, until no further decision follows.

    Args:
        store: the records.
        schedule: returns the current definitions and their digest; called before each pass.
    Attributes:
        lease: the lease by which only one process runs a pass at a time.
        last: the last snapshot that a pass has decided on; None before the first pass.
        counts: totals of the passes so far.
        faults: what the last pass could not plan.
        is_unfinished: whether the last pass has left something to decide because of its length, or another
            process requested a pass meanwhile; the next pass continues.
    """

    def __init__(self, store: ScheduleStore, schedule: Callable[[], tuple[str, Schedule]]) -> None:
        self._store = store
        self._schedule = schedule
        self.last: Snapshot | None = None
        self.counts = PassCounts()
        self.faults = PlanFaults()
        self.is_unfinished = False
        self._fault_log = FaultLog()
        self.lease = PassLease(store, lambda: schedule()[1].settings.liveness)

    def run(
        self, now: datetime, meanwhile: Callable[[], object] = lambda: None, most_s: float = math.inf
    ) -> list[dict[str, Any]] | None:
        """Run a pass. If another process is running one, have that process run another one after it.

        Args:
            meanwhile: called before each write, as there may be many, and between scans.
            most_s: the pass ends soon after this number of seconds, even if something is left to decide; but
                not before it has taken four times as long as its snapshot, so that it gets ahead.
        Returns:
            The decisions as rows; None if another process runs a pass.
        Raises:
            StoreError: the store does not answer; the next pass continues from what was written.
        """
        if not self.lease.take(now):
            return None
        rows: list[dict[str, Any]] = []
        length = _Length(now, meanwhile, most_s)
        while True:
            rows += self._until_quiet(length)
            left = self.lease.release(is_unfinished=length.is_cut, must_end=length.is_over())
            if left is None or not left.holder:
                self.is_unfinished = left is not None and left.is_requested
                self.counts.passes += 1
                self.counts.seconds += time.monotonic() - length.began
                self._fault_log.note(self.faults)
                return rows

    @property
    def awaits_retry(self) -> bool:
        """Whether, at the last pass, a job waited for its retry only, or an attempt to be offered again."""
        last = self.last
        if last is None or any(each.offer_at is not None for each in last.attempts):
            return last is not None
        retried = (job for job in last.active if job.retry_at and not job.held)
        waiting = (unless_faulty(closed_gate, job, last) for job in retried)
        return any(gate is not None and gate.gate == "error" and gate.until is not None for gate in waiting)

    def stranded(self) -> str:
        """Return a sentence on the first job that no live worker could run at the last pass; else empty."""
        found = [] if self.last is None else [*stranded(self.last)]
        if not found:
            return ""
        attempt, reason = found[0]
        others = f"; {len(found) - 1} more wait for a worker too" if len(found) > 1 else ""
        return f"{attempt.job} is left: {reason}{others}"

    def unplanned(self) -> str:
        """Return a sentence on the processes that the last pass could not plan; empty if there are none."""
        names = sorted({fault.process for fault in self.faults.found.values()})
        return f"not planned: {', '.join(names)}; scoopi process show says why" if names else ""

    def snapshot(self, now: datetime, meanwhile: Callable[[], object] = lambda: None) -> Snapshot:
        """Return the snapshot that a pass at this time would decide on.

        Args:
            meanwhile: called between the scans, each of which may take long.
        """
        bundle, schedule = self._schedule()
        shared = self._store.scheduler()
        attempts = self._store.open_attempts()
        meanwhile()
        processes = self._store.processes()
        meanwhile()
        jobs = self._store.active_jobs()
        meanwhile()
        snapshot = Snapshot(
            now=now,
            schedule=schedule,
            bundle=bundle,
            processes=processes,
            jobs=jobs,
            attempts=attempts,
            workers=self._workers(_holders(attempts)),
            beat=shared.beat,
            deployed=max(shared.former.values(), default=None),
            pass_until=shared.until if shared.holder else None,
        )
        return self._with_wanted(snapshot)

    def _workers(self, names: set[str]) -> Mapping[str, WorkerRecord]:
        """All workers by name; those of `names` that the scan does not find are read by their keys.

        A scan may miss records, and attempts of a worker that does not exist are taken from it.
        """
        found = dict(self._store.workers())
        if missing := sorted(names - found.keys()):
            found |= self._store.get(WorkerRecord, missing)
        return found

    def _with_wanted(self, snapshot: Snapshot) -> Snapshot:
        more = self._store.jobs(wanted(snapshot))
        return replace(snapshot, jobs={**snapshot.jobs, **more}) if more else snapshot

    def _until_quiet(self, length: _Length) -> list[dict[str, Any]]:
        """Decide and write in rounds, until nothing is left to decide, or the pass has used its time.

        Returns the rows of what was written. If all writes of a round succeed, the next round decides on the
        same snapshot with these writes applied. A write that was lost, as another writer changed the record
        first, shows that the snapshot is out of date: the next round reads a new one. After a lost write no
        further write of the same step is made: the end of an attempt must not be marked as counted if its
        job was not moved.
        """
        rows: list[dict[str, Any]] = []
        is_current, began, length.is_cut = False, 0.0, False
        for _ in range(_MOST_ROUNDS):
            if not is_current or time.monotonic() - began >= LATEST_S:
                began = time.monotonic()
                self.last = self.snapshot(length.now, length.meanwhile)
                length.was_read(time.monotonic() - began)
            assert self.last is not None
            decided = 0
            written: list[Decision] = []
            lost: set[str] = set()
            for decision in self._timely(began):
                if written and length.is_over():
                    length.is_cut = True
                    break
                length.meanwhile()
                decided += 1
                if decision.step in lost:
                    continue
                if (is_written := self._written(decision)) is None:
                    lost.add(decision.step)
                elif is_written:
                    written.append(decision)
                elif decision.step and decision.old is not None:  # else it exists already, as is wanted
                    lost.add(decision.step)
            self.counts.writes += len(written)
            rows += [each.row() for each in written if each.decision not in HIDDEN]
            if not written or length.is_cut or not self._renewed(length):
                break
            is_current = decided == len(written)
            self.last = self._with_wanted(applied(self.last, written))
        return rows

    def _written(self, decision: Decision) -> bool | None:
        """Whether a decision was written; False if another writer was first.

        None if its record is busy or cannot be stored, which is noted as a fault and stops no other decision.
        """
        try:
            return self._store.write(decision.old, decision.new)
        except (BusyRecordError, UnstorableError) as error:
            self.faults.note(getattr(decision.new, "process", ""), decision.step, error)
            return None

    def _timely(self, began: float) -> Iterator[Decision]:
        """The decisions on the last snapshot, until it is `LATEST_S` old; the next round decides on the rest.

        A process may be suspended for any time. If it wrote old decisions after that, it could create a job
        again that has ended and was removed meanwhile.
        """
        assert self.last is not None
        self.faults = PlanFaults()
        decisions = reconcile(self.last, self.faults)
        return takewhile(lambda decision: time.monotonic() - began < LATEST_S, decisions)

    def _renewed(self, length: _Length) -> bool:
        """Renew the lease of a long pass between two rounds; False if another process has taken it."""
        taken = timedelta(seconds=time.monotonic() - length.began)
        return taken < LEASE / 3 or self.lease.renew(length.now + taken + LEASE)


def _holders(attempts: Iterable[AttemptRecord]) -> set[str]:
    """Names of the workers that have attempts or nodes; most attempts of a long queue have no worker."""
    held = (each for each in attempts if each.worker or each.nodes)
    return {name for each in held for name in assigned_workers(each)}
