"""NodeEvents: what happened in one part reaches the others."""

from __future__ import annotations

import threading
from typing import Any

from scoopi.appenders.appender import JobResult
from scoopi.errors import RunError, StoreError
from scoopi.mediator.held_jobs import HeldJobs, Pending, robots_pending
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob, TakenJob
from tests.mediator.played_node import WAIT_S


class Harness:
    """The parts around the events; `woken` counts the wake-ups of the monitor."""

    def __init__(self) -> None:
        self.held, self.counts, self.state = HeldJobs(), NodeCounts(), StateFlipper()
        self.jobs, self.tasks, self.woken = JobInbox(), TaskInbox(), 0
        monitor: Any = self
        self.events = NodeEvents(self.held, self.counts, self.state, self.jobs, self.tasks, monitor)

    def wake(self) -> None:
        self.woken += 1


def result(job: str, state: JobState, *hosts: str) -> JobResult:
    children = tuple(NewJob(job + host, host, JobPayload(Locator("x", "y", "z"), job)) for host in hosts)
    return JobResult(job, 1, state, b"body", children, rows=2)


def test_ended_jobs_are_counted_and_no_longer_held() -> None:
    harness = Harness()
    harness.held.add(["a", "b", "c", "d", "e"])
    won = [result("a", JobState.DONE), result("b", JobState.FAILED), result("c", JobState.SKIPPED)]
    harness.events.on_ended(won, [result("d", JobState.DONE)])
    assert harness.held.ids() == {"e"}
    names = ("jobs.done", "jobs.failed", "jobs.skipped", "rows", "bytes")
    assert [harness.counts.value(name) for name in names] == [1, 1, 1, 6, 12]
    assert len(harness.tasks) == 1
    assert harness.woken == 0, "a job is left"
    harness.events.on_ended([result("e", JobState.DONE)], [])
    assert harness.woken == 1
    harness.tasks.close()


def test_an_attempt_that_another_node_overtook_is_logged(caplog: Any) -> None:
    harness = Harness()
    harness.events.on_ended([], [result("d", JobState.DONE)])
    assert "job d: ended by another node; this attempt's rows do not count" in caplog.text
    assert not harness.jobs.wait(0.0)
    harness.tasks.close()


def test_hosts_of_new_jobs_reach_the_job_runner() -> None:
    harness = Harness()
    harness.events.on_ended(
        [result("a", JobState.DONE, "one:80", "two:80"), result("b", JobState.DONE, "one:80")], []
    )
    assert sorted(harness.jobs.take_new_hosts()) == ["one:80", "two:80"]
    harness.tasks.close()


def test_jobs_that_are_not_run_go_back_without_requests_of_robots_txt() -> None:
    harness = Harness()
    job = Pending(TakenJob("a", 1, 0, "one:80", JobPayload(Locator("x", "y", "z"), "a")))
    harness.events.hand_back([job, robots_pending("one:80", "http://one/robots.txt", public_only=False)])
    assert list(harness.jobs.to_hand_back) == [[job]]
    assert harness.jobs.wait(0.0)
    harness.tasks.close()


def test_the_first_fault_ends_the_node() -> None:
    harness = Harness()
    first = RunError("the first")
    harness.events.on_fault(first)
    harness.events.on_fault(StoreError("another"))
    assert harness.events.fault is first
    assert harness.state.cancelled
    harness.tasks.close()


def test_a_fault_ends_the_wait_for_running_jobs_which_will_not_end() -> None:
    harness = Harness()
    harness.held.add(["a"])
    waits = threading.Event()

    def given_up() -> bool:
        waits.set()
        return harness.events.fault is not None

    waiting = threading.Thread(target=lambda: harness.held.wait_idle(WAIT_S, given_up))
    waiting.start()
    assert waits.wait(WAIT_S)
    harness.events.on_fault(RunError("the disk is full"))
    waiting.join(WAIT_S / 2)
    assert not waiting.is_alive()
    harness.tasks.close()
