"""Monitor: an idle node asks whether the run is over, and shuts down once it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from scoopi.configs.groups import EngineSettings
from scoopi.errors import StoreError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.state_flipper import NodeState, StateFlipper

WAIT_S = 60.0
NEVER_MS = 3_600_000


class Run:
    """Says whether it is over as the test wants, and that it was asked."""

    def __init__(self) -> None:
        self.answers: list[bool | StoreError] = []
        self.asked = threading.Semaphore(0)

    def is_over(self) -> bool:
        answer = self.answers.pop(0) if self.answers else False
        self.asked.release()
        if isinstance(answer, StoreError):
            raise answer
        return answer


@contextmanager
def watched(
    run: Run, held: HeldJobs, state: StateFlipper, period_ms: int = NEVER_MS
) -> Iterator[Callable[[], None]]:
    """A monitor at work; gives its wake-up."""
    monitor = Monitor(held, state, cast("Any", run), EngineSettings(monitor_period_ms=period_ms))
    thread = threading.Thread(target=monitor.run)
    thread.start()
    try:
        yield monitor.wake
    finally:
        monitor.stop()
        thread.join(WAIT_S)
        assert not thread.is_alive()


def test_a_node_shuts_down_when_it_is_idle_and_the_run_is_over() -> None:
    run, state = Run(), StateFlipper()
    run.answers = [False, True]
    with watched(run, HeldJobs(), state) as wake:
        wake()
        assert run.asked.acquire(timeout=WAIT_S)
        assert state.state is not NodeState.SHUTDOWN
        wake()
        assert state.wait_for_shutdown(WAIT_S)
    assert not state.cancelled


def test_the_store_is_not_asked_while_the_node_holds_a_job() -> None:
    run, state, held = Run(), StateFlipper(), HeldJobs()
    run.answers = [True]
    held.add(["a"])
    with watched(run, held, state, period_ms=5):
        assert not run.asked.acquire(timeout=0.1)
        assert state.state is NodeState.READY
        held.remove(["a"])
        assert state.wait_for_shutdown(WAIT_S), "the period finds what no wake-up reported"


def test_a_store_that_does_not_answer_is_asked_again_and_its_outage_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, state = Run(), StateFlipper()
    run.answers = [StoreError("away"), StoreError("away"), True]
    with watched(run, HeldJobs(), state, period_ms=5):
        assert state.wait_for_shutdown(WAIT_S)
    assert [text.partition(" after ")[0] for text in caplog.messages] == [
        "monitor: the store failed, retrying: away",
        "monitor: the store answers again",
    ]


def test_a_node_without_jobs_is_idle_while_other_nodes_work() -> None:
    run, state = Run(), StateFlipper()
    with watched(run, HeldJobs(), state) as wake:
        wake()
        assert run.asked.acquire(timeout=WAIT_S)
        assert state.state is NodeState.IDLE
