"""HistoryMachine: what may happen to a scheduler in any order, and what has to hold after each step."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from scoopi.model.schedule.schedule_records import FINISHED, LIVE, TERMINAL, AttemptRecord, JobRecord
from scoopi.scheduler.explaining.why import why
from tests.serve.histories.crashing_world import CrashingWorld
from tests.store.faulty_store import Faults

RUN = 'executes: "python:a:b"'
WORKERS = {"w1": 2, "w2": 1}
"""Each worker of a `serve`, with its capacity."""
MODES = st.sampled_from(["drain", "step", "kill"])
WHICH = st.integers(0, 30)


class HistoryMachine(RuleBasedStateMachine):
    """People, workers, clocks and crashes.

    Attributes:
        folder: of the projects and states; set before it runs.
        text: the definitions.
        groups: those of the worker w2; w1 is in `default`.
    """

    text: ClassVar[str]
    groups: ClassVar[tuple[str, ...]]

    folder: Path
    count = 0

    @initialize()
    def begin(self) -> None:
        HistoryMachine.count += 1
        self.world = CrashingWorld(self.folder / str(self.count), self.text)
        self.world.worker("w1", WORKERS["w1"])
        self.world.worker("w2", WORKERS["w2"], self.groups)
        self.fences: dict[str, int] = {}
        self.ended: dict[str, str] = {}
        self.over: dict[str, str] = {}
        self.gone: set[str] = set()

    @rule(minutes=st.sampled_from([1, 20, 61, 300, 1500]))
    def time_passes(self, minutes: int) -> None:
        self.world.tick(minutes=minutes)
        assert not self.world.tick(), "a second pass decides something more"

    @rule(minutes=st.sampled_from([1, 90]))
    def the_clock_goes_back(self, minutes: int) -> None:
        self.world.tick(minutes=-minutes)

    @rule(writes=st.integers(0, 12))
    def a_process_dies_soon(self, writes: int) -> None:
        self.world = self.world.copy(Faults(dies_after=writes))

    @rule(worker=st.sampled_from([*WORKERS]))
    def a_worker_claims(self, worker: str) -> None:
        self.world.claim(worker)

    @rule(status=st.sampled_from(["succeeded", "noop", "failed", "error", "not_ready"]), which=WHICH)
    def an_attempt_ends(self, status: str, which: int) -> None:
        if running := self.world.claimed():
            self.world.end(running[which % len(running)], status)

    @rule(worker=st.sampled_from([*WORKERS]))
    def a_worker_sees_cancels(self, worker: str) -> None:
        self.world.see_wishes(worker)

    @rule(beats=st.integers(1, 5), worker=st.sampled_from([*WORKERS]))
    def one_worker_sends_heartbeats(self, beats: int, worker: str) -> None:
        self.world.pass_beats(beats, worker)

    @rule(which=WHICH, mode=MODES)
    def a_job_is_cancelled(self, which: int, mode: str) -> None:
        if job := self._job(which, over=False):
            self.world.jobs_service(lambda service: service.cancel(job.job, mode))

    @rule(which=WHICH)
    def a_job_is_skipped(self, which: int) -> None:
        if job := self._job(which, over=False):
            self.world.jobs_service(lambda service: service.skip(job.job))

    @rule(which=WHICH)
    def a_job_is_cleared(self, which: int) -> None:
        if job := self._job(which, over=False):
            self.world.jobs_service(lambda service: service.clear(job.job))

    @rule(which=WHICH)
    def a_job_is_reprocessed(self, which: int) -> None:
        job = self._job(which, over=True)
        if job is None:
            return
        self.world.jobs_service(lambda service: service.reprocess(job.job))
        if self.world.record(JobRecord, job.job).state not in FINISHED:  # one that died may have done it
            self.ended.pop(job.job, None)

    def _job(self, which: int, *, over: bool) -> JobRecord | None:
        jobs = [job for job in self.world.all(JobRecord) if (job.state in FINISHED) == over]
        return jobs[which % len(jobs)] if jobs else None

    @invariant()
    def at_most_one_attempt_of_a_job_is_live(self) -> None:
        live = [each.job for each in self.world.live()]
        assert len(live) == len({*live})

    @invariant()
    def fences_never_decrease_and_ends_of_attempts_stay(self) -> None:
        attempts = self.world.all(AttemptRecord)
        names = {each.attempt for each in attempts}  # a slot that is filled once more begins with attempt 1
        for known in (self.fences, self.over):
            for name in known.keys() - names:
                known.pop(name)
        for each in attempts:
            assert each.fence >= self.fences.get(each.attempt, 0)
            self.fences[each.attempt] = each.fence
            if each.status in TERMINAL:
                assert self.over.setdefault(each.attempt, each.status) == each.status

    @invariant()
    def finished_jobs_stay_finished_and_removed_ones_do_not_return(self) -> None:
        jobs = {job.job: job for job in self.world.all(JobRecord)}
        assert not jobs.keys() & self.gone
        for name, job in jobs.items():
            assert self.ended.get(name, job.state) == job.state
            if job.state in FINISHED:
                self.ended[name] = job.state

    @invariant()
    def no_worker_runs_more_than_its_capacity(self) -> None:
        running = [each.worker for each in self.world.claimed()]
        assert all(running.count(name) <= capacity for name, capacity in WORKERS.items())

    @invariant()
    def what_is_canceling_is_cancelled(self) -> None:
        assert all(each.wish == "cancel" for each in self.world.attempts("canceling"))

    @invariant()
    def why_has_an_answer_for_every_job(self) -> None:
        snapshot = self.world.snapshot()
        for job in self.world.all(JobRecord):
            answer = why(job, snapshot)
            assert answer["reason"]
            assert "unknown" not in answer["reason"]

    def all_work(self, world: CrashingWorld) -> None:
        """Let all workers do what they may, with success."""
        world.work("succeeded", *WORKERS)

    def teardown(self) -> None:
        """Whatever has happened: with workers that live and succeed, nothing is left that could run."""
        if not hasattr(self, "world"):
            return
        world = self.world.copy(Faults())
        for _ in range(3):
            for attempt in world.claimed():
                world.end(attempt)
            world.pass_beats(1, *WORKERS)
            world.now += timedelta(hours=1)
            self.all_work(world)
        # One that was not ready has an end, and is asked again later: much later if the clock went back.
        assert [each for each in world.all(AttemptRecord) if each.phase == LIVE and each.ended is None] == []
        snapshot = world.snapshot()
        for job in snapshot.active:
            answer = why(job, snapshot)
            assert answer["gate"] in ("enabled", "slot", "live", "error", "depends", "prepare"), job
            assert answer["gate"] != "prepare" or answer["until"] is not None, job
