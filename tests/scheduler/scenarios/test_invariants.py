"""The invariants of the scheduler hold for random histories, and a crash after any write changes no end."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from scoopi.model.schedule.schedule_records import FINISHED, LIVE, AttemptRecord, JobRecord
from scoopi.scheduler.decisions import changed
from tests.scheduler.scenarios.broken import BROKEN, FAULTY, break_jobs
from tests.scheduler.scenarios.world import START, CrashError, World, outcome

ENDS = ["succeeded", "noop", "failed", "error", "canceled"]
PROCESSES = """
settings: {start_limit: 3}
processes:
  hourly: {executes: "python:a:b", trigger: {cron: "0 * * * *"}, overlap: wait, catchup: all}
  daily:
    executes: "python:a:b"
    qualifier: daily
    trigger: {}
    retry: {max: 2, delay: 20m, jitter: 0.5, on_exhausted: fail, give_up_after: never}
  after: {executes: "python:a:b", trigger: {after: hourly}, timeout: {run: 2h}}
  next: {executes: "python:a:b", qualifier: daily, trigger: {}, depends_on: [daily]}
  often: {executes: "python:a:b", qualifier: daily, trigger: {every: 3h}, machine: continuous}
  press: {executes: external:x, trigger: {every: 4h}, overlap: skip, start_deadline: 3h}
