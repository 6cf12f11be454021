"""Fixtures of the tests of the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scheduler.scenarios.world import World


@pytest.fixture
def world_of(tmp_path: Path) -> Callable[[str], World]:
    """Makes a world of processes, given as the text below `processes:`."""
    made = 0

    def make(text: str) -> World:
        nonlocal made
        made += 1
        return World(tmp_path / f"jobs{made}", text)

    return make
