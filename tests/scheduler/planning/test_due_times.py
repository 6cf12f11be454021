"""What is due is planned when it is due, not at the next sweep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.planning.due_times import DueTimes
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
HOUR = timedelta(hours=1)


def test_the_next_fire_or_the_next_time_of_a_job_is_the_next_time(world_of: Make) -> None:
    hourly = "{executes: external:x, trigger: {cron: '0 * * * *'}, overlap: allow}"
    world = world_of(f"processes: {{hourly: {hourly}, manual: {{executes: external:x}}}}")
    due = DueTimes()
    assert due.next(world.snapshot()) == START + HOUR
    assert due.next(replace(world.snapshot(), now=START + HOUR)) == START + 2 * HOUR
    world.launch("manual", "!1", not_before=START + timedelta(minutes=5))
    assert due.next(world.snapshot()) == START + timedelta(minutes=5)


def test_a_start_that_jitter_delays_has_its_own_time(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: external:x, trigger: {cron: '0 * * * *', jitter: 10m}}}")
    fire = START + HOUR
    world.tick(fire)
    following = DueTimes().next(world.snapshot())
    assert following is not None
    assert fire < following < fire + timedelta(minutes=10)
    world.tick(following)
    assert len(world.all(AttemptRecord)) == 1


def test_without_anything_that_becomes_due_there_is_no_next_time(world_of: Make) -> None:
    assert DueTimes().next(world_of("processes: {p: {executes: external:x}}").snapshot()) is None
