"""The short form of the hammer; the long one is `python -m tests.serve.hammer`."""

from __future__ import annotations

from pathlib import Path

from tests.serve.hammer import Hammer


def test_jobs_end_once_whatever_happens_to_three_serves(tmp_path: Path) -> None:
    result = Hammer(tmp_path, jobs=16, rounds=4, length=(0.5, 1.5), pause_s=0.4, seed=1).run()
    assert result.faults == [], result.text()
    assert set(result.rounds) == {"kill", "stop", "clock", "store"}
