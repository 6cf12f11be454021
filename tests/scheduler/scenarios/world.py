"""A world of the scheduler: records in memory, definitions as text, and a clock that tests move."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from scoopi.defs.schedule.schedule_reader import read_schedule
from scoopi.model.schedule.schedule_records import (
    LIVE,
    PAST,
    TERMINAL,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    WorkerRecord,
)
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import DecidedRecord, Decision, changed, made
from scoopi.scheduler.explaining.why import why
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.reconcile import reconcile
from scoopi.scheduler.snapshot import Snapshot

START = datetime(2026, 1, 1, tzinfo=UTC)
MOST_PASSES = 50


class CrashError(Exception):
    """The pass ends after a write."""


class World:
    """Passes over records in memory; each write is conditional, as in a store.

    Args:
        folder: where the definitions are written.
        text: the processes.
        since: when they are deployed.
    """

    def __init__(self, folder: Path, text: str, since: datetime = START) -> None:
        self._folder = folder
        self.now = since
        self.records: dict[tuple[type, str], DecidedRecord] = {}
        self.writes = 0
        self.crash_after: int | None = None
        self.schedule = Schedule({})
        self.deploy(text)

    def deploy(self, text: str) -> None:
        self._folder.mkdir(exist_ok=True)
        (self._folder / "jobs.yml").write_text(textwrap.dedent(text))
        self.schedule, report = read_schedule(self._folder, None)
        report.raise_if_errors()
        for name in self.schedule.processes:
            if (ProcessRecord, name) not in self.records:
                self.put(ProcessRecord(name=name, since=self.now))

    def put(self, record: DecidedRecord) -> None:
        self.records[type(record), key_of(record)] = record

    def all(self, kind: type[Any]) -> list[Any]:
        return [record for (known, _), record in self.records.items() if known is kind]

    def worker(self, name: str = "w1", capacity: float = 2, **fields: Any) -> None:
        self.put(WorkerRecord(worker=name, incarnation="1", capacity=capacity, **fields))

    def snapshot(self) -> Snapshot:
        return Snapshot(
            now=self.now,
            schedule=self.schedule,
            bundle="b1",
            processes={record.name: record for record in self.all(ProcessRecord)},
            jobs={record.job: record for record in self.all(JobRecord)},
            attempts=[record for record in self.all(AttemptRecord) if record.phase != PAST],
            workers={record.worker: record for record in self.all(WorkerRecord)},
            beat=self.beat,
            deployed=self.deployed,
        )

    beat = 0
    deployed: datetime | None = None
    has_broken = False
    """Whether something cannot be planned; else the first error is raised."""
    faults = PlanFaults()
    """What the last pass could not plan."""

    def tick(self, now: datetime | str | None = None) -> list[dict[str, Any]]:
        """Passes until nothing is decided; the rows that `tick` prints."""
        if now is not None:
            self.now = datetime.fromisoformat(now) if isinstance(now, str) else now
        rows: list[dict[str, Any]] = []
        for _ in range(MOST_PASSES):
            self.faults = PlanFaults(is_strict=not self.has_broken)
            decisions = reconcile(self.snapshot(), self.faults)
            for decision in decisions:
                self.apply(decision)
            rows += [decision.row() for decision in decisions if decision.decision != "planned"]
            if not decisions:
                return rows
        raise AssertionError(f"the pass does not come to an end: {rows[-5:]}")

    def apply(self, decision: Decision) -> bool:
        """Write, if the record is still the one that was decided on."""
        if self.crash_after is not None and self.writes >= self.crash_after:
            raise CrashError
        key = type(decision.new), key_of(decision.new)
        if self.records.get(key) != decision.old:
            return False
        self.records[key] = decision.new
        self.writes += 1
        return True

    def pass_time(self, step: timedelta = timedelta(seconds=10), **length: float) -> None:
        """Ticks at each step until the time is over."""
        end = self.now + timedelta(**length)
        while self.now < end:
            self.tick(min(self.now + step, end))

    def job(self, name: str) -> JobRecord:
        record = self.records[JobRecord, name]
        assert isinstance(record, JobRecord)
        return record

    def states(self, process: str) -> dict[str, str]:
        """State of each job of a process, by slot."""
        return {job.slot: job.state for job in self.all(JobRecord) if job.process == process}

    def attempts(self, status: str) -> list[AttemptRecord]:
        return [attempt for attempt in self.all(AttemptRecord) if attempt.status == status]

    def claim(self, worker: str = "w1") -> list[AttemptRecord]:
        """Claims what is placed on a worker."""
        claimed = []
        for attempt in self.attempts("waiting"):
            if attempt.worker == worker:
                running = changed(attempt, status="running", fence=attempt.fence + 1, started=self.now)
                self.put(running)
                claimed.append(running)
        return claimed

    def end(self, attempt: AttemptRecord, status: str = "succeeded", **fields: Any) -> bool:
        """Ends an attempt, if its fence is still the current one."""
        current = self.records[AttemptRecord, attempt.attempt]
        assert isinstance(current, AttemptRecord)
        if current.fence != attempt.fence or current.status in TERMINAL or current.phase != LIVE:
            return False
        self.put(changed(current, status=status, phase=UNSETTLED, ended=self.now, **fields))
        return True

    def work(self, status: str = "succeeded", worker: str = "w1", **fields: Any) -> int:
        """Claims and ends everything that is placed, until nothing follows; how many attempts ran."""
        ran = 0
        while self.tick() or self.attempts("waiting"):
            claimed = self.claim(worker)
            for attempt in claimed:
                self.end(attempt, status, **fields)
            ran += len(claimed)
            if not claimed:
                break
        self.tick()
        return ran

    def launch(self, process: str, slot: str, **fields: Any) -> str:
        decision = made(
            self.schedule.processes[process],
            parse_slot(slot),
            self.now,
            launch_type="manual",
            **fields,
        )
        self.apply(decision)
        return f"{process}/{slot}"

    def why(self, job: str) -> dict[str, Any]:
        return why(self.job(job), self.snapshot())


def key_of(record: DecidedRecord) -> str:
    """The key of a record in its map."""
    for name in ("notice", "attempt", "job", "worker", "name"):
        if hasattr(record, name):
            return str(getattr(record, name))
    raise AssertionError(record)


def outcome(world: World) -> Any:
    """What must not depend on crashes: jobs with their states, and ended attempts."""
    jobs = {job.job: (job.state, job.attempts, job.failures) for job in world.all(JobRecord)}
    attempts = {each.attempt: each.status for each in world.all(AttemptRecord)}
    return msgspec.to_builtins((jobs, attempts))


Scenario = Callable[[World], None]
