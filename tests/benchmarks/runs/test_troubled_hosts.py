"""Hosts in trouble cost other hosts nothing, and no row; the figures are printed by the long form."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.runs.troubled_hosts import FLAPPING, GOOD, Rate, beside, rate

PAGES = 20


def test_a_host_that_answers_every_fifth_request_with_503_loses_no_row_and_holds_up_no_other(
    tmp_path: Path,
) -> None:
    found = beside(tmp_path / "both", [GOOD, FLAPPING], PAGES, delay_ms=10)
    assert found.rows == 2 * PAGES
    assert found.refused >= PAGES // 5
    assert not found.last_good, "the good host's pages are through while the other one is asked again"


def test_good_hosts_are_asked_while_others_never_answer(tmp_path: Path) -> None:
    found = rate(tmp_path / "with", good=270, dead=30, timeout_ms=600_000)
    assert found.pages == 270


def test_all_pages_of_many_hosts_are_loaded(tmp_path: Path) -> None:
    found = rate(tmp_path / "many", good=40, pages_each=3, delay_ms=0)
    assert found.pages == 120


def test_a_rate_is_pages_by_the_time_from_the_first_to_the_last() -> None:
    assert Rate(100, 2.0).per_second == 50
