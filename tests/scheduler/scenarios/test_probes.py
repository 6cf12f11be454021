"""The gate `prepare`: the probes that a pass evaluates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from scoopi.model.schedule.schedule_records import ProcessRecord
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
DAILY = """
    processes:
      p: {{executes: external:x, qualifier: daily, trigger: {{}}, lag: 0s, probe: [{probe}]}}
      q: {{executes: external:x, mode: manual}}
"""


def test_a_time_of_day_counts_on_the_day_of_the_slots_end_in_the_zone_of_the_trigger(world_of: Make) -> None:
    text = DAILY.replace("trigger: {{}}", "trigger: {{at: ['*-00:00'], timezone: Europe/Berlin}}")
    world = world_of(text.format(probe='{not_before: "06:30"}'))
    world.tick("2026-01-01T00:00:00+00:00")
    world.tick("2026-01-02T05:29:59+00:00")

    why = world.why("p/D:2026010100")
    assert (why["gate"], why["until"]) == ("prepare", "2026-01-02T05:30:00Z")
    assert why["reason"] == "not before 2026-01-02T05:30:00Z"
    assert world.states("p")["D:2026010100"] == "embryo"

    world.tick("2026-01-02T05:30:00+00:00")
    assert world.states("p")["D:2026010100"] == "in_progress"


def test_a_job_of_a_manual_process_waits_for_a_time_in_utc(world_of: Make) -> None:
    world = world_of('processes: {m: {executes: external:x, probe: [{not_before: "8:05"}]}}')
    job = world.launch("m", "!1")
    world.tick()
    assert world.why(job)["until"] == "2026-01-01T08:05:00Z"


def test_a_job_waits_until_another_is_processed_whatever_else_becomes_of_it(world_of: Make) -> None:
    world = world_of(DAILY.format(probe="{job_done: q}"))
    world.tick("2026-01-01T00:00:00+00:00")
    world.tick("2026-01-02T00:00:00+00:00")
    assert world.why("p/D:2026010100")["reason"] == "q has no slot for D:2026010100"


def test_the_job_of_the_period_before_may_be_asked_for(world_of: Make) -> None:
    world = world_of(
        """
        processes:
          p: {executes: external:x, qualifier: daily, trigger: {}, lag: 0s,
              probe: [{job_done: {process: q, slot: previous}}]}
          q: {executes: external:q, qualifier: daily, trigger: {}, lag: 0s, retry: {on_exhausted: fail}}
        """
    )
    for name in ("p", "q"):
        world.put(ProcessRecord(name=name, since=START - timedelta(days=1)))
    world.tick("2026-01-02T00:00:00+00:00")
    reason = world.why("p/D:2026010100")["reason"]
    assert reason == "waits for q/D:2025123100, which has been in_progress since 2026-01-02T00:00:00Z"
    assert world.why("p/D:2025123100")["reason"] == "waits for q/D:2025123000, which does not exist yet"

    (attempt,) = [each for each in world.attempts("waiting") if each.job == "q/D:2025123100"]
    world.put(attempt)
    (running,) = [each for each in world.claim("") if each.job == "q/D:2025123100"]
    world.end(running)
    world.tick()
    assert world.states("p")["D:2026010100"] == "in_progress"


def test_a_constant_says_whether_anything_starts(world_of: Make) -> None:
    world = world_of(DAILY.format(probe="{constant: true}, {constant: false}"))
    world.tick("2026-01-01T00:00:00+00:00")
    world.tick("2026-01-02T00:00:00+00:00")
    assert world.why("p/D:2026010100")["reason"] == "probe: constant is false"
