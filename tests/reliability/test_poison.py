"""The short form of the poisoned runs: pages that crash or hold their worker cost their own rows only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.poison import CRASH, HANG, NONE, Poison, PoisonRun

LIMIT_S = 100.0


@pytest.mark.parametrize("poison", [NONE, Poison("crash", CRASH, 0.03, 0), Poison("hang", HANG, 0.02, 0)])
def test_pages_that_take_their_worker_with_them_cost_no_other_row(tmp_path: Path, poison: Poison) -> None:
    run = PoisonRun(tmp_path, pages=100, page_s=0.01, poison=poison)
    run.run("-D", "scoopi.job.maxCrashes=1", limit_s=LIMIT_S)
    assert len(run.bad) == round(100 * poison.share)