"""


class Histories(RuleBasedStateMachine):
    """Time, work, failures and lost workers in any order."""

    folder: Path

    @initialize()
    def begin(self) -> None:
        self.world = World(self.folder, PROCESSES)
        self.world.worker("w1", beat=0)
        self.world.worker("w2", beat=0)
        self.world.worker("e1", capacity=1, is_external=True)
        self.fences: dict[str, int] = {}
        self.ended: dict[str, str] = {}

    @rule(minutes=st.sampled_from([1, 20, 61, 300, 1500]))
    def time_passes(self, minutes: int) -> None:
        self.world.tick(self.world.now + timedelta(minutes=minutes))
        assert not self.world.tick(), "a second pass decides something more"

    @rule(minutes=st.sampled_from([1, 90]))
    def the_clock_goes_back(self, minutes: int) -> None:
        self.world.tick(self.world.now - timedelta(minutes=minutes))

    @rule(worker=st.sampled_from(["w1", "w2", "e1"]))
    def a_worker_claims(self, worker: str) -> None:
        if worker == "e1":
            for attempt in self.world.attempts("waiting")[:1]:
                if attempt.process == "press":
                    self.world.put(changed(attempt, worker="e1"))
        self.world.claim(worker)

    @rule(
        status=st.sampled_from(["succeeded", "noop", "failed", "error", "canceled"]), number=st.integers(0, 9)
    )
    def an_attempt_ends(self, status: str, number: int) -> None:
        running = self.world.attempts("running")
        if running:
            self.world.end(running[number % len(running)], status)

    @rule(beats=st.integers(1, 5), worker=st.sampled_from(["w1", "w2"]))
    def heartbeats_go_on_for_one_worker(self, beats: int, worker: str) -> None:
        self.world.beat += beats
        self.world.worker(worker, beat=self.world.beat)

    @invariant()
    def at_most_one_attempt_of_a_job_is_live(self) -> None:
        live = [each.job for each in self.world.all(AttemptRecord) if each.phase == LIVE]
        assert len(live) == len({*live})

    @invariant()
    def fences_never_decrease(self) -> None:
        for attempt in self.world.all(AttemptRecord):
            assert attempt.fence >= self.fences.get(attempt.attempt, 0)
            self.fences[attempt.attempt] = attempt.fence

    @invariant()
    def finished_jobs_stay_finished(self) -> None:
        for job in self.world.all(JobRecord):
            assert self.ended.get(job.job, job.state) == job.state
            if job.state in FINISHED:
                self.ended[job.job] = job.state

    @invariant()
    def no_worker_has_more_than_its_capacity(self) -> None:
        for worker in ("w1", "w2"):
            placed = [
                each for each in self.world.all(AttemptRecord) if each.phase == LIVE and each.worker == worker
            ]
            assert len(placed) <= 2

    @invariant()
    def why_has_an_answer_for_every_job(self) -> None:
        for job in self.world.all(JobRecord):
            answer = self.world.why(job.job)
            assert answer["reason"]
            assert "unknown" not in answer["reason"]


def test_the_invariants_hold_for_random_histories(tmp_path: Path) -> None:
    Histories.folder = tmp_path / "jobs"
    limits = settings(max_examples=40, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(Histories, settings=limits)


def scenario_of_success(world: World) -> None:
    for hour in (1, 2, 25, 26):
        yield_to(world, START + timedelta(hours=hour))
        settle(world, "succeeded")


def scenario_of_failures(world: World) -> None:
    for minute in range(24 * 60 + 10, 27 * 60, 20):
        yield_to(world, START + timedelta(minutes=minute))
        settle(world, "failed")


def scenario_of_cancels(world: World) -> None:
    for hour in (1, 25):
        yield_to(world, START + timedelta(hours=hour, minutes=10))
        settle(world, "canceled")


def yield_to(world: World, moment: datetime) -> None:
    world.now = moment
    retried(world, world.tick)


def settle(world: World, status: str) -> None:
    for _ in range(9):
        for attempt in world.claim():
            world.end(attempt, status)
        retried(world, world.tick)


def retried(world: World, action: Callable[[], object]) -> None:
    """Repeats what a crash interrupted, as the next pass does."""
    try:
        action()
    except CrashError:
        world.crash_after = None
        action()


@pytest.mark.parametrize("scenario", [scenario_of_success, scenario_of_failures, scenario_of_cancels])
def test_a_crash_after_any_write_leads_to_the_same_end(
    scenario: Callable[[World], None], tmp_path: Path
) -> None:
    world = World(tmp_path / "jobs", PROCESSES)
    world.worker("w1", capacity=20)
    first = copy.copy(world)
    first.records = dict(world.records)
    scenario(first)
    expected = outcome(first)
    assert first.writes > 30
    for crash_after in range(first.writes):
        again = copy.copy(world)
        again.records, again.writes, again.crash_after = dict(world.records), 0, crash_after
        scenario(again)
        assert outcome(again) == expected, crash_after


def test_the_order_in_which_workers_write_changes_no_end(tmp_path: Path) -> None:
    ends = []
    for seed in range(5):
        world = World(tmp_path / f"jobs{seed}", PROCESSES)
        world.worker("w1", capacity=20)
        for hour in (1, 2, 3, 25):
            world.tick(START + timedelta(hours=hour))
            for _ in range(6):
                claimed = world.claim()
                random.Random(seed).shuffle(claimed)
                for attempt in claimed:
                    world.end(attempt)
                world.tick()
        ends.append(outcome(world))
    assert all(end == ends[0] for end in ends)


def of_healthy(world: World) -> Any:
    """The outcome without what belongs to broken processes."""
    return [
        {name: ended for name, ended in each.items() if name.partition("/")[0] not in FAULTY}
        for each in outcome(world)
    ]


def with_broken(folder: Path) -> World:
    world = World(folder, PROCESSES + BROKEN)
    world.has_broken = True
    break_jobs(world)
    return world


@pytest.mark.parametrize("scenario", [scenario_of_success, scenario_of_failures])
def test_what_cannot_be_planned_changes_nothing_for_other_processes_whatever_crashes(
    scenario: Callable[[World], None], tmp_path: Path
) -> None:
    healthy, beside = World(tmp_path / "healthy", PROCESSES), with_broken(tmp_path / "beside")
    for world in (healthy, beside):
        world.worker("w1", capacity=20)
    begin = dict(beside.records)
    scenario(healthy)
    scenario(beside)
    expected = [*outcome(healthy)]
    assert of_healthy(beside) == expected
    assert {*beside.faults.found} == {*FAULTY.values()}
    for crash_after in range(0, beside.writes, 7):
        again = copy.copy(beside)
        again.records, again.writes, again.crash_after = dict(begin), 0, crash_after
        again.now = START
        scenario(again)
        assert of_healthy(again) == expected, crash_after
