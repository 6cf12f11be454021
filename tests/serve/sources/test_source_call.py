"""The window of a source: its current number and those before it."""

from __future__ import annotations

from datetime import datetime

import pytest

from scoopi.serve.sources.source_call import window_of
from tests.serve.conftest import NOW


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
