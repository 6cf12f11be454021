"""HostRateLimiter: a host sees the promised rate, whatever becomes of those who send."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.politeness.host_rate_limiter import HostRateLimiter, RateLimiterRules
from scoopi.politeness.host_share_memory import Share
from scoopi.politeness.host_sharing import InFlight
from scoopi.politeness.request_log import RequestLog, read_logs
from scoopi.politeness.standing import Standing
from tests.clock import Clock

HOST = "site.example:80"


def clocks(
    clock: Clock, parallelism: int = 1, delay_ms: int = 1000, first_after_s: float = 0
) -> HostRateLimiter:
    return HostRateLimiter(FetchLimits(parallelism, delay_ms), clock, RateLimiterRules(first_after_s))


def test_the_next_request_starts_one_delay_after_the_last_was_sent(clock: Clock) -> None:
    host = clocks(clock)
    grant = host.grant(HOST, "a")
    assert grant is not None
    assert grant.not_after == clock.now + 2
    host.sent(HOST, "a", clock.now + 0.5)
    host.ended(HOST, "a")
    clock.now += 1.4
    assert host.grant(HOST, "b") is None
    assert host.ready_at(HOST) == pytest.approx(1001.5)
    clock.now += 0.1
    assert host.grant(HOST, "b") is not None


def test_no_second_grant_while_the_first_is_not_reported(clock: Clock) -> None:
    host = clocks(clock, parallelism=4)
    assert host.grant(HOST, "a") is not None
    clock.now += 1.5
    assert host.grant(HOST, "b") is None


def test_a_grant_without_report_counts_as_sent_at_its_end(clock: Clock) -> None:
    host = clocks(clock)
    assert host.grant(HOST, "a") is not None
    host.abandoned(HOST, "a")
    clock.now += 2.9
    assert host.grant(HOST, "b") is None
    clock.now += 0.1
    assert host.grant(HOST, "b") is not None


def test_a_request_that_was_never_sent_costs_no_delay(clock: Clock) -> None:
    host = clocks(clock)
    assert host.grant(HOST, "a") is not None
    host.ended(HOST, "a")
    assert host.grant(HOST, "b") is not None


def test_parallelism_bounds_the_requests_in_flight(clock: Clock) -> None:
    host = clocks(clock, parallelism=2, delay_ms=0)
    assert host.grant(HOST, "a") is not None
    assert host.grant(HOST, "b") is not None
    assert host.grant(HOST, "c") is None
    assert host.ready_at(HOST) == math.inf
    host.ended(HOST, "a")
    assert host.grant(HOST, "c") is not None


def test_a_node_that_takes_over_a_run_waits_one_delay_first(clock: Clock) -> None:
    host = clocks(clock, first_after_s=1.0)
    assert host.grant(HOST, "a") is None
    clock.now += 1
    assert host.grant(HOST, "a") is not None


def test_hosts_do_not_wait_for_each_other(clock: Clock) -> None:
    host = clocks(clock)
    assert host.grant(HOST, "a") is not None
    assert host.grant("other.example:80", "b") is not None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from("gsaku"), st.floats(0, 1.5)), max_size=60),
    st.integers(1, 3),
    st.integers(1, 2000),
)
def test_starts_are_never_closer_than_the_delay(
    events: list[tuple[str, float]], parallelism: int, delay_ms: int
) -> None:
    """Workers send within their grants, answer, die with or without having sent, in any order."""
    clock = Clock()
    host = clocks(clock, parallelism, delay_ms)
    granted: dict[str, float] = {}
    flying: set[str] = set()
    starts: list[float] = []
    for number, (event, pause) in enumerate(events):
        clock.now += pause
        if event == "g":
            grant = host.grant(HOST, str(number))
            if grant is not None:
                granted[str(number)] = grant.not_after
        elif granted and event in "sku":
            job, not_after = granted.popitem()
            sends = event != "u" and clock.now < not_after
            if sends:
                starts.append(clock.now)
            if event == "k":
                host.abandoned(HOST, job)
            elif sends:
                host.sent(HOST, job, clock.now)
                flying.add(job)
            else:
                host.ended(HOST, job)
        elif flying and event == "a":
            host.ended(HOST, flying.pop())
        assert len(granted) + len(flying) <= parallelism
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert all(gap >= delay_ms / 1000 - 1e-9 for gap in gaps)


class Shares:
    """A node's shares, as the test says."""

    def __init__(self) -> None:
        self.share: Share | None = None
        self.asked_with: list[int] = []
        self.in_flight = InFlight()

    def of(self, host: str) -> Share | None:
        self.asked_with.append(self.in_flight.count(host))
        return self.share


def shared(clock: Clock, shares: Shares, parallelism: int = 4, delay_ms: int = 0) -> HostRateLimiter:
    return HostRateLimiter(
        FetchLimits(parallelism, delay_ms), clock, in_flight=shares.in_flight, share_of=shares.of
    )


def test_a_host_that_another_node_has_is_not_asked_and_is_looked_at_again_soon(clock: Clock) -> None:
    shares = Shares()
    host = shared(clock, shares)
    assert host.grant(HOST, "a") is None
    assert clock.now < host.ready_at(HOST) <= clock.now + 1
    assert shares.in_flight.count(HOST) == 0
    shares.share = Share(1, 0, clock.now)
    assert host.grant(HOST, "a") is not None


def test_a_nodes_share_bounds_its_requests_in_flight(clock: Clock) -> None:
    shares = Shares()
    shares.share = Share(2, 0, clock.now)
    host = shared(clock, shares)
    assert [host.grant(HOST, job) is not None for job in "abc"] == [True, True, False]
    shares.share = Share(1, 0, clock.now)
    host.ended(HOST, "a")
    assert host.grant(HOST, "d") is None
    host.ended(HOST, "b")
    assert host.grant(HOST, "d") is not None


