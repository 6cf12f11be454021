"""RetryQueue: which waiting jobs are due, by the clock of this node alone."""

from __future__ import annotations

import math

import pytest

from scoopi.mediator.retries.retry_queue import GATHERED_S, RetryQueue
from scoopi.store.jobs.job_records import WaitingJob
from tests.clock import Clock

HOST = "one.example:80"


@pytest.fixture
def queue(clock: Clock) -> RetryQueue:
    return RetryQueue(clock)


def job(name: str, wait_ms: int) -> WaitingJob:
    return WaitingJob(name, HOST, wait_ms)


def test_a_job_is_due_when_its_wait_is_over_and_never_before(queue: RetryQueue, clock: Clock) -> None:
    queue.add([job("b", 2000), job("a", 1000)])
    assert (len(queue), queue.next_in()) == (2, 1.0)
    clock.now += 0.999
    assert queue.due() == {}
    clock.now += 0.001
    assert queue.due() == {"a": HOST}
    queue.remove(["a"])
    assert (len(queue), queue.next_in()) == (1, 1.0)


def test_a_due_job_stays_due_until_it_is_removed(queue: RetryQueue, clock: Clock) -> None:
    queue.add([job("a", 1000)])
    clock.now += 1
    assert queue.due() == queue.due() == {"a": HOST}
    assert queue.next_in() == GATHERED_S
    queue.remove(["a"])
    assert (queue.due(), queue.next_in(), len(queue)) == ({}, math.inf, 0)


def test_of_a_job_that_waits_already_the_new_wait_counts(queue: RetryQueue, clock: Clock) -> None:
    queue.add([job("a", 1000)])
    queue.add([job("a", 5000)])
    clock.now += 4.9
    assert queue.due() == {}
    clock.now += 0.1
    assert queue.due() == {"a": HOST}


def test_a_job_that_is_due_and_fails_again_is_not_due_before_its_new_wait_is_over(
    queue: RetryQueue, clock: Clock
) -> None:
    queue.add([job("a", 1000)])
    clock.now += 1
    assert queue.due() == {"a": HOST}
    queue.add([job("a", 1000)])
    assert queue.due() == {}
    clock.now += 1
    assert queue.due() == {"a": HOST}


def test_a_job_that_is_known_here_keeps_its_wait(queue: RetryQueue, clock: Clock) -> None:
    queue.add([job("a", 1000)])
    clock.now += 0.5
    queue.add_missing([job("a", 1000), job("b", 1000)])
    clock.now += 0.5
    assert queue.due() == {"a": HOST}
    assert len(queue) == 2
