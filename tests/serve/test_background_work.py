"""Sources are asked where passes run, and notices are sent where attempts do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import BusyRecordError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.background_work import BackgroundWork
from scoopi.serve.gc.incremental_collector import IncrementalCollector
from scoopi.serve.serve_options import ServeOptions
from scoopi.serve.sources.source_client import SourceClient
from scoopi.serve.state import State
from tests.serve.conftest import NOW

PROJECT = """
processes:
  p: {executes: external:x, trigger: {slots: iterations, source: "python:queue:Source", every: 1m}}
"""
SOURCE = "class Source:\n    def current(self, now):\n        return 3\n"
WORKER = WorkerRecord(worker="w", incarnation="1")


@pytest.mark.parametrize("schedules", [True, False])
def test_a_source_is_asked_in_turns_and_only_by_what_schedules(tmp_path: Path, schedules: bool) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/jobs.yml").write_text(PROJECT)
    (tmp_path / "jobs/queue.py").write_text(SOURCE)
    answers: list[bool] = []
    with State(tmp_path / "scheduler") as state:
        state.deploy(tmp_path / "jobs", None, NOW)
        options = ServeOptions(schedules=schedules)
        work = BackgroundWork(state, options, WORKER, dict(os.environ), lambda: answers.append(True))
        work.turn(NOW)
        assert work.has_open() is schedules
        ends = time.monotonic() + 60
        while work.has_open() and time.monotonic() < ends:
            time.sleep(min(0.05, work.wait_s()))
            work.turn(NOW)
        work.close()
        assert state.store.processes()["p"].window == ((3,) if schedules else ())
    assert answers == [True] * schedules


@pytest.fixture
def turns_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], list[str]]:
    """Returns what had a turn in three turns, while those of the garbage collector raise an error."""

    def turns_while(error: Exception) -> list[str]:
        turns: list[str] = []

        def fails(rounds: object, now: object) -> None:
            turns.append("rounds")
            raise error

        monkeypatch.setattr(IncrementalCollector, "turn", fails)
        monkeypatch.setattr(SourceClient, "turn", lambda sources, now: turns.append("source"))
        with State(tmp_path / "scheduler") as state:
            work = BackgroundWork(state, ServeOptions(), WORKER, dict(os.environ), lambda: None)
            for _ in range(3):
                work.turn(NOW)
            work.close()
        return turns

    return turns_while


def test_an_unexpected_error_stops_neither_the_others_nor_the_serve(
    turns_while: Callable[[Exception], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    assert turns_while(KeyError("defect")) == ["rounds", "source", "source", "source"]
    assert [record.getMessage() for record in caplog.records] == [
        "the garbage collector failed, trying again in 60 s"
    ]


def test_a_record_that_keeps_changing_is_no_outage_of_the_store(
    turns_while: Callable[[Exception], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    assert turns_while(BusyRecordError("the record p keeps changing")) == ["rounds", "source"] * 3
    assert caplog.messages == ["the garbage collector is held up: the record p keeps changing"] * 3
