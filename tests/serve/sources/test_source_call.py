"""The window of a source: its current number and those before it."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from scoopi.serve.sources.source_call import window_of
from scoopi.serve.sources.source_client import SourceClient
from tests.serve.conftest import NOW, Deployed


class Source:
    """Counts down by a step from a number."""

    def __init__(self, current: object, step: int = 1, last: int = -99) -> None:
        self._current, self._step, self._last = current, step, last

    def current(self, now: datetime) -> object:
        assert now == NOW
        return self._current

    def previous(self, number: int, i: int) -> int | None:
        found = number - i * self._step
        return found if found > self._last else None


@pytest.mark.parametrize(
    ("source", "lookback", "window"),
    [
        (Source(None), 3, []),
        (Source(7), 0, [7]),
        (Source(7), 2, [5, 6, 7]),
        (Source(1), 3, [0, 1]),
        (Source(7, last=5), 3, [6, 7]),
        (Source(7, step=0), 3, [7]),
        (Source(-1), 0, []),
    ],
)
def test_numbers_below_zero_and_unknown_ones_are_left_out(
    source: Source, lookback: int, window: list[int]
) -> None:
    assert window_of(source, NOW, lookback) == window


@pytest.mark.parametrize("value", ["7", 7.0, True, [7]])
def test_a_source_returns_whole_numbers(value: object) -> None:
    with pytest.raises(TypeError, match=r"current returned .*; return a whole number, or None"):
        window_of(Source(value), NOW, 0)


def test_a_number_that_no_slot_can_have_is_an_error() -> None:
    largest = 10**18 - 1
    assert window_of(Source(largest), NOW, 0) == [largest]
    with pytest.raises(ValueError, match="current returned a number of more than 18 digits"):
        window_of(Source(largest + 1), NOW, 0)
    with pytest.raises(ValueError, match="previous returned a number of more than 18 digits"):
        window_of(Source(largest, step=-1, last=0), NOW, 1)


def test_a_source_of_such_a_number_stops_no_pass(deployed: Deployed, tmp_path: Path) -> None:
    source = "class Src:\n    def current(self, now):\n        return 10**30\n"
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/queue.py").write_text(source)
    state = deployed("""
        processes:
          p: {executes: external:x, trigger: {slots: iterations, source: "python:queue:Src", every: 1m}}
          q: {executes: external:x, trigger: {every: 1m}}
    """)
    sources = SourceClient(state.store, state.current, state.project, dict(os.environ))
    sources.ask_all(NOW)
    state.passes.run(NOW + timedelta(minutes=1))
    error = "ValueError: current returned a number of more than 18 digits"
    assert state.store.processes()["p"].source_error == error
    assert [each.process for each in state.store.open_attempts()] == ["q"]
