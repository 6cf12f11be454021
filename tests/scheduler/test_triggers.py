"""Fires are calculated when they are due, not in each pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.fires import LocalFires
from scoopi.scheduler.triggers import upcoming
from tests.scheduler.scenarios.world import START, World

DAILY = "processes:\n  p: {executes: external:x, trigger: {cron: '17 6 * * *'}}\n"


def test_passes_before_the_next_fire_calculate_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path / "jobs", DAILY)
    world.tick(START + timedelta(minutes=1))

    def unexpected(*_: object) -> None:
        raise AssertionError("a fire was calculated although none is due")

    with monkeypatch.context() as patched:
        for name in ("after", "before"):
            patched.setattr(LocalFires, name, unexpected)
        for hour in range(1, 6):
            assert world.tick(START + timedelta(hours=hour)) == []
    world.tick(START + timedelta(hours=6, minutes=17))
    assert [*world.states("p")] == ["@2026-01-01T06:17:00Z"]


@pytest.mark.parametrize(("rule", "fires"), [("once", ["00:30"]), ("every", ["00:30", "01:30"])])
def test_a_time_that_occurs_twice_gets_one_job_or_two_as_dst_says(
    tmp_path: Path, rule: str, fires: list[str]
) -> None:
    trigger = f'{{cron: "30 2 * * *", timezone: Europe/Berlin, dst: {rule}, since: "2026-10-24T12:00:00Z"}}'
    text = f'processes: {{p: {{executes: "python:a:b", trigger: {trigger}, overlap: allow, catchup: all}}}}'
    world = World(tmp_path / "jobs", text)
    for minutes in range(0, 180, 30):
        world.tick(datetime(2026, 10, 25, 0, minutes % 60, 1, tzinfo=UTC) + timedelta(hours=minutes // 60))
    assert [*world.states("p")] == [f"@2026-10-25T{each}:00Z" for each in fires]


def following_of(world: World) -> list[str]:
    (record,) = world.all(ProcessRecord)
    return [str(slot) for slot, _ in upcoming(world.schedule.processes["p"], record, world.now, 9)]


BOUNDS = 'since: "2026-01-01T02:30:00Z", until: "2026-01-01T05:00:00Z"'


@pytest.mark.parametrize(
    ("keys", "slots"),
    [
        ("trigger: {cron: '0 * * * *', %s}, catchup: all, overlap: allow", ["@2026-01-01T03:00:00Z"]),
        ("trigger: {slots: iterations, cron: '0 * * * *', %s}", ["#2601010004"]),
        ("qualifier: hourly, trigger: {%s}", ["H:2026010102", "H:2026010103"]),
        ("qualifier: hourly, trigger: {cron: '0 * * * *', %s}", ["H:2026010102", "H:2026010103"]),
    ],
)
def test_a_trigger_gives_slots_from_since_to_until_whatever_their_kind(
    tmp_path: Path, keys: str, slots: list[str]
) -> None:
    world = World(tmp_path / "jobs", f"processes: {{p: {{executes: external:x, {keys % BOUNDS}}}}}")
    for hour in range(10):
        following = following_of(world)
        world.tick(START + timedelta(hours=hour, seconds=1))
        if hour == 3:
            assert [*world.states("p")] == slots
    found = [*world.states("p")]
    assert (found[: len(slots)], len(found)) == (slots, len(slots) + 2)
    assert following == []
    world = World(tmp_path / "again", f"processes: {{p: {{executes: external:x, {keys % BOUNDS}}}}}")
    assert following_of(world) == found
