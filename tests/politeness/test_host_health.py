"""HostHealth: errors and latency slow a host down, and nothing speeds it up."""

from __future__ import annotations

import math

import pytest

from scoopi.configs.groups import PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.politeness.host_health import (
    ERRORS_FOR_REST,
    LEAST_REST_S,
    MOST_PAUSE_S,
    MOST_SLOWING,
    NAME_TIMEOUT_S,
    HostHealth,
    is_of_host,
)

RULES = PolitenessSettings(error_delay_ms=250, host_timeout_s=60, longest_sleep_s=100)
BUSY = LoadFault("status 503", True, 503)


def after_errors(count: int, now: float = 0.0) -> HostHealth:
    """A host with `count` errors, all at one time."""
    health = HostHealth()
    for _ in range(count):
        health.failed(now, BUSY, RULES)
    return health


@pytest.mark.parametrize(("errors", "pause_s"), [(1, 0.25), (2, 0.5), (3, 1.0), (4, 2.0), (20, MOST_PAUSE_S)])
def test_each_further_error_doubles_the_pause_up_to_a_minute(errors: int, pause_s: float) -> None:
    health = after_errors(errors)
    assert health.paused_until == pause_s
    assert health.delay_s(1.0) == 1.0 + pause_s


def test_a_page_ends_the_row_and_halves_what_errors_have_added() -> None:
    health = after_errors(4)
    health.answered()
    assert (health.errors, health.delay_s(1.0)) == (0, 2.0)
    for _ in range(20):
        health.answered()
    assert health.delay_s(1.0) == 1.0


def test_a_host_rests_after_errors_in_a_row_and_not_before() -> None:
    assert after_errors(ERRORS_FOR_REST - 1).rest_s(0.0) == 0.0
    health = after_errors(ERRORS_FOR_REST)
    assert health.rest_s(0.0) == 4.0
    assert health.rest_s(4.0) == 0.0, "it is looked at with one request"
    assert health.rests == 1


def test_a_short_sleep_is_no_rest_whatever_the_clock_shows() -> None:
    health = HostHealth()
    health.failed(1000.0, LoadFault("status 429", True, 429, LEAST_REST_S), RULES)
    assert health.rest_s(1000.0) == LEAST_REST_S
    assert health.rest_s(1000.0 + LEAST_REST_S / 2) == 0.0


@pytest.mark.parametrize(("asked_s", "slept_s"), [(30.0, 30.0), (86_400.0, 100.0)])
def test_a_host_sleeps_for_as_long_as_it_asks_within_the_limit(asked_s: float, slept_s: float) -> None:
    health = HostHealth()
    health.failed(10.0, LoadFault("status 429", True, 429, asked_s), RULES)
    assert (health.paused_until, health.rest_s(10.0), health.sleeps) == (10.0 + slept_s, slept_s, 1)


def test_a_host_that_only_fails_is_given_up_after_its_timeout_and_taken_back_by_a_page() -> None:
    health = after_errors(1, now=5.0)
    assert not health.is_given_up(64.9, RULES)
    assert health.is_given_up(65.0, RULES)
    health.answered()
    assert not health.is_given_up(math.inf, RULES)


@pytest.mark.parametrize(("most_s", "waited_s"), [(60, NAME_TIMEOUT_S), (3, 3.0)])
def test_a_host_whose_name_is_unknown_is_given_up_sooner(most_s: int, waited_s: float) -> None:
    rules, health = PolitenessSettings(host_timeout_s=most_s), HostHealth()
    health.failed(5.0, LoadFault("dns", True, was_sent=False), rules)
    assert not health.is_given_up(5.0 + waited_s - 0.1, rules)
    assert health.is_given_up(5.0 + waited_s, rules)


def test_a_host_that_asks_for_pauses_is_not_given_up() -> None:
    health = after_errors(1)
    health.failed(0.0, LoadFault("status 429", True, 429, 5.0), RULES)
    assert not health.is_given_up(1e6, RULES)


def test_latency_beyond_the_usual_slows_a_host_down_in_proportion_and_within_a_limit() -> None:
    health = HostHealth()
    for _ in range(50):
        health.answered(0.1)
    assert health.delay_s(1.0) == 1.0
    for _ in range(50):
        health.answered(0.6)
    assert health.delay_s(1.0) == pytest.approx(3.0, rel=0.01)
    for _ in range(50):
        health.answered(60.0)
    assert health.delay_s(1.0) == MOST_SLOWING
    assert health.delay_s(0.0) == 0.0


