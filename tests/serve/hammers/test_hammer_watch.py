"""HammerWatch says what the time until a job was started again was spent on."""

from __future__ import annotations

import pytest

from scoopi.errors import StoreError
from scoopi.scheduler.decisions import changed
from scoopi.serve.state import State
from tests.serve.hammers.hammer_watch import HammerWatch
from tests.serve.serving import until

JOB = "p/@2026-01-01T01:00:00Z"


def test_the_time_of_a_recovery_is_divided_by_what_the_attempt_waited_for(
    shown_state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, refused = [0.0], [False]
    store, seen = shown_state.store, [0]
    scan = store.open_attempts

    def attempts() -> list[object]:
        seen[0] += 1
        if refused[0]:
            clock[0] += 5
            refused[0] = False
            raise StoreError("the store is away")
        return [*scan()]

    def await_look() -> None:
        before = seen[0]
        until(lambda: seen[0] > before + 1)

    monkeypatch.setattr(store, "open_attempts", attempts)
    with HammerWatch(lambda: shown_state, lambda: clock[0]) as watch:
        await_look()
        clock[0] += 2
        (claimed,) = (each for each in scan() if each.job == JOB)
        lost = changed(claimed, status="waiting", worker="")
        assert store.write(claimed, lost)
        await_look()
        refused[0] = True
        until(lambda: not refused[0])
        clock[0] += 1
        await_look()
        assert store.write(lost, changed(lost, status="running", worker="v", fence=lost.fence + 1))
        await_look()
        clock[0] += 0.5
        text = watch.spent(JOB, 0.5, 8.5)
    assert text == (
        "5.0 s the store was away, 1.5 s held by its former worker, 1.0 s without a worker,"
        " 0.5 s claimed, not begun, claimed 1 times"
    )
