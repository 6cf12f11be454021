"""From when a job may have an attempt, and when it is late."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from scoopi.scheduler.planning.job_times import due_of, opens_at, slot_end
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
DAILY = (
    'processes: {p: {executes: "python:a:b", qualifier: daily, %s, trigger: {at: ["6:00"], timezone: %s}}}'
)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("keys", "due"),
    [
        ("machine: discrete", START + DAY + timedelta(minutes=5)),
        ("lag: 2h", START + DAY + timedelta(hours=2)),
        ("machine: continuous", START),
        ("machine: recomputing", START),
    ],
)
def test_a_period_is_due_when_its_machine_says_so(world_of: Make, keys: str, due: datetime) -> None:
    world = world_of(DAILY % (keys, "UTC"))
    job = world.job(world.launch("p", "D:2026010100"))
    assert due_of(job, world.schedule.processes["p"]) == due
    assert slot_end(job) == START + DAY


def test_a_launch_is_not_due_before_the_time_that_it_names(world_of: Make) -> None:
    world = world_of(DAILY % ("lag: 0s", "UTC"))
    job = world.job(world.launch("p", "!1", not_before=START + 2 * DAY))
    assert due_of(job, world.schedule.processes["p"]) == START + 2 * DAY


@pytest.mark.parametrize(
    ("zone", "opens"), [("UTC", "2026-01-02T06:30:00+00:00"), ("Asia/Tokyo", "2026-01-01T21:30:00+00:00")]
)
def test_a_time_of_day_is_that_of_the_day_on_which_the_slot_ends(
    world_of: Make, zone: str, opens: str
) -> None:
    world = world_of(DAILY % ("probe: [{not_before: '06:30'}]", zone))
    job = world.job(world.launch("p", "D:2026010100"))
    assert opens_at(job, world.schedule.processes["p"]) == datetime.fromisoformat(opens)


@pytest.mark.parametrize("slot", ["D:2026010100", "@2026-01-01T06:00:00Z", "#2601010001"])
def test_a_jitter_delays_the_start_of_each_kind_of_slot_by_its_job(world_of: Make, slot: str) -> None:
    trigger = {"D": "at: ['6:00']", "@": "cron: '0 6 * * *'", "#": "slots: iterations, cron: '0 6 * * *'"}[
        slot[0]
    ]
    period = "qualifier: daily, lag: 0s, " if slot[0] == "D" else ""
    text = 'processes: {p: {executes: "python:a:b", %strigger: {%s%s}}}'
    early, late = (world_of(text % (period, trigger, more)) for more in ("", ", jitter: 10m"))
    due = [
        due_of(world.job(world.launch("p", slot)), world.schedule.processes["p"]) for world in (early, late)
    ]
    assert timedelta(0) < due[1] - due[0] < timedelta(minutes=10)
    launched = late.job(late.launch("p", "!1"))
    assert due_of(launched, late.schedule.processes["p"]) == START
