"""NeededJobs: whatever is removed when it is over and not needed, the same jobs run, once each."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.schedule_records import ENDED, PAST, AttemptRecord, JobRecord, ProcessRecord
from scoopi.scheduler.decisions import Decision, changed
from scoopi.scheduler.needed_jobs import NeededJobs
from scoopi.scheduler.removed_slots import with_removed
from tests.scheduler.scenarios.broken import BROKEN, break_jobs
from tests.scheduler.scenarios.world import START, World

PROCESSES = """
processes:
  fires: {{executes: "python:a:b", trigger: {{cron: "0 */12 * * *"}}, overlap: wait, catchup: all}}
  beside: {{executes: "python:a:b", trigger: {{cron: "0 */12 * * *"}}, catchup: all}}
  after: {{executes: "python:a:b", trigger: {{after: fires}}}}
  last: {{executes: "python:a:b", trigger: {{after: [after, beside]}}}}
  daily:
    executes: "python:a:b"
    qualifier: daily
    trigger: {{}}
    retry: {{max: 1, delay: 20m, on_exhausted: skip}}
  next:
    executes: "python:a:b"
    qualifier: daily
    trigger: {{}}
    depends_on: [{{process: daily, slot: -2}}]
  monthly:
    executes: "python:a:b"
    qualifier: monthly
    trigger: {{every: 25h}}
    machine: continuous
    depends_on: [daily]
  look:
    executes: "python:a:b"
    trigger: {{slots: iterations, cron: "0 */12 * * *"}}
    lookback: {lookback}
    retry: {{max: 0, on_exhausted: hold}}
  follow:
    executes: "python:a:b"
    trigger: {{slots: iterations, source: after_completion, every: 12h}}
    retry: {{max: 0, on_exhausted: fail}}
  {late}
"""
LATE = (
    'late: {executes: "python:a:b", qualifier: daily, trigger: {}, '
    "depends_on: [{process: daily, when_failed: fail}]}"
)


ENDS = ["succeeded", "succeeded", "noop", "failed", "canceled", ""]


class KeptWorld(World):
    """A world that notes what was created, and removes jobs that are over."""

    def apply(self, decision: Decision) -> bool:
        is_written = super().apply(decision)
        if is_written and decision.old is None:
            self.created.append(name_of(decision))
        return is_written

    created: list[str]

    def collect(self, is_chosen: Callable[[int], bool]) -> int:
        """Remove those jobs that are over, chosen by their place, that no later pass asks for; how many."""
        removed = 0
        needed = NeededJobs(self.snapshot())
        for place, job in enumerate(sorted(self.all(JobRecord), key=lambda each: each.job)):
            if job.phase == ENDED and is_chosen(place) and not needed.has(job):
                record = self.records[ProcessRecord, job.process]
                assert isinstance(record, ProcessRecord)
                self.put(changed(record, removed=with_removed(record.removed, [job])))
                del self.records[JobRecord, job.job]
                removed += 1
        for attempt in self.all(AttemptRecord):
            if attempt.phase == PAST and (JobRecord, attempt.job) not in self.records:
                del self.records[AttemptRecord, attempt.attempt]
        return removed


def name_of(decision: Decision) -> str:
    return str(getattr(decision.new, "attempt", None) or getattr(decision.new, "job", ""))


class Twins:
    """Two worlds with the same random history, of which one removes jobs.

    Args:
        folder: where both have their definitions.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._random = random.Random(seed)
        text = PROCESSES.format(lookback=1, late="")
        deployed = START - timedelta(days=2)
        self.worlds = [KeptWorld(folder / name, text, deployed) for name in ("kept", "collected")]
        for world in self.worlds:
            world.now = START
            world.created = []
            world.worker("w1", capacity=50)
        self.removed = 0

    def step(self) -> None:
        """Time passes, work is done, and jobs are removed, each a bit or not at all."""
        back, forth = self._random.random() < 0.1, self._random.choice([5, 61, 300, 800, 1500])
        minutes = -self._random.randint(1, 2000) if back else forth
        for world in self.worlds:
            world.tick(max(START, world.now + timedelta(minutes=minutes)))
        for _ in range(self._random.randint(0, 3)):
            self._work()
        if self._random.random() < 0.7:
            step = self._random.randint(1, 3)
            self.removed += self.worlds[1].collect(lambda place: place % step == 0)

    def ask_for_more(self) -> None:
        """Deploy definitions that look further back."""
        for world in self.worlds:
            world.deploy(PROCESSES.format(lookback=6, late=LATE))

    def check(self) -> None:
        """The same jobs and attempts were created, once each; those that are left are the same."""
        kept, collected = (world.created for world in self.worlds)
        assert len(collected) == len({*collected})
        assert sorted(collected) == sorted(kept)
        before, after = ({job.job: job for job in world.all(JobRecord)} for world in self.worlds)
        assert all(before[name] == job for name, job in after.items())
        assert all(before[name].phase == ENDED for name in before.keys() - after.keys())

    def _work(self) -> None:
        ends = self._random.choices(ENDS, k=50)
        for world in self.worlds:
            for place, attempt in enumerate(sorted(world.claim(), key=lambda attempt: attempt.attempt)):
                if ends[place]:
                    world.end(attempt, ends[place])
                else:
                    world.put(changed(attempt, status="waiting"))
            world.tick()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_removed_the_same_jobs_run_once_each(seed: int, tmp_path: Path) -> None:
    twins = Twins(tmp_path, seed)
    for step in range(30):
        if step == 20:
            twins.ask_for_more()
        twins.step()
        twins.check()
    assert twins.removed > 20


