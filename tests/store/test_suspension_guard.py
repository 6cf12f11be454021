"""SuspensionGuard: a node that was away asks whether its run was removed, and only then."""

from __future__ import annotations

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import RunError
from scoopi.store.suspension_guard import AWAY_S, SuspensionGuard
from tests.clock import Clock


def test_only_a_node_that_was_away_asks_and_a_removed_run_ends_it(clock: Clock) -> None:
    asked: list[float] = []
    answers = [False, True]

    def is_gone() -> bool:
        asked.append(clock.now)
        return answers.pop(0)

    check = SuspensionGuard("shop", is_gone, clock)
    for _ in range(20):
        clock.pass_s(AWAY_S)
        check.ensure_kept()
    assert asked == []
    clock.pass_s(AWAY_S + 1)
    check.ensure_kept()
    check.ensure_kept()
    assert len(asked) == 1
    clock.pass_s(AWAY_S + 1)
    with pytest.raises(RunError, match=r"data is lost: .* no records of it any more \(shop\)"):
        check.ensure_kept()


def test_a_working_node_is_never_taken_for_one_that_was_away_and_a_dead_one_always() -> None:
    cluster = ClusterSettings(())
    assert 3 * cluster.heartbeat_ms <= AWAY_S * 1000 < cluster.liveness_gap_ms