def test_a_node_that_takes_a_host_over_waits_until_its_share_says(clock: Clock) -> None:
    shares = Shares()
    shares.share = Share(4, 1000, clock.now + 1)
    host = shared(clock, shares, delay_ms=1000)
    assert host.grant(HOST, "a") is None
    assert host.ready_at(HOST) == clock.now + 1
    clock.now += 1
    assert host.grant(HOST, "a") is not None


def test_a_request_is_counted_before_the_share_is_asked_for_the_last_time(clock: Clock) -> None:
    """Else a share could be given away between the asking and the counting."""
    shares = Shares()
    shares.share = Share(1, 0, clock.now)
    assert shared(clock, shares).grant(HOST, "a") is not None
    assert shares.asked_with[-1] == 1


def test_a_share_that_is_withdrawn_in_the_midst_of_granting_grants_nothing(clock: Clock) -> None:
    shares = Shares()
    answers = iter([Share(1, 0, clock.now), None])
    host = HostRateLimiter(
        FetchLimits(1, 0), clock, in_flight=shares.in_flight, share_of=lambda _: next(answers)
    )
    assert host.grant(HOST, "a") is None
    assert shares.in_flight.count(HOST) == 0
    assert host.in_flight() == []


def test_a_host_is_silent_after_no_answer_and_doubtful_when_others_of_it_were_answered(clock: Clock) -> None:
    host = clocks(clock)
    seen = [host.standing(HOST)]
    for heard in (None, False, True, False, None, False, False, True):
        host.ended(HOST, "a", heard)
        seen.append(host.standing(HOST))
    unknown, silent, answers = Standing.UNKNOWN, Standing.SILENT, Standing.ANSWERS
    assert seen == [unknown, unknown, silent, answers, unknown, unknown, silent, silent, answers]


def test_the_trouble_of_a_host_is_its_last_error_and_none_before_its_first(clock: Clock) -> None:
    host = clocks(clock)
    assert host.trouble(HOST) == ""
    host.ended(HOST, "a", heard=False, fault=LoadFault("connect", is_transient=True))
    assert host.trouble(HOST) == "an error: no connection; given up after 300 s of errors"


@pytest.mark.parametrize(("delay_ms", "is_paced"), [(1000, True), (0, False)])
def test_a_grant_is_paced_where_the_host_has_a_delay(clock: Clock, delay_ms: int, is_paced: bool) -> None:
    grant = clocks(clock, delay_ms=delay_ms).grant(HOST, "a")
    assert grant is not None
    assert grant.is_paced is is_paced


def test_a_request_that_is_reported_with_its_answer_counts_from_the_time_when_it_was_sent(
    clock: Clock,
) -> None:
    host = clocks(clock, parallelism=2, delay_ms=0)
    assert host.grant(HOST, "a") is not None
    host.slow_down(HOST, 1.0)
    assert host.grant(HOST, "b") is None, "nobody knows yet when the first one was sent"
    clock.now += 0.7
    host.ended(HOST, "a", heard=True, sent_at=clock.now - 0.6)
    assert host.ready_at(HOST) == pytest.approx(clock.now + 0.4)


def test_requests_of_a_crashed_worker_that_were_to_be_reported_with_their_answers_are_in_the_log(
    clock: Clock, tmp_path: Path
) -> None:
    log = RequestLog(tmp_path / "requests-1.log")
    host = HostRateLimiter(FetchLimits(2, 0), clock, log=log)
    for job in "ab":
        assert host.grant(HOST, job) is not None
    host.ended(HOST, "a", heard=True, sent_at=clock.now)
    host.abandoned(HOST, "b")
    assert host.grant(HOST, "c") is not None, "without a delay nothing waits for it"
    host.close()
    (figures,) = read_logs([tmp_path / "requests-1.log"])
    assert figures.requests == 2


def test_the_log_names_the_cause_of_each_error_and_the_seconds_of_each_rest(
    clock: Clock, tmp_path: Path
) -> None:
    log = RequestLog(tmp_path / "requests-1.log")
    host = HostRateLimiter(FetchLimits(9, 0), clock, log=log)
    faults = [None, LoadFault("connect", True), LoadFault(), LoadFault("status 503", True, 503, 30.0)]
    for number, fault in enumerate(faults):
        job = str(number)
        assert host.grant(HOST, job) is not None
        host.ended(HOST, job, heard=False, fault=fault, sent_at=clock.now)
        clock.now += 20
    host.close()
    lines = (tmp_path / "requests-1.log").read_text().splitlines()
    words = [line.split(" ", 3) for line in lines]
    happened = [(each[0], each[3]) for each in words if each[0] in "EZR"]
    assert happened == [("E", "no answer"), ("E", "connect"), ("E", "status 503"), ("Z", "30.000")]


def test_a_longer_delay_is_reported_to_all_nodes_and_a_share_says_from_when_it_may_be_used(
    clock: Clock,
) -> None:
    slower: list[tuple[str, float]] = []
    rules = RateLimiterRules(on_slower=lambda host, delay_s: slower.append((host, delay_s)))
    share = Share(1, 1000, clock.now + 8)
    host = HostRateLimiter(FetchLimits(1, 1000), clock, rules, share_of=lambda _: share)
    host.slow_down(HOST, 1.0)
    host.slow_down(HOST, 8.0)
    assert slower == [(HOST, 8.0)], "a shorter one changes nothing"
    assert host.ready_at(HOST) == clock.now + 8