SLOT = "@2026-01-01T12:00:00Z"
FOLLOWED = """
    processes:
      a: {executes: "python:a:b", trigger: {cron: "0 12 * * *"}}
      b: {executes: "python:a:b", trigger: {cron: "0 12 * * *"}}
      then: {executes: "python:a:b", trigger: {after: [a, b]}}
      last: {executes: "python:a:b", trigger: {after: then}}
"""


def is_needed(world: World, job: str) -> bool:
    return NeededJobs(world.snapshot()).has(world.job(job))


def test_a_job_is_kept_while_another_one_would_trigger_it_again(world_of: Callable[[str], World]) -> None:
    world = world_of(FOLLOWED)
    world.worker("w1", capacity=9)
    world.tick("2026-01-01T12:00:00+00:00")
    slow, quick = sorted(world.claim(), key=lambda attempt: attempt.process == "a")
    world.end(quick)
    assert world.work() == 2
    assert [is_needed(world, f"{name}/{SLOT}") for name in ("a", "then", "last")] == [False, True, True]
    world.end(slow)
    world.tick()
    assert not any(is_needed(world, f"{name}/{SLOT}") for name in ("a", "b", "then", "last"))


def test_a_job_is_kept_until_the_calendar_has_passed_its_slot(world_of: Callable[[str], World]) -> None:
    world = world_of(FOLLOWED)
    world.worker("w1", capacity=9)
    world.launch("a", SLOT)
    world.put(changed(world.job(f"a/{SLOT}"), state="skipped", phase=ENDED))
    assert is_needed(world, f"a/{SLOT}")
    world.tick("2026-01-01T12:00:00+00:00")
    assert not is_needed(world, f"a/{SLOT}")


PROBED = """
    processes:
      p:
        executes: external:x
        qualifier: daily
        trigger: {}
        lag: 0s
        probe: [{constant: false}, {job_done: q}]
      r: {executes: external:x, qualifier: daily, trigger: {}, lag: 0s, depends_on: [q]}
      q: {executes: external:q, qualifier: daily, trigger: {}, lag: 0s}
"""


@pytest.mark.parametrize("waits", ["p", "r"])
def test_a_job_is_kept_while_another_one_waits_for_it(world_of: Callable[[str], World], waits: str) -> None:
    world = world_of(PROBED)
    for days in range(3):
        world.tick(START + timedelta(days=days))
    over = {"state": "processed", "phase": ENDED}
    for job in world.all(JobRecord):
        if job.process != waits and job.process != "q":
            world.put(changed(job, **over))
    for attempt in world.all(AttemptRecord):
        world.put(changed(attempt, phase=PAST))
    world.put(changed(world.job("q/D:2026010100"), **over))
    assert is_needed(world, "q/D:2026010100")
    world.put(changed(world.job(f"{waits}/D:2026010100"), **over))
    assert not is_needed(world, "q/D:2026010100")


def test_a_job_with_an_open_attempt_is_kept(world_of: Callable[[str], World]) -> None:
    world = world_of("processes: {p: {executes: external:x}}")
    world.launch("p", "!1")
    world.tick()
    job = changed(world.job("p/!1"), state="skipped", phase=ENDED)
    world.put(job)
    assert is_needed(world, "p/!1")


def test_what_cannot_be_planned_keeps_its_own_jobs_only(tmp_path: Path) -> None:
    world = World(tmp_path / "jobs", PROCESSES.format(lookback=1, late="") + BROKEN)
    world.has_broken = True
    break_jobs(world)
    world.launch("fires", "!1")
    world.put(replace(world.job("fires/!1"), state="processed", phase=ENDED))
    unknown = replace(world.job("early/D:nonsense"), slot="D:other", state="processed", phase=ENDED)
    needed = NeededJobs(world.snapshot())
    assert needed.has(world.job("early/D:nonsense"))
    assert needed.has(unknown), "whether its slot is planned again is not known"
    assert not needed.has(world.job("fires/!1"))
