"""A managed process is evaluated when its trigger says so, or when something happens that it wakes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.planning.evaluations import trigger_text
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
TWO = """
    processes:
      first: {executes: external:x, qualifier: hourly, trigger: {every: 60s}, lag: 0s, retry: {max: 0}}
      second:
        executes: external:x
        qualifier: hourly
        lag: 0s
        trigger: {every: 45m%s}
        depends_on: [{process: first, slot: previous}]
"""


def at(hour: int, minute: int = 0, second: int = 0, day: int = 0) -> datetime:
    return START + timedelta(days=day, hours=hour, minutes=minute, seconds=second)


def test_periods_get_jobs_at_the_times_of_the_trigger(world_of: Make) -> None:
    world = world_of(TWO % "")
    world.tick(at(0))
    assert [*world.states("second")] == ["H:2026010100"], "the deployment counts"
    world.tick(at(1, 0, 30))
    assert len(world.states("second")) == 1
    world.tick(at(1, 29, 59))
    assert len(world.states("second")) == 1
    world.tick(at(1, 30))
    assert [*world.states("second")] == ["H:2026010100", "H:2026010101"]
    assert [*world.states("first")][:1] == ["H:2026010100"]


def test_a_time_of_day_is_a_look_too(world_of: Make) -> None:
    world = world_of(
        "processes: {p: {executes: external:x, qualifier: daily, trigger: {at: ['3:00']}, lag: 0s}}"
    )
    world.tick(at(0))
    world.tick(at(2, 59, day=1))
    assert [*world.states("p")] == ["D:2026010100"]
    world.tick(at(3, 0, day=1))
    assert [*world.states("p")] == ["D:2026010100", "D:2026010200"]


def test_a_deployment_is_a_look(world_of: Make) -> None:
    world = world_of(TWO % "")
    world.tick(at(0))
    world.deployed = START + timedelta(hours=1, minutes=5)
    world.tick(at(1, 4))
    assert len(world.states("second")) == 1
    world.tick(at(1, 5))
    assert len(world.states("second")) == 2


def test_the_end_of_a_dependency_is_a_look_unless_the_process_does_not_wake_on_it(world_of: Make) -> None:
    for wake_on, jobs in (("", 2), (", wake_on: [child_done]", 1)):
        world = world_of(TWO % wake_on)
        world.worker()
        world.tick(at(0))
        world.tick(at(1, 0, 30))
        attempt = next(each for each in world.attempts("waiting") if each.process == "first")
        world.put(changed(attempt, status="succeeded", phase="unsettled", ended=world.now))
        world.tick()
        assert len(world.states("second")) == jobs, wake_on


def test_iterations_of_cron_are_looked_for_at_each_interval(world_of: Make) -> None:
    world = world_of("""
        processes:
          p:
            executes: external:x
            trigger: {slots: iterations, cron: "*/10 * * * *", every: 25m}
            lookback: 1
    """)
    world.tick(at(0, 10))
    assert world.states("p") == {}
    world.tick(at(0, 25))
    assert [*world.states("p")] == ["#2601010002", "#2601010003"]


def test_a_period_that_is_worked_on_repeatedly_gets_attempts_at_the_evaluations(world_of: Make) -> None:
    world = world_of("""
        processes:
          p: {executes: "python:a:b", qualifier: daily, machine: continuous, trigger: {every: 10m}}
    """)
    world.worker()
    world.tick(at(0, 1))
    world.work()
    assert world.job("p/D:2026010100").next_at == at(0, 10)
    world.tick(at(0, 9, 59))
    assert not world.attempts("waiting")
    world.tick(at(0, 10))
    assert len(world.attempts("waiting")) == 1


def test_an_interval_that_was_set_by_hand_counts_from_then(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: external:x, trigger: {every: 1h}, overlap: allow}}")
    world.tick(at(1))
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    world.put(changed(record, interval=timedelta(minutes=10), interval_from=record.last_fire))
    world.tick(at(1, 9))
    assert len(world.states("p")) == 1
    world.tick(at(1, 10))
    assert [*world.states("p")] == ["@2026-01-01T01:00:00Z", "@2026-01-01T01:10:00Z"]


def test_the_bounds_of_a_trigger_are_shown_with_its_times(world_of: Make) -> None:
    bounds = 'since: "2026-01-01T02:30:00Z", until: "2027-01-01T00:00:00Z"'
    world = world_of(f"processes: {{p: {{executes: external:x, trigger: {{cron: '0 * * * *', {bounds}}}}}}}")
    text = trigger_text(world.schedule.processes["p"], ProcessRecord(name="p", since=START))
    assert text == "cron 0 * * * * since 2026-01-01T02:30:00Z until 2027-01-01T00:00:00Z"


def test_without_a_time_in_the_trigger_a_process_is_looked_at_each_minute(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: external:x, qualifier: hourly, trigger: {}, lag: 0s}}")
    since = START + timedelta(minutes=59, seconds=30)
    world.put(ProcessRecord(name="p", since=since))
    found = []
    for second in (0, 29, 30, 31):  # evaluations are at half past each minute
        world.tick(at(1, 0, second))
        found.append(len(world.states("p")))
    assert found == [1, 1, 2, 2]
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    assert trigger_text(world.schedule.processes["p"], record) == "every 1m"
