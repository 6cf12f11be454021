"""ProxyPool: proxies take turns, and one that does not work rests."""

from __future__ import annotations

from scoopi.fetch.connections.proxy_pool import FIRST_REST_S, LONGEST_REST_S, ProxyPool
from tests.clock import Clock

POOL = ("a", "b", "c")


def test_proxies_take_turns(clock: Clock) -> None:
    pool = ProxyPool(clock)
    assert [pool.choose(POOL) for _ in range(5)] == ["a", "b", "c", "a", "b"]


def test_a_proxy_that_failed_rests_and_returns(clock: Clock) -> None:
    pool = ProxyPool(clock)
    assert pool.failed("b") == FIRST_REST_S
    assert {pool.choose(POOL) for _ in range(6)} == {"a", "c"}
    clock.now += FIRST_REST_S
    assert {pool.choose(POOL) for _ in range(6)} == {"a", "b", "c"}


def test_a_rest_doubles_until_the_proxy_works_again(clock: Clock) -> None:
    pool = ProxyPool(clock)
    rests = [pool.failed("a") for _ in range(8)]
    assert rests[:3] == [FIRST_REST_S, 2 * FIRST_REST_S, 4 * FIRST_REST_S]
    assert max(rests) == LONGEST_REST_S
    pool.worked("a")
    assert pool.failed("a") == FIRST_REST_S


def test_when_all_rest_the_one_whose_rest_ends_first_is_taken(clock: Clock) -> None:
    pool = ProxyPool(clock)
    for proxy in ("b", "a", "c"):
        pool.failed(proxy)
        clock.now += 1
    assert not pool.has_healthy(POOL)
    assert pool.choose(POOL) == "b"
