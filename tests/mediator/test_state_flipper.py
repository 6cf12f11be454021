"""Monitor, StateFlipper, HeldJobs: when a node is idle, and when it may shut down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from scoopi.configs.groups import EngineSettings
from scoopi.errors import StoreError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.state_flipper import Monitor, NodeState, StateFlipper

WAIT_S = 60.0
NEVER_MS = 60_000


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


def test_a_store_that_does_not_answer_is_asked_again() -> None:
    run, state = Run(), StateFlipper()
    run.answers = [StoreError("away"), True]
    with watched(run, HeldJobs(), state, period_ms=5):
        assert state.wait_for_shutdown(WAIT_S)


def test_the_state_goes_to_and_fro_until_the_end_and_never_back_from_it() -> None:
    state = StateFlipper()
    moves: list[tuple[Callable[[], None], NodeState]] = [
        (lambda: state.mark_idle(True), NodeState.IDLE),
        (lambda: state.mark_idle(False), NodeState.READY),
        (state.terminate, NodeState.READY),
        (state.finish, NodeState.SHUTDOWN),
        (lambda: state.mark_idle(False), NodeState.SHUTDOWN),
        (state.terminate, NodeState.TERMINATED),
        (state.finish, NodeState.TERMINATED),
    ]
    for move, reached in moves:
        move()
        assert state.state is reached
    assert state.wait_for_shutdown(0)


@pytest.mark.parametrize("idle", [False, True])
def test_a_cancel_shuts_down_whatever_is_left_and_is_remembered(idle: bool) -> None:
    state = StateFlipper()
    state.mark_idle(idle)
    state.cancel()
    assert state.state is NodeState.SHUTDOWN
    assert state.cancelled


def test_while_a_take_is_under_way_the_node_is_not_idle() -> None:
    held = HeldJobs()
    with held.taking() as begin:
        assert not held.is_idle()
        assert held.load().takes == 0, "a look that finds nothing counts nothing"
        begin()
        held.add(["a", "b"])
    assert (held.ids(), held.is_idle(), held.load().takes) == ({"a", "b"}, False, 1)
    held.remove(["a"])
    assert not held.is_idle()
    held.remove(["b", "unknown"])
    assert held.is_idle()


def test_a_wait_for_an_idle_node_ends_when_it_is_idle_or_at_its_limit() -> None:
    held = HeldJobs()
    held.add(["a"])
    assert not held.wait_idle(0.01, lambda: False)
    given_up = threading.Event()
    answers: list[bool] = []
    waiter = threading.Thread(target=lambda: answers.append(held.wait_idle(WAIT_S, given_up.is_set)))
    waiter.start()
    given_up.set()
    held.wake()
    waiter.join(WAIT_S)
    assert answers == [False]
    held.remove(["a"])
    assert held.wait_idle(0, lambda: False)


@pytest.mark.parametrize("end", [StateFlipper.finish, StateFlipper.cancel])
def test_a_wait_for_the_shutdown_ends_when_it_begins(end: Callable[[StateFlipper], object]) -> None:
    state = StateFlipper()
    waiting = threading.Thread(target=state.wait_for_shutdown, args=(6 * WAIT_S,))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    end(state)
    waiting.join(WAIT_S)
    assert not waiting.is_alive()


def test_a_node_without_jobs_is_idle_while_other_nodes_work() -> None:
    run, state = Run(), StateFlipper()
    with watched(run, HeldJobs(), state) as wake:
        wake()
        assert run.asked.acquire(timeout=WAIT_S)
        assert state.state is NodeState.IDLE
