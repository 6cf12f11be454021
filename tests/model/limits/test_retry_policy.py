"""RetryPolicy: how often and after which waits a page is tried again."""

from __future__ import annotations

import pytest

from scoopi.errors import LoadFault
from scoopi.model.limits.retry_policy import MOST_FOR_A_NAME, RetryPolicy

PASSING, UNKNOWN = LoadFault("timeout", is_transient=True), LoadFault("dns", is_transient=True)


@pytest.mark.parametrize(
    ("fault", "attempts"), [(PASSING, 5), (UNKNOWN, MOST_FOR_A_NAME), (LoadFault("status 404"), 1)]
)
def test_a_page_is_asked_for_so_often(fault: LoadFault, attempts: int) -> None:
    policy, made = RetryPolicy(attempts=5), 1
    while policy.allows(fault, made - 1):
        made += 1
    assert made == attempts


def test_no_retries_are_one_attempt() -> None:
    assert not RetryPolicy(attempts=1).allows(PASSING, 0)


@pytest.mark.parametrize(
    ("tried", "random", "wait_ms"),
    [(0, 0.0, 100), (1, 0.0, 300), (9, 0.0, 1000), (0, 1.0, 150), (9, 0.5, 1250)],
)
def test_waits_grow_up_to_a_limit_and_spread(tried: int, random: float, wait_ms: int) -> None:
    policy = RetryPolicy(delay_ms=100, factor=3, most_delay_ms=1000, jitter_percent=50)
    assert policy.wait_ms(PASSING, tried, lambda: random) == wait_ms


def test_a_server_is_not_asked_before_it_wants_to_be() -> None:
    fault = LoadFault("status 503", True, 503, retry_after_s=7.0)
    assert RetryPolicy(delay_ms=100).wait_ms(fault, 0, lambda: 0.0) == 7000
    assert RetryPolicy(delay_ms=100).wait_ms(fault, 0, lambda: 1.0) == 7050


def test_a_policy_is_written_and_read_by_the_keys_of_definitions() -> None:
    policy = RetryPolicy(2, 3, 4, 5, 6, 7)
    assert RetryPolicy.of(policy.numbers()) == policy
    assert RetryPolicy.of({"delay": 9}) == RetryPolicy(delay_ms=9)
