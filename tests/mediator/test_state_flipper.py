"""StateFlipper: the transitions between the states of a node, and the wait for its shutdown."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from scoopi.mediator.state_flipper import NodeState, StateFlipper

WAIT_S = 60.0


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
    assert not state.cancelled


@pytest.mark.parametrize("idle", [False, True])
def test_a_cancel_shuts_down_whatever_is_left_and_is_remembered(idle: bool) -> None:
    state = StateFlipper()
    state.mark_idle(idle)
    state.cancel()
    assert state.state is NodeState.SHUTDOWN
    assert state.cancelled


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
