"""RetryHandler: which failed loads are tried again, after which wait, and what is reported of the others."""

from __future__ import annotations

import msgspec
import pytest

from scoopi.errors import LoadFault
from scoopi.mediator.budgets.page_budgets import BudgetRules, PageBudgets
from scoopi.mediator.held_jobs import Pending, failed_result, failure_of
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.mediator.retries.retry_handler import RetryHandler
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.limits.budget import Budget
from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.model.locator import Locator, PageRequest
from scoopi.store.jobs.job_records import Postponed, TakenJob
from scoopi.worker.messages import ARCHIVE, NETWORK, PageSeen, Result

HOST = "one.example:80"
POLICY = RetryPolicy(attempts=4, delay_ms=1000, factor=3, most_delay_ms=5000, jitter_percent=50)
REFUSED = LoadFault("connect", True, was_sent=False)


class Harness:
    def __init__(self, per_run: int = 100, random: float = 0.0) -> None:
        self.inbox = JobInbox()
        self.handler = RetryHandler(
            lambda host: POLICY, RetryBudget(per_run), self.inbox, random=lambda: random
        )

    def wait_ms(self, fault: LoadFault, tried: int = 0) -> int | None:
        """None: the failure is final."""
        if self.final(fault, tried) is not None:
            return None
        job = self.inbox.postponed.popleft()
        assert job == Postponed("job", 7, job.wait_ms, fault.reason)
        return job.wait_ms

    def final(
        self, fault: LoadFault | None, tried: int = 0, request: PageRequest | None = None
    ) -> Result | None:
        payload = JobPayload(Locator("page", "group", f"http://{HOST}/", request), "job")
        taken = TakenJob("job", 7, 0, HOST, payload, ("timeout",) * tried)
        failed = failed_result(taken, (failure_of(taken, "the page did not come", "try again later"),))
        result = Result("job", 7, JobState.FAILED, 0, failed.body, fault=fault)
        return self.handler.final(Pending(taken), result)


def test_waits_grow_by_the_factor_up_to_the_longest() -> None:
    assert [Harness().wait_ms(REFUSED, tried) for tried in range(4)] == [1000, 3000, 5000, None]


def test_jitter_makes_a_wait_longer_by_its_part_at_most() -> None:
    assert [Harness(random=part).wait_ms(REFUSED) for part in (0.0, 0.5, 1.0)] == [1000, 1250, 1500]


def test_a_server_that_asks_for_a_longer_wait_gets_it() -> None:
    assert Harness().wait_ms(LoadFault("status 503", True, 503, 120.0)) == 120_000
    assert Harness().wait_ms(LoadFault("status 503", True, 503, 0.0)) == 1000


@pytest.mark.parametrize("fault", [None, LoadFault("status 404", False, 404), LoadFault()])
def test_a_permanent_failure_is_final_at_once(fault: LoadFault | None) -> None:
    assert Harness().final(fault) is not None


def test_an_unknown_name_is_given_up_sooner() -> None:
    unknown = LoadFault("dns", True, was_sent=False)
    assert [Harness().wait_ms(unknown, tried) for tried in range(3)] == [1000, 3000, None]


def test_failures_that_a_budget_makes_final_say_so() -> None:
    final = Harness(per_run=0).final(REFUSED)
    assert final is not None
    (failure,) = msgspec.msgpack.decode(final.body, type=Frame).failures
    words = "the run's budget of 0 retries is used up (scoopi.retry.perRun)"
    assert failure.cause == f"the page did not come; not tried again: {words}"
    assert failure.message == f"the page did not come; try again later; {words}"
    assert final.failures == (failure,)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_request_with_an_effect_is_repeated_only_if_it_was_not_sent(method: str) -> None:
    post = PageRequest(method)
    final = Harness().final(LoadFault("reset", True), request=post)
    assert final is not None
    assert "the server may have received the request" in final.failures[0].message
    assert Harness().final(LoadFault("connect", True, was_sent=False), request=post) is None


@pytest.mark.parametrize("request_", [PageRequest("PUT"), PageRequest("POST", idempotent=True), None])
def test_a_request_that_may_be_sent_twice_is_repeated(request_: PageRequest | None) -> None:
    assert Harness().final(LoadFault("status 503", True, 503), request=request_) is None


def test_a_retry_is_logged_with_its_reason_and_its_wait_in_seconds(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert Harness().wait_ms(REFUSED, 1) == 3000
    (record,) = caplog.records
    assert record.getMessage() == "job job: connect, tried again in 3.0 s"
    assert vars(record)["fields"] == {"event": "retry", "job": "job", "reason": "connect", "wait_s": 3.0}


def test_only_pages_of_the_network_use_up_the_bytes_of_a_budget() -> None:
    budgets = PageBudgets(BudgetRules(run=Budget(bytes=1000)))
    harness = RetryHandler(lambda host: POLICY, RetryBudget(100), JobInbox(), budgets)
    pending = Pending(TakenJob("job", 7, 0, HOST, JobPayload(Locator("page", "group", "/a"), "job")))
    for source, is_over in ((ARCHIVE, False), (NETWORK, True)):
        seen = PageSeen(200, 1000, 1.0, source)
        result = Result("job", 7, JobState.DONE, 1, b"", seen=seen)
        harness.count(pending, result)
        assert budgets.is_run_over() is is_over


def test_after_the_bytes_of_a_budget_a_failure_is_final_and_says_so() -> None:
    budgets = PageBudgets(BudgetRules(run=Budget(bytes=1000)))
    harness = RetryHandler(lambda host: POLICY, RetryBudget(100), JobInbox(), budgets)
    taken = TakenJob("job", 7, 0, HOST, JobPayload(Locator("page", "group", "/a"), "job"))
    budgets.received(taken, 1000)
    failed = failed_result(taken, (failure_of(taken, "the page did not come", ""),))
    result = Result("job", 7, JobState.FAILED, 0, failed.body, fault=REFUSED)
    final = harness.final(Pending(taken), result)
    assert final is not None
    assert "; not tried again: the run's budget" in final.failures[0].cause