def test_trouble_is_named_until_a_page_comes() -> None:
    health = HostHealth()
    assert health.trouble(RULES) == ""
    health.failed(0.0, LoadFault("connect", True, was_sent=False), RULES)
    assert health.trouble(RULES) == "an error: no connection; given up after 60 s of errors"
    health.failed(1.0, LoadFault(), RULES)
    assert health.trouble(RULES) == "2 errors in a row: no connection; given up after 60 s of errors"
    health.failed(2.0, LoadFault("status 503", True, 503, 9.0), RULES)
    assert health.trouble(RULES) == "it asked for a pause"
    health.answered(0.1)
    assert health.trouble(RULES) == ""


def test_a_kept_pause_is_not_blamed_on_the_host() -> None:
    health = HostHealth(paused_until=60.0, is_asleep=True)
    assert health.trouble(RULES) == "its pause is from before the run was continued"
    health.failed(61.0, LoadFault("status 503", True, 503, 9.0), RULES)
    assert health.trouble(RULES) == "it asked for a pause"


def test_fast_answers_and_fast_errors_never_shorten_the_delay() -> None:
    health = HostHealth()
    health.answered(1.0)
    for _ in range(50):
        health.answered(0.001)
        assert health.delay_s(1.0) >= 1.0
        health.answered(None)  # a fast 404
        assert health.delay_s(1.0) >= 1.0


@pytest.mark.parametrize(
    ("fault", "heard", "is_so"),
    [
        (None, True, False),
        (None, False, True),
        (BUSY, True, True),
        (LoadFault("status 404", False, 404), True, False),
        (LoadFault("connect", True, was_sent=False), False, True),
        (LoadFault(was_sent=False), False, True),
    ],
)
def test_an_error_counts_against_the_host_unless_it_is_the_pages_own(
    fault: LoadFault | None, heard: bool, is_so: bool
) -> None:
    assert is_of_host(fault, heard) is is_so


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("dns", "its name is unknown"),
        ("connect", "no connection"),
        ("timeout", "no answer in time"),
        ("reset", "connection lost"),
        ("truncated", "pages cut off"),
        ("status 503", "status 503"),
    ],
)
def test_a_host_that_is_given_up_says_for_how_long_and_why(reason: str, words: str) -> None:
    health = HostHealth()
    health.failed(5.0, LoadFault(reason, True), RULES)
    most_s = 10 if reason == "dns" else 60
    assert health.why_given_up(5.0 + most_s - 0.1, RULES) == ""
    assert (
        health.why_given_up(5.0 + most_s, RULES)
        == f"the host has brought nothing but errors for {most_s} s ({words})"
    )
    assert health.trouble(RULES) == f"an error: {words}; given up after {most_s} s of errors"


def test_errors_without_a_reason_are_counted_only() -> None:
    health = HostHealth()
    health.failed(5.0, LoadFault(), RULES)
    assert health.trouble(RULES) == "an error; given up after 60 s of errors"
    assert health.why_given_up(65.0, RULES) == "the host has brought nothing but errors for 60 s"
    for _ in range(1233):
        health.failed(5.0, LoadFault(), RULES)
    assert health.trouble(RULES) == "1,234 errors in a row; given up after 60 s of errors"


def test_a_short_sleep_shortens_no_pause_that_is_longer() -> None:
    health = after_errors(8)
    health.failed(0.0, LoadFault("status 429", True, 429, 5.0), RULES)
    assert health.paused_until == MOST_PAUSE_S
    health.failed(1.0, LoadFault("status 429", True, 429, 90.0), RULES)
    health.failed(2.0, LoadFault("status 429", True, 429, 5.0), RULES)
    assert (health.paused_until, health.sleeps) == (91.0, 3)


def test_an_error_after_a_sleep_ends_it_and_its_host_is_judged_from_then_on() -> None:
    health = HostHealth()
    health.failed(0.0, LoadFault("status 429", True, 429, 30.0), RULES)
    health.failed(40.0, BUSY, RULES)
    assert health.rest_s(30.0) == 0.0, "two errors are no rest"
    assert not health.is_given_up(99.9, RULES)
    assert health.is_given_up(100.0, RULES)


def test_rests_are_counted_from_the_error_on_that_begins_the_first() -> None:
    assert [after_errors(count).rests for count in (4, 5, 6, 7)] == [0, 1, 2, 3]
    health = after_errors(4)
    health.failed(0.0, LoadFault("status 429", True, 429, 5.0), RULES)
    assert (health.rests, health.sleeps) == (0, 1)


def test_what_errors_have_added_ends_when_little_is_left() -> None:
    health = HostHealth()
    health.failed(0.0, BUSY, PolitenessSettings(error_delay_ms=20))
    added = []
    for _ in range(3):
        added.append(health.delay_s(0.0))
        health.answered()
    assert added == [0.02, 0.01, 0.0]
