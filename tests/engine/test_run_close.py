"""RunClose: the end of a run over nodes outlasts a store that is away for a while."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scoopi.engine.run_close import NEVER, RunClose
from scoopi.engine.stop_time import StopTime
from scoopi.errors import StoreError
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.run_report import RunStatus
from scoopi.publishing.publisher import Published
from scoopi.publishing.run_rows import OwnRows
from scoopi.runs.run_file import RunFile
from scoopi.runs.run_place import RunPlace
from scoopi.store import retries
from scoopi.store.runs.run_record import RunPhase, RunState

NOW = datetime.now().astimezone()


class Parts:
    """Publisher, jobs, record, heartbeat, departure; the first publishings meet a store that is away."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.seeded = True
        self.moves: list[str] = []

    def publish(self) -> Published:
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


Close = Callable[..., RunClose]


@pytest.fixture
def close(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Close:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    place = RunPlace("run", tmp_path, "incarnation", publishes_parts=True, resume="again")

    def make(parts: Any, patience_s: float, stop: StopTime = NEVER) -> RunClose:
        file = RunFile(tmp_path, tmp_path)
        rows = OwnRows(parts, parts, was_over=False)
        return RunClose(
            place, parts, rows, parts, parts, file, NodeCounts(), parts, parts, patience_s, stop=stop
        )

    return make


def test_publishing_is_tried_again_while_the_store_is_away(close: Close) -> None:
    parts = Parts(refusals=3)
    report = close(parts, 10.0).over(NOW)
    assert (report.status, report.rows) == (RunStatus.DONE, {"data.txt": 3})
    assert parts.moves == ["ENDING"] * 4 + ["OVER"]


def test_while_a_run_goes_on_its_file_does_not_say_that_nothing_is_left(close: Close, tmp_path: Path) -> None:
    close(Parts(refusals=0), 0.0).begin(NOW)
    told = json.loads((tmp_path / "run.json").read_bytes())
    assert (told["status"], told["jobs"]["left"]) == ("running", None)


@pytest.mark.parametrize(("seeded", "left"), [(False, None), (True, 0)])
def test_how_many_jobs_are_left_is_not_told_before_every_locator_has_its_job(
    close: Close, tmp_path: Path, seeded: bool, left: int | None
) -> None:
    parts = Parts(refusals=0)
    parts.seeded = seeded
    assert close(parts, 0.0).stopped(NOW).jobs.left == left
    assert json.loads((tmp_path / "run.json").read_bytes())["jobs"]["left"] == left


def test_a_stop_that_publishes_nothing_tells_the_rows_of_the_files_that_stay(
    close: Close, tmp_path: Path
) -> None:
    first = close(Parts(refusals=0), 0.0)
    first.begin(NOW)
    first.over(NOW)
    second = close(Parts(refusals=1), 0.0)
    second.begin(NOW)
    assert '"data.txt": 3' in (tmp_path / "run.json").read_text()
    report = second.stopped(NOW)
    assert (report.published, report.rows) == (False, {"data.txt": 3})
    assert '"data.txt": 3' in (tmp_path / "run.json").read_text()


def test_a_run_that_is_over_ends_as_stopped_when_its_time_is_too_short_to_publish(
    close: Close, tmp_path: Path
) -> None:
    stop = StopTime(0.0)
    stop.begin(hard=True)
    parts = Parts(refusals=1)
    report = close(parts, 10.0, stop).over(NOW)
    assert (report.status, report.published, report.publish_note) == (RunStatus.STOPPED, False, "no answer")
    assert "OVER" not in parts.moves


def test_patience_has_an_end_and_the_run_is_not_over(close: Close, tmp_path: Path) -> None:
    parts = Parts(refusals=1_000_000)
    with pytest.raises(StoreError, match="no answer"):
        close(parts, 0.05).over(NOW)
    assert "OVER" not in parts.moves
    assert '"status": "failed"' in (tmp_path / "run.json").read_text()
