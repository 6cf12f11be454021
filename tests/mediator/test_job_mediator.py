"""JobMediator: its threads start, end and fail where others can see it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from scoopi.errors import ScoopiError, StoreError
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.job_mediator import JobMediator
from tests.engine.workspace import wait_until

WAIT_S = 60.0


class Part:
    """Stands for the runner, the monitor and the events: it runs until it is stopped."""

    def __init__(self, run: Callable[[], None] | None = None) -> None:
        self.stopped = threading.Event()
        self.began = threading.Event()
        self.faults: list[ScoopiError] = []
        self.on_fault = self.faults.append
        self._run = run

    def run(self) -> None:
        self.began.set()
        if self._run is not None:
            self._run()
        assert self.stopped.wait(WAIT_S)

    def stop(self) -> None:
        self.stopped.set()


def mediator_of(runner: Any, monitor: Any, events: Any, inbox: JobInbox) -> JobMediator:
    return JobMediator(runner, inbox, monitor, events)


def test_its_threads_begin_with_the_start_and_end_with_the_stop() -> None:
    inbox, runner, monitor, others = JobInbox(), Part(), Part(), Part()
    mediator = mediator_of(runner, monitor, others, inbox)
    before = mediator.started
    mediator.start()
    assert (before, mediator.started) == (False, True)
    assert inbox.wait(WAIT_S)
    assert runner.began.wait(WAIT_S)
    assert monitor.began.wait(WAIT_S)
    assert mediator.ended() == ""
    runner.stop()
    wait_until(mediator.ended, "the end of a thread")
    assert mediator.ended() == "job-runner"
    mediator.stop(WAIT_S)
    assert others.faults == []


def test_a_stop_has_ended_both_threads_when_it_returns() -> None:
    inbox, monitor = JobInbox(), Part()

    def hands_back_at_the_stop() -> None:
        assert inbox.stopped.wait(WAIT_S)
        assert not runner.stopped.wait(0.1)  # while it writes to the store
        runner.stop()

    runner = Part(hands_back_at_the_stop)
    mediator = mediator_of(runner, monitor, Part(), inbox)
    before = {*threading.enumerate()}
    mediator.start()
    threads = {*threading.enumerate()} - before
    mediator.stop(WAIT_S)
    assert len(threads) == 2
    assert not any(thread.is_alive() for thread in threads)


def test_a_stop_before_the_start_waits_for_nothing() -> None:
    mediator = mediator_of(Part(), Part(), Part(), JobInbox())
    mediator.stop(WAIT_S)
    assert (mediator.started, mediator.ended()) == (False, "")


def test_a_cancel_reaches_the_job_runner() -> None:
    inbox = JobInbox()
    mediator_of(Part(), Part(), Part(), inbox).cancel()
    assert inbox.cancelled.is_set()
    assert not inbox.stopped.is_set()


def test_a_stop_leaves_a_thread_behind_that_takes_longer() -> None:
    runner = Part()
    mediator = mediator_of(runner, Part(), Part(), JobInbox())
    mediator.start()
    mediator.stop(0.05)
    assert "job-runner" in [thread.name for thread in threading.enumerate()]
    runner.stop()


@pytest.mark.parametrize(
    ("error", "shown"),
    [(StoreError("no answer"), "no answer"), (KeyError("x"), "job-runner failed: KeyError('x')")],
)
def test_an_error_of_a_thread_ends_the_node(error: Exception, shown: str) -> None:
    def fails() -> None:
        raise error

    events = Part()
    mediator = mediator_of(Part(fails), Part(), events, JobInbox())
    mediator.start()
    wait_until(lambda: events.faults, "the report of the fault")
    assert [str(fault) for fault in events.faults] == [shown]
    mediator.stop(WAIT_S)


def test_the_job_runner_is_woken_at_the_start() -> None:
    inbox, runner, monitor = JobInbox(), Part(), Part()
    mediator = mediator_of(runner, monitor, Part(), inbox)
    mediator.start()
    assert inbox.wait(0.0)
    runner.stop()
    mediator.stop(WAIT_S)


def test_threads_that_hang_keep_no_process_from_ending() -> None:
    runner, monitor = Part(), Part()
    mediator = mediator_of(runner, monitor, Part(), JobInbox())
    before = {*threading.enumerate()}
    mediator.start()
    threads = {*threading.enumerate()} - before
    assert {thread.name for thread in threads} == {"job-runner", "monitor"}
    assert all(thread.daemon for thread in threads)
    runner.stop()
    mediator.stop(WAIT_S)


def test_a_thread_that_has_ended_is_named_while_the_other_one_runs() -> None:
    runner, monitor = Part(), Part()
    mediator = mediator_of(runner, monitor, Part(), JobInbox())
    assert mediator.ended() == "", "none has been started"
    mediator.start()
    monitor.stop()
    wait_until(mediator.ended, "the end of the monitor", WAIT_S)
    assert mediator.ended() == "monitor"
    runner.stop()
    mediator.stop(WAIT_S)
