"""Broken pages break no process, and the gears agree on them; what would be found is reported."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from scoopi.parse.html_walk import walk_html
from tests.parse.fuzz import Fuzz
from tests.parse.fuzz_feed import FeedMarks, FeedPlan, feed
from tests.parse.fuzz_pages import FuzzPages

DEADLY = 5


def plan(folder: Path, end: int, seed: int = 1) -> FeedPlan:
    return FeedPlan(seed, 0, end, 25, folder / "kept")


def die_at_one(plan: FeedPlan, marks: FeedMarks) -> None:
    for number in range(plan.first, plan.end + 1):
        marks.at.value = number
        if number == DEADLY:
            os.kill(os.getpid(), signal.SIGSEGV)


def stand_still(plan: FeedPlan, marks: FeedMarks) -> None:
    if plan.first == 0:
        marks.at.value = 0
        threading.Event().wait(60)
    marks.at.value = plan.end


def end_early(plan: FeedPlan, marks: FeedMarks) -> None:
    if plan.first == 0:
        os._exit(3)
    marks.at.value = plan.end


def test_5000_broken_pages_crash_nothing_and_the_gears_agree(tmp_path: Path) -> None:
    report = Fuzz(plan(tmp_path, 5000)).run()
    assert report.is_clean, report.text()
    assert 0 < report.refused < 2000
    assert not (tmp_path / "kept").exists()


def test_a_page_that_kills_is_kept_and_the_next_ones_are_fed(tmp_path: Path) -> None:
    report = Fuzz(plan(tmp_path, 8), die_at_one).run()
    assert [death.partition(";")[0] for death in report.deaths] == ["page 5: died of SIGSEGV"]
    assert (tmp_path / "kept" / "1-5.html").read_bytes() == FuzzPages(1).page(DEADLY).body
    assert not report.is_clean


def test_a_page_that_takes_too_long_is_a_death(tmp_path: Path) -> None:
    report = Fuzz(plan(tmp_path, 3), stand_still, patience_s=0.2).run()
    assert [death.partition(";")[0] for death in report.deaths] == ["page 0: took more than 0.2 s"]


def test_a_process_that_ends_early_is_a_death(tmp_path: Path) -> None:
    report = Fuzz(plan(tmp_path, 3), end_early).run()
    assert [death.partition(";")[0] for death in report.deaths] == ["page 0: ended with 3"]


def test_gears_that_differ_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(page: bytes, max_depth: int) -> object:
        return walk_html(page + b"<p>more", max_depth)

    monkeypatch.setattr("tests.parse.fuzz_feed.walk_html", other)
    marks = Fuzz(plan(tmp_path, 1)).marks
    feed(plan(tmp_path, 200), marks)
    assert marks.faults.value > 2
    said = [path.read_text(encoding="utf-8") for path in (tmp_path / "kept").glob("1-*.txt")]
    assert any("the gears give different trees" in text for text in said)


def test_a_page_is_made_from_seed_and_number_alone() -> None:
    assert FuzzPages(7).page(11) == FuzzPages(7).page(11)
    assert len({FuzzPages(seed).page(number).body for seed in (1, 2) for number in range(500)}) > 900
