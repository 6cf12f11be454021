"""Budget: what is limited, by the keys of definitions."""

from __future__ import annotations

from scoopi.model.limits.budget import NO_BUDGET, Budget


def test_a_budget_is_read_by_the_keys_of_definitions() -> None:
    assert Budget.of({"pages": 2, "time": 3, "bytes": 4}) == Budget(2, 3, 4)
    assert Budget.of({}) == NO_BUDGET


def test_a_budget_of_anything_is_set() -> None:
    assert [Budget.of({key: 1}).is_set for key in ("pages", "time", "bytes")] == [True, True, True]
    assert not NO_BUDGET.is_set
