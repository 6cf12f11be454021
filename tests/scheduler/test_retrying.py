"""Retrying: what becomes of a job when its attempt has ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.process import Executes, Process, RetryRule
from scoopi.model.schedule.schedule_records import ACTIVE, ENDED, AttemptRecord, JobRecord
from scoopi.scheduler.retrying import after_attempt, fraction, over, retry_delay, waits_for_retry
from tests.scheduler.scenarios.records import attempt_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOB = JobRecord(
    process="books", slot="!1", state="embryo", phase=ACTIVE, created=NOW, changed=NOW, attempts=1
)


def attempt(status: str) -> AttemptRecord:
    return attempt_of(process="books", status=status, ended=NOW, explanation="why")


@pytest.mark.parametrize(("failures", "seconds"), [(1, 60), (2, 120), (3, 240), (20, 3600), (5000, 3600)])
def test_the_delay_grows_up_to_its_longest(failures: int, seconds: float) -> None:
    rule = RetryRule(delay=timedelta(minutes=1), backoff=2, max_delay=timedelta(hours=1))
    assert retry_delay(rule, failures, "a/!1/1").total_seconds() == seconds


def test_a_backoff_whose_powers_are_too_large_for_a_computer_gives_the_longest_delay() -> None:
    rule = RetryRule(delay=timedelta(seconds=1), backoff=1e200, max_delay=timedelta(hours=1))
    assert [retry_delay(rule, n, "a/!1/1").total_seconds() for n in (1, 2, 3, 9)] == [1, 3600, 3600, 3600]
    assert retry_delay(replace(rule, delay=timedelta(0)), 9, "a/!1/1") == timedelta(0)


def test_the_jitter_of_an_attempt_can_be_predicted() -> None:
    rule = RetryRule(delay=timedelta(seconds=100), jitter=0.5)
    delays = {retry_delay(rule, 1, f"a/!1/{number}").total_seconds() for number in range(50)}
    assert len(delays) == 50
    assert 100 <= min(delays) < max(delays) < 150
    assert retry_delay(rule, 1, "a/!1/1") == retry_delay(rule, 1, "a/!1/1")
    assert 0 <= fraction("x") < 1


@pytest.mark.parametrize(
    ("status", "state"), [("succeeded", "processed"), ("noop", "noop"), ("canceled", "skipped")]
)
def test_an_end_that_is_no_failure_ends_the_job(status: str, state: str) -> None:
    job = after_attempt(JOB, attempt(status), None, NOW)
    assert (job.state, job.phase, job.settled, job.reason) == (state, ENDED, 1, "why")


@pytest.mark.parametrize(
    ("status", "when", "is_retried"),
    [
        ("failed", ("failed", "error"), True),
        ("error", ("failed", "error"), True),
        ("failed", ("error",), False),
        ("error", ("error",), True),
        ("failed", ("failed",), True),
        ("error", ("failed",), False),
    ],
)
def test_only_the_ends_that_the_rule_names_are_retried(
    status: str, when: tuple[Literal["failed", "error"], ...], is_retried: bool
) -> None:
    process = Process(
        name="books",
        executes=Executes(kind="command", what=("true",)),
        mode="manual",
        retry=RetryRule(max=1, delay=timedelta(seconds=60), when=when, on_exhausted="skip"),
    )
    job = after_attempt(JOB, attempt(status), process, NOW)
    assert job.failures == 1
    if is_retried:
        assert (job.phase, job.retry_at) == (ACTIVE, NOW + timedelta(seconds=60))
    else:
        assert (job.state, job.phase, job.retry_at) == ("skipped", ENDED, None)


@pytest.mark.parametrize(("ahead_s", "after_s"), [(-20, 40), (0, 60), (3600, 60)])
def test_a_worker_whose_clock_is_ahead_does_not_delay_a_retry(ahead_s: int, after_s: int) -> None:
    process = Process(
        name="books",
        executes=Executes(kind="command", what=("true",)),
        mode="manual",
        retry=RetryRule(max=1, delay=timedelta(seconds=60)),
    )
    failed = replace(attempt("error"), ended=NOW + timedelta(seconds=ahead_s))
    assert after_attempt(JOB, failed, process, NOW).retry_at == NOW + timedelta(seconds=after_s)


def test_without_a_definition_a_failure_ends_the_job() -> None:
    job = after_attempt(JOB, attempt("failed"), None, NOW)
    assert (job.state, job.failures, job.reason) == ("failed", 1, "attempt 1 failed: why")


def test_a_job_says_for_what_it_waits() -> None:
    due = NOW + timedelta(minutes=5)
    waiting = JobRecord(
        process="books", slot="!1", state="embryo", phase=ACTIVE, created=NOW, changed=NOW, retry_at=due
    )
    assert "waits for its retry at 2026-01-01T00:05:00Z" in waits_for_retry(waiting, NOW)
    assert waits_for_retry(waiting, due) == ""
    assert waits_for_retry(JOB, NOW) == ""
    ended = over(waiting, "failed", "gone", NOW)
    assert (ended.retry_at, ended.held, ended.version) == (None, False, 1)


@pytest.mark.parametrize(
    ("give_up_after", "is_retried"),
    [(timedelta(minutes=59), False), (timedelta(hours=1), True), (None, True)],
)
def test_no_retry_is_planned_for_after_the_job_is_given_up(
    give_up_after: timedelta | None, *, is_retried: bool
) -> None:
    process = Process(
        name="books",
        executes=Executes(kind="command", what=("true",)),
        mode="manual",
        retry=RetryRule(max=5, delay=timedelta(minutes=20), give_up_after=give_up_after, on_exhausted="skip"),
    )
    begun = replace(JOB, first_attempt=NOW - timedelta(minutes=40))
    job = after_attempt(begun, attempt("failed"), process, NOW)
    assert (job.retry_at is not None) == is_retried
    assert job.state == ("embryo" if is_retried else "skipped")
