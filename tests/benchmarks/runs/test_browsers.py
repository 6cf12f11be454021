"""The runs and loops that are compared give the same rows; figures are printed by the long form."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.runs.browsers import by_hand, by_scoopi

PAGES, ROWS = 6, 100


def test_run_and_loop_read_the_same(tmp_path: Path) -> None:
    run = by_scoopi(tmp_path / "run", PAGES, 1)
    loop = by_hand(tmp_path / "loop", PAGES, 1)
    assert run.records == loop.records == PAGES * ROWS
    assert min(run.memory_mb, loop.memory_mb, run.per_second, loop.per_second) > 0


def test_of_a_mixed_site_auto_reads_all_pages(tmp_path: Path) -> None:
    assert by_scoopi(tmp_path / "mixed", PAGES, 1, "auto", "mixed").records == PAGES * ROWS
