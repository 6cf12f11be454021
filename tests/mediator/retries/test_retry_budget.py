"""RetryBudget: retries of a run and of each host end at their budgets, which is reported once."""

from __future__ import annotations

import pytest

from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.store.runs.shared_counts import PERIOD_S, CountRecord, SharedCounts
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

ONE, TWO = "one.example:80", "two.example:80"


def test_a_host_whose_budget_is_used_up_gets_no_retry_and_others_do(caplog: pytest.LogCaptureFixture) -> None:
    budget = RetryBudget(per_run=100)
    assert [budget.spend(ONE, 2) for _ in range(2)] == ["", ""]
    words = "the host's budget of 2 retries is used up (scoopi.retry.perHost)"
    assert [budget.spend(ONE, 2) for _ in range(2)] == [words, words]
    assert budget.spend(TWO, 2) == ""
    assert budget.spent() == {ONE: 2, TWO: 1}
    assert budget.used_up() == (f"{ONE}: {words}",)
    assert [record.getMessage() for record in caplog.records] == [
        f"{ONE}: {words}: further failures are final"
    ]


def test_a_run_whose_budget_is_used_up_retries_nothing() -> None:
    budget = RetryBudget(per_run=3)
    assert [budget.spend(host, 100) for host in (ONE, TWO, ONE)] == ["", "", ""]
    words = "the run's budget of 3 retries is used up (scoopi.retry.perRun)"
    assert [budget.spend(host, 100) for host in (ONE, TWO, "three.example:80")] == [words] * 3
    assert budget.used_up() == (words,)


def test_retries_of_other_nodes_and_of_earlier_processes_count(caplog: pytest.LogCaptureFixture) -> None:
    budget = RetryBudget(per_run=10)
    budget.set_others({ONE: 2, TWO: 5})
    assert budget.spend(ONE, 3) == ""
    assert "host's budget" in budget.spend(ONE, 3)
    assert [budget.spend("three.example:80", 100) for _ in range(2)] == ["", ""]
    assert "run's budget" in budget.spend("three.example:80", 100)


def test_without_a_budget_nothing_is_retried() -> None:
    assert "budget of 0 retries" in RetryBudget(per_run=0).spend(ONE, 100)


def test_a_budget_is_shared_once_a_second(store: SettlingStore, clock: Clock) -> None:
    SharedCounts(store, "bob").keep(CountRecord({ONE: 2}))
    budget, counts = RetryBudget(per_run=3), SharedCounts(store, "ann", clock=clock)
    budget.share(counts)
    assert (budget.spend(ONE, 9), "run's budget" in budget.spend(ONE, 9)) == ("", True)
    budget.share(counts)
    assert SharedCounts(store, "cid").others() == CountRecord({ONE: 2})
    clock.pass_s(PERIOD_S)
    budget.share(counts)
    assert SharedCounts(store, "cid").others() == CountRecord({ONE: 3})
