"""RunCompletion: the end of a run over nodes outlasts a store that is away for a while."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi.engine.run_completion import Presence, RunCompletion, RunLimits
from scoopi.engine.run_reporter import RunReporter
from scoopi.engine.stop_time import StopTime
from scoopi.errors import StoreError
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.run_report import RunStatus
from scoopi.publishing.row_tally import Published
from scoopi.publishing.run_rows import OwnRows, RunPhases
from scoopi.runs.run_file import RunFile, RunPlace
from scoopi.store import retries
from scoopi.store.runs.run_record import RunPhase, RunState

NEVER = StopTime(0.0)
"""Nobody asks to stop."""


class Parts:
    """Publisher, jobs, record, heartbeat, departure; the first publishings meet a store that is away."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.seeded = True
        self.moves: list[str] = []

    def publish(self, is_over: bool = True) -> Published:
        if self.refusals:
            self.refusals -= 1
            raise StoreError("no answer")
        return Published(rows={"data.txt": 3}, done=3)

    def to_ending(self) -> None:
        self.moves.append("ENDING")

    def to_over(self) -> None:
        self.moves.append("OVER")

    def read(self) -> RunState:
        return RunState("incarnation", RunPhase.RUNNING, self.seeded, "ann")

    def awaited(self, incarnations: object) -> tuple[str, ...]:
        return ()

    node = "ann"

    def leave(self, published: bool = True) -> bool:
        return True

    def left(self) -> int:
        return 0


Completion = Callable[..., RunCompletion]


def place_of(folder: Path) -> RunPlace:
    return RunPlace("run", folder, "incarnation", resume="again")


def reporter_of(folder: Path, parts: Any) -> RunReporter:
    return RunReporter(place_of(folder), RunFile(folder, folder), parts, parts, NodeCounts())


@pytest.fixture
def completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Completion:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    place = place_of(tmp_path)

    def make(
        parts: Any, timeout_s: float, stop: StopTime = NEVER, reporter: RunReporter | None = None
    ) -> RunCompletion:
        reporter = reporter or reporter_of(tmp_path, parts)
        rows, phases = OwnRows(parts, parts, was_over=False), RunPhases(parts, parts)
        limits = RunLimits(stop, timeout_s)
        return RunCompletion(place, reporter, rows, phases, Presence(parts, parts), limits)

    return make


def test_publishing_is_retried_while_the_store_is_away(completion: Completion) -> None:
    parts = Parts(refusals=3)
    report = completion(parts, 10.0).complete()
    assert (report.status, report.rows) == (RunStatus.DONE, {"data.txt": 3})
    assert parts.moves == ["ENDING"] * 4 + ["OVER"]


def test_while_a_run_continues_its_file_does_not_report_that_nothing_is_left(
    tmp_path: Path,
) -> None:
    reporter_of(tmp_path, Parts(refusals=0)).begin()
    written = json.loads((tmp_path / "run.json").read_bytes())
    assert (written["status"], written["jobs"]["left"]) == ("running", None)


@pytest.mark.parametrize(("seeded", "left"), [(False, None), (True, 0)])
def test_how_many_jobs_are_left_is_not_reported_before_every_locator_has_its_job(
    completion: Completion, tmp_path: Path, seeded: bool, left: int | None
) -> None:
    parts = Parts(refusals=0)
    parts.seeded = seeded
    assert completion(parts, 0.0).stop().jobs.left == left
    assert json.loads((tmp_path / "run.json").read_bytes())["jobs"]["left"] == left


def test_a_stop_that_publishes_nothing_reports_the_rows_of_the_files_that_stay(
    completion: Completion, tmp_path: Path
) -> None:
    completion(Parts(refusals=0), 0.0).complete()
    parts = Parts(refusals=1)
    reporter = reporter_of(tmp_path, parts)
    reporter.begin()
    assert '"data.txt": 3' in (tmp_path / "run.json").read_text()
    report = completion(parts, 0.0, reporter=reporter).stop()
    assert (report.published, report.rows) == (False, {"data.txt": 3})
    assert '"data.txt": 3' in (tmp_path / "run.json").read_text()


def test_a_run_that_is_over_ends_as_stopped_when_its_time_is_too_short_to_publish(
    completion: Completion, tmp_path: Path
) -> None:
    stop = StopTime(0.0)
    stop.begin(hard=True)
    parts = Parts(refusals=1)
    report = completion(parts, 10.0, stop).complete()
    assert (report.status, report.published, report.publish_note) == (RunStatus.STOPPED, False, "no answer")
    assert "OVER" not in parts.moves


def test_the_retries_have_an_end_and_the_run_is_not_over(completion: Completion, tmp_path: Path) -> None:
    parts = Parts(refusals=1_000_000)
    with pytest.raises(StoreError, match="no answer"):
        completion(parts, 0.05).complete()
    assert "OVER" not in parts.moves
    assert '"status": "failed"' in (tmp_path / "run.json").read_text()
