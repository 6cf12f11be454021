"""A process may die before any of its writes: what follows reaches the same end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.serve.histories import hand_scenarios, time_scenarios, worker_scenarios
from tests.serve.histories.crashing_world import CrashingWorld
from tests.serve.histories.scenarios import SCENARIOS
from tests.store.faulty_store import Faults

assert hand_scenarios, "importing them registers them"
assert time_scenarios
assert worker_scenarios


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_crash_before_any_write_leads_to_the_same_end(name: str, tmp_path: Path) -> None:
    text, play = SCENARIOS[name].text, SCENARIOS[name].play
    world = CrashingWorld(tmp_path, text)
    world.worker("w1")
    first = world.copy(Faults())
    play(first)
    expected = first.outcome()
    assert first.writes > 5
    for count in range(first.writes):
        again = world.copy(Faults(dies_after=count))
        play(again)
        assert again.outcome() == expected, f"after {count} of {first.writes} writes"
