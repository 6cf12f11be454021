"""Watchdog: which task is ended and when, and what becomes of the jobs behind a slow one."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.workers.watchdog import DYING_S, FROZEN_S, POLL_S, SLOW_S, Watchdog
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Recall
from tests.clock import Clock
from tests.mediator.played_node import PlayedWorker

LIMIT_S = 60.0


class Watched:
    """Workers with two jobs each, under a watchdog whose time the test plays."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.watchdog = Watchdog(LIMIT_S, self.clock)
        self.links = [PlayedWorker(), PlayedWorker()]
        self.workers = [PoolWorker(link, 4) for link in self.links]
        for worker in self.workers:
            worker.ready = True
            worker.outstanding = {name: pending(name) for name in "ab"}
        self.link, self.worker = self.links[0], self.workers[0]
        self.check()

    def is_killed(self, number: int = 0) -> bool:
        """Whether the watchdog has killed that worker."""
        return self.workers[number].overran is not None

    def check(self) -> None:
        assert self.watchdog.check(self.workers) == []

    def on(self, task: str) -> None:
        """The first worker begins a task now."""
        self.link.is_on(RunningTask("a", task, self.clock.now))

    def passes(self, seconds: float) -> None:
        """Look all the time, as the task runner does."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + 2 * POLL_S)
            self.check()


def test_without_workers_nothing_is_stuck() -> None:
    clock = Clock()
    watchdog = Watchdog(LIMIT_S, clock)
    clock.pass_s(2 * POLL_S)
    assert watchdog.check(()) == []
    assert watchdog.stuck_s == 0.0


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    for link in made.links:
        link.is_immortal = False
        link.kill()
        link.reap()


def pending(name: str) -> Pending:
    return Pending(TakenJob(name, 1, 0, "file", JobPayload(Locator(name, "towns", name), name)))


def test_a_worker_is_killed_when_its_task_exceeds_the_limit_and_not_before(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    watched.on("rain")
    watched.passes(LIMIT_S - 1)
    assert not watched.is_killed()
    with caplog.at_level(logging.WARNING):
        watched.passes(2)
    assert watched.worker.overran == watched.link.running_task()
    assert not watched.link.receive()[1], "it is dead"
    assert not watched.is_killed(1)
    assert "task 'rain' runs longer than 60 s" in caplog.text


def test_tasks_that_end_in_time_may_take_any_time_together(watched: Watched) -> None:
    for number in range(4):
        watched.on(f"task{number}")
        watched.passes(LIMIT_S - 1)
    assert not watched.is_killed()


def test_a_worker_without_a_task_may_idle_for_ever(watched: Watched) -> None:
    watched.passes(10 * LIMIT_S)
    assert not watched.is_killed(0)
    assert not watched.is_killed(1)


def test_a_task_that_ends_while_its_death_is_decided_costs_no_worker(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.on("rain")
    watched.passes(LIMIT_S)
    notes = iter([watched.link.running_task(), RunningTask()])
    monkeypatch.setattr(watched.link, "running_task", lambda: next(notes))
    watched.clock.now += 1
    watched.check()
    assert not watched.is_killed()
    assert next(notes, None) is None, "it was looked at twice"


def test_after_a_freeze_of_the_machine_each_task_gets_its_whole_time_again(watched: Watched) -> None:
    watched.on("rain")
    watched.links[1].is_on(RunningTask("b", "rain", watched.clock.now))
    watched.clock.now += 100 * LIMIT_S
    watched.check()
    watched.passes(LIMIT_S - 1)
    assert not watched.is_killed(0)
    assert not watched.is_killed(1)
    watched.passes(2)
    assert watched.is_killed(0)
    assert watched.is_killed(1)


def test_a_pause_that_is_not_a_freeze_gives_a_task_no_more_time(watched: Watched) -> None:
    watched.on("rain")
    watched.passes(LIMIT_S - 1)
    watched.clock.now += FROZEN_S - 0.5
    watched.check()
    assert watched.is_killed()


def test_a_worker_that_is_paused_from_outside_is_not_killed_and_gets_its_time_when_it_runs_again(
    watched: Watched,
) -> None:
    watched.on("rain")
    watched.link.pauses()
    watched.passes(3 * LIMIT_S)
    assert not watched.worker.has_room(needs_request=False)
    watched.link.pauses(False)
    watched.passes(LIMIT_S - 2)
    assert not watched.is_killed()
    watched.passes(LIMIT_S)
    assert watched.is_killed()


def test_a_slow_worker_hands_back_what_waits_and_gets_no_jobs_until_its_task_ends(watched: Watched) -> None:
    watched.on("rain")
    watched.passes(SLOW_S + 2 * POLL_S)
    assert watched.link.hears() == Recall()
    assert not watched.worker.has_room(needs_request=False)
    watched.passes(SLOW_S)
    assert watched.link.is_sent_nothing(), "it is asked once"
    assert watched.workers[1].has_room(needs_request=False)
    watched.on("wind")
    watched.passes(POLL_S)
    assert watched.worker.has_room(needs_request=False)


def test_a_slow_worker_that_holds_nothing_else_is_not_asked(watched: Watched) -> None:
    del watched.worker.outstanding["b"]
    watched.on("rain")
    watched.passes(SLOW_S + 2 * POLL_S)
    assert watched.link.is_sent_nothing()


def test_a_worker_that_outlives_its_kill_is_reported_until_it_is_gone(watched: Watched) -> None:
    watched.link.is_immortal = True
    watched.on("rain")
    watched.passes(LIMIT_S + 1)
    assert watched.is_killed()
    assert watched.watchdog.stuck_s == 0, "it may be dying"
    watched.passes(DYING_S + 1)
    assert watched.watchdog.stuck_s > LIMIT_S + DYING_S
    watched.workers = watched.workers[1:]
    watched.passes(POLL_S)
    assert watched.watchdog.stuck_s == 0
