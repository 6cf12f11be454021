"""The short form of the hammer; the long one is `python -m tests.serve.hammers.hammer`."""

from __future__ import annotations

import random
from pathlib import Path

from tests.serve.hammers.hammer import Hammer
from tests.serve.hammers.hammer_stores import HammerStore


def test_jobs_end_once_whatever_happens_to_three_serves(tmp_path: Path) -> None:
    store, chance = HammerStore(tmp_path), random.Random(1)
    result = Hammer(store, jobs=16, rounds=4, length=(0.5, 1.5), pause_s=0.4, chance=chance).run()
    assert result.faults == [], result.text()
    assert set(result.rounds) == {"kill", "stop", "clock", "store"}
