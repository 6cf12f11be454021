"""A campaign reports each input that raises, kills or hangs the process, and continues with the next one."""

from __future__ import annotations

import os
import signal
import threading
from functools import partial
from pathlib import Path

import pytest

from scoopi.parse.tree.html_copier import copy_html
from tests.fuzz.campaign import Campaign, Plan, Report, feed
from tests.fuzz.page_inputs import FuzzPages
from tests.fuzz.page_target import PageTarget
from tests.fuzz.target import Target

DEADLY = 5


class PlayedTarget:
    """Accepts even numbers; subclasses do worse at DEADLY."""

    name = "played"
    host_timeout_s = 60.0

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def feed(self, number: int) -> bool:
        if number == DEADLY:
            self.fail()
        return number % 2 == 0

    def fail(self) -> None:
        """Nothing, here."""

    def shown(self, number: int) -> bytes:
        return f"{self._seed}/{number}".encode()

    def close(self) -> None:
        """Nothing was started."""


class RaisingTarget(PlayedTarget):
    def fail(self) -> None:
        raise KeyError("unexpected")


class DyingTarget(PlayedTarget):
    def fail(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


class ExitingTarget(PlayedTarget):
    def fail(self) -> None:
        os._exit(3)


class HangingTarget(PlayedTarget):
    def fail(self) -> None:
        threading.Event().wait(60)


def report_of(folder: Path, make: type[PlayedTarget], host_timeout_s: float = 60.0) -> Report:
    return Campaign(Plan(make, 1, 0, 8, folder), "played", host_timeout_s).run()


def test_inputs_are_counted_and_a_clean_campaign_keeps_nothing(tmp_path: Path) -> None:
    report = report_of(tmp_path / "kept", PlayedTarget)
    assert (report.inputs, report.refused, report.is_clean) == (8, 4, True)
    assert report.peak_mb > 1
    assert not (tmp_path / "kept").exists()


def test_an_input_that_raises_is_kept_and_the_next_ones_are_given(tmp_path: Path) -> None:
    report = report_of(tmp_path, RaisingTarget)
    assert (report.exceptions, report.inputs, report.is_clean) == (1, 8, False)
    assert (tmp_path / "played-1-5.input").read_bytes() == b"1/5"
    assert "KeyError: 'unexpected'" in (tmp_path / "played-1-5.txt").read_text()


@pytest.mark.parametrize(
    ("make", "fault"), [(DyingTarget, "died of SIGSEGV"), (ExitingTarget, "exited with 3")]
)
def test_an_input_that_kills_is_kept_and_the_next_ones_are_given(
    tmp_path: Path, make: type[PlayedTarget], fault: str
) -> None:
    report = report_of(tmp_path, make)
    assert [line.partition(";")[0] for line in report.deaths] == [f"  input {DEADLY}: {fault}"]
    assert (tmp_path / "played-1-5.input").read_bytes() == b"1/5"
    assert (report.inputs, report.is_clean) == (7, False)


def test_an_input_that_hangs_is_kept_and_the_next_ones_are_given(tmp_path: Path) -> None:
    report = report_of(tmp_path, HangingTarget, host_timeout_s=1.0)
    assert [line.partition(";")[0] for line in report.hangs] == [f"  input {DEADLY}: took more than 1 s"]
    assert (report.inputs, report.is_clean) == (7, False)


def test_backends_that_differ_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(page: bytes, max_depth: int) -> object:
        return copy_html(page + b"<p>more", max_depth)

    monkeypatch.setattr("tests.fuzz.page_target.copy_html", other)
    plan = Plan(partial(PageTarget, copied_every=20), 1, 0, 200, tmp_path)
    marks = Campaign(plan, "pages", 60.0).marks
    feed(plan, marks)
    assert marks.exceptions.value > 2
    reasons = [path.read_text(encoding="utf-8") for path in tmp_path.glob("pages-1-*.txt")]
    assert any("the HTML backends give different trees" in text for text in reasons)


def test_a_page_is_made_from_seed_and_number_alone() -> None:
    assert FuzzPages(7).page(11) == FuzzPages(7).page(11)
    assert len({FuzzPages(seed).page(number).body for seed in (1, 2) for number in range(500)}) > 900


def test_the_page_target_shows_the_page_it_feeds() -> None:
    target: Target = PageTarget(7)
    assert target.shown(11).endswith(FuzzPages(7).page(11).body)
