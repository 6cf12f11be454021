"""Fires are calculated when they are due, not in each pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scoopi.periods.fires import LocalFires
from tests.scheduler.world import START, World

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
