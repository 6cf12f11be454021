"""Fires are calculated when they are due, not in each pass."""

from __future__ import annotations

from datetime import timedelta
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
