"""Counts of a distribution add up."""

from __future__ import annotations

import threading

import pytest

from scoopi.errors import StoreError
from scoopi.metrics.node_counts import CachedFigure, NodeCounts


def test_a_distribution_counts_each_value_below_the_bounds_that_hold_it() -> None:
    counts = NodeCounts()
    for value in (0.05, 0.1, 0.7, 3.0):
        counts.observe("commit", value, (0.1, 1.0))
    assert counts.with_prefix("commit.") == {"count": 4, "sum": 3.85, "most.0.1": 2, "most.1.0": 3}


LIMIT_S = 60.0


class Source:
    """Counts how often it is read; breaks when asked to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.reads = 0
        self.broken = False

    def clock(self) -> float:
        return self.now

    def read(self) -> int:
        self.reads += 1
        if self.broken:
            raise StoreError("the store does not answer")
        return self.reads


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def figure(source: Source) -> CachedFigure:
    return CachedFigure(source.read, 1.0, source.clock)


def test_an_answer_is_kept_for_its_time(source: Source, figure: CachedFigure) -> None:
    assert [figure.value() for _ in range(3)] == [1, 1, 1]
    source.now = 0.99
    assert figure.value() == 1
    source.now = 1.0
    assert figure.value() == 2


def test_a_source_that_fails_leaves_the_last_answer(source: Source, figure: CachedFigure) -> None:
    source.broken = True
    assert figure.value() is None
    source.now, source.broken = 1.0, False
    assert figure.value() == 2
    source.now, source.broken = 2.0, True
    assert [figure.value(), figure.value()] == [2, 2]
    assert source.reads == 3


def test_a_caller_that_comes_during_a_read_does_not_wait() -> None:
    reading, go_on = threading.Event(), threading.Event()

    def read() -> int:
        reading.set()
        assert go_on.wait(LIMIT_S)
        return 5

    figure = CachedFigure(read, 60.0)
    first = threading.Thread(target=figure.value)
    first.start()
    assert reading.wait(LIMIT_S)
    assert figure.value() is None
    go_on.set()
    first.join(LIMIT_S)
    assert figure.value() == 5
