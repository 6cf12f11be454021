"""CrashingWorld: a whole scheduler over records in memory, whose process dies before any chosen write."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from msgspec.structs import replace

from scoopi.errors import StateRefusedError
from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.model.schedule.schedule_records import (
    CLAIMED,
    LIVE,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    WorkerRecord,
)
from scoopi.scheduler.snapshot import Snapshot
from scoopi.serve import state as state_module
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.gc.record_collector import RecordCollector
from scoopi.serve.passes import Passes
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.pass_lease import LEASE
from scoopi.store.schedule.schedule_store import SCHEDULE_MAPS, ScheduleStore
from scoopi.store.settling_store import SettlingStore
from tests.store.faulty_store import Faults, FaultyStore, NodeDied
from tests.store.memory_store import MemoryStore

START = datetime(2026, 1, 1, tzinfo=UTC)
_LATER = LEASE + timedelta(seconds=1)
_MOST_TURNS = 60
Answer = TypeVar("Answer")


class CrashingWorld:
    """A scheduler whose records are in memory: passes, services, workers and garbage collector, as they are.

    A process that dies is followed by another one, which repeats what was interrupted: half a minute later,
    when the pass of the dead one is taken for dead.

    Args:
        folder: of the project and of the state.
        text: the definitions.
    Attributes:
        now: the time of everything that is done.
        writes: how many writes were made.
    """

    def __init__(self, folder: Path, text: str) -> None:
        self._folder = folder
        self._memory = MemoryStore(SCHEDULE_MAPS)
        self.now = START
        self._open(Faults())
        self.deploy(text)

    def copy(self, faults: Faults) -> CrashingWorld:
        """A world with the same records and the same time, whose store has these faults."""
        new = object.__new__(CrashingWorld)
        new._folder, new._memory, new.now = self._folder, self._memory.copy(), self.now
        new._current = self._current
        new._open(faults)
        return new

    def _open(self, faults: Faults) -> None:
        """Begin a process, which opens the state with the first that it does: it may die over that."""
        self._faulty = FaultyStore(self._memory, faults)
        self._records = ScheduleStore(self._memory)
        self._state: State | None = None

    @property
    def state(self) -> State:
        """The state as the process has opened it."""
        if self._state is None:
            store = ScheduleStore(SettlingStore(self._faulty))
            with patch.object(state_module, "open_schedule_store", lambda *where: store):
                self._state = State(self._folder / "scheduler")
                self._state.is_shared = True  # its workers are on several machines
        return self._state

    @property
    def writes(self) -> int:
        return self._faulty.writes

    def do(self, action: Callable[[State], Answer]) -> Answer:
        """What a process does to the state; if it dies, the next one does it."""
        try:
            return action(self.state)
        except NodeDied:
            self._open(Faults())
            self.now += _LATER
            return action(self.state)

    def deploy(self, text: str) -> None:
        """Deploy definitions; those of a deployment before are replaced."""
        jobs = self._folder / "jobs"
        jobs.mkdir(parents=True, exist_ok=True)
        (jobs / "jobs.yml").write_text(textwrap.dedent(text))
        self.do(lambda state: state.deploy(jobs, None, self.now))
        self._current = self.do(State.current)

    def snapshot(self) -> Snapshot:
        """What a pass would know now."""
        return Passes(self._records, lambda: self._current).snapshot(self.now)

    def tick(self, **length: float) -> list[dict[str, Any]]:
        """Let time pass, then run a pass; the rows that `tick` prints."""
        self.now += timedelta(**length)
        rows = self.do(lambda state: state.passes.run(self.now))
        assert rows is not None, "another pass runs"
        return rows

    def jobs_service(self, action: Callable[[JobService], object]) -> bool:
        """What a person does to a job; False if its state does not allow it."""
        return self.allowed(lambda state: action(JobService(state, self.now, lambda name: name)))

    def cancel(self, job: str, mode: str) -> bool:
        """A person cancels a job."""
        return self.jobs_service(lambda service: service.cancel(job, mode))

    def skip(self, job: str) -> bool:
        """A person skips a job."""
        return self.jobs_service(lambda service: service.skip(job))

    def reprocess(self, job: str) -> bool:
        """A person has a job run again."""
        return self.jobs_service(lambda service: service.reprocess(job))

    def processes_service(self, action: Callable[[ProcessService], object]) -> bool:
        """What a person does to a process; False if its state does not allow it."""
        return self.allowed(lambda state: action(ProcessService(state, self.now)))

    def allowed(self, action: Callable[[State], object]) -> bool:
        """Do something that may be refused; whether it was allowed."""
        try:
            self.do(action)
        except StateRefusedError:
            return False
        return True

    def backfill(self, process: str, first: str, last: str, **rules: Any) -> None:
        """Create the jobs of past slots."""
        asked: dict[str, Any] = {"overlap": "", "order": "old", "max_parallel": 0, "dry_run": False}
        asked |= rules
        self.processes_service(lambda service: service.backfills(process).create(first, last, **asked))

    def collect(self) -> int:
        """A round of the garbage collector; how many things were removed."""
        return self.do(lambda state: sum(map(len, RecordCollector(state, self.now).steps())))

    def worker(self, name: str, capacity: float = 2, groups: tuple[str, ...] = ("default",)) -> None:
        """Register the worker of a `serve`, which sends heartbeats."""
        served = WorkerRecord(worker=name, incarnation=name, groups=groups, capacity=capacity)
        self.do(lambda state: WorkerRegistry(state.store).register(served))

    def external_worker(self, name: str) -> None:
        """Register a worker that is not a `serve`."""
        self.do(lambda state: WorkerRegistry(state.store).put(name, ("default",), 1, is_external=True))

    def pass_beats(self, count: int, *alive: str) -> None:
        """Let the time of `count` heartbeats pass, which only these workers send."""
        self.do(
            lambda state: state.store.change_scheduler(
                lambda old: replace(old, beat=old.beat + count, version=old.version + 1)
            )
        )
        for name in alive:
            self._beat(name)

    def _beat(self, worker: str) -> None:
        self.do(lambda state: WorkerRegistry(state.store).beat(worker))

    def claim(self, worker: str, names: dict[str, str] | None = None, limit: int = 9) -> list[AttemptRecord]:
        """Claim what a worker may run. One that died after a claim offers it again when it is restarted."""
        held = {each.attempt for each in self.attempts("running")}

        def claimed(state: State) -> list[AttemptRecord]:
            schedule = None if names is not None else state.current()[1]
            claims = AttemptClaims(state.store)
            for each in self.attempts("running"):
                if each.worker == worker and each.attempt not in held:
                    claims.hand_back(each, self.now)
                    state.passes.run(self.now)
            return claims.claim(worker, self.now, names, limit, schedule)

        return self.do(claimed)

    def see_wishes(self, worker: str) -> None:
        """Let a worker see which of its attempts are cancelled, as the loop of its `serve` does."""
        for attempt in self.attempts("running"):
            if attempt.worker == worker and attempt.wish == "cancel":
                self._see_wish(attempt)

    def _see_wish(self, attempt: AttemptRecord) -> None:
        self.allowed(lambda state: AttemptClaims(state.store).see_wish(attempt, self.now))

    def claimed(self) -> list[AttemptRecord]:
        """The attempts that workers run."""
        return [each for each in self.all(AttemptRecord) if each.status in CLAIMED]

    def end(self, attempt: AttemptRecord, status: str = "succeeded") -> bool:
        """Report the end of an attempt, as its worker would; False if it does not count any more."""
        current = self.record(AttemptRecord, attempt.attempt)
        if current.wish == "cancel" and current.wish_mode != "drain":
            status = "canceled"
        return self.allowed(
            lambda state: AttemptClaims(state.store).end(attempt, attempt.fence, status, self.now)
        )

    def work(self, status: str | Callable[[AttemptRecord], str] = "succeeded", *workers: str) -> int:
        """Pass, claim and end until nothing follows; how many attempts ended."""
        ended = 0
        for _ in range(_MOST_TURNS):
            self.tick()
            claimed = [each for worker in workers or ("w1",) for each in self.claim(worker)]
            for attempt in claimed:
                ended += self.end(attempt, status if isinstance(status, str) else status(attempt))
            if not claimed:
                return ended
        raise AssertionError("the work does not come to an end")

    def all(self, kind: type[Any]) -> list[Any]:
        """All records of a kind."""
        return [*self._records.scan(kind)]

    def record(self, kind: type[Any], name: str) -> Any:
        """A job or an attempt by its id."""
        return next(each for each in self.all(kind) if name in (each.job, getattr(each, "attempt", "")))

    def attempts(self, status: str) -> list[AttemptRecord]:
        """The attempts with a status."""
        return [each for each in self.all(AttemptRecord) if each.status == status]

    def live(self) -> list[AttemptRecord]:
        """The attempts that are not over."""
        return [each for each in self.all(AttemptRecord) if each.phase == LIVE]

    def states(self, process: str) -> dict[str, str]:
        """State of each job of a process, by slot."""
        return {each.slot: each.state for each in self.all(JobRecord) if each.process == process}

    def outcome(self) -> dict[str, Any]:
        """What must not depend on a crash: everything but times, fences and versions."""
        jobs = {
            each.job: (each.state, each.attempts, each.settled, each.failures, each.held)
            for each in self.all(JobRecord)
        }
        attempts = {each.attempt: (each.status, each.phase) for each in self.all(AttemptRecord)}
        found = [(each.job, each.attempt, each.event, each.via) for each in self.all(NoticeRecord)]
        # A worker that dies after a claim runs it again, which is reported again.
        notices = sorted([each for each in found if each[2] != "running"])
        notices += sorted({each for each in found if each[2] == "running"})
        processes = {
            each.name: (each.iteration, each.paused, each.removed) for each in self.all(ProcessRecord)
        }
        workers = {each.worker: each.state for each in self.all(WorkerRecord)}
        return {
            "jobs": jobs,
            "attempts": attempts,
            "notices": notices,
            "processes": processes,
            "workers": workers,
        }
