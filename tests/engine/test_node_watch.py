"""The watch reports a thread that ended or stands still, and no end that belongs to the run's own."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from scoopi.configs.groups import EngineSettings
from scoopi.engine.node_watch import STUCK_S, NodeWatch, WatchedParts
from scoopi.errors import AppenderError
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.mediator.task_mediator import TaskFigures
from scoopi.metrics.node_counts import NodeCounts


@dataclass
class Part:
    """Stands for a part with a thread."""

    gone: bool = False

    def ended(self) -> bool:
        return self.gone

    def waiting(self) -> int:
        return 0


@dataclass
class Tasks(Part):
    """Stands for the task runner."""

    ready: int = 1
    turned_at: float = field(default_factory=time.monotonic)
    stuck_s: float = 0.0

    def figures(self) -> TaskFigures:
        return TaskFigures(1, self.ready, (), 0, 0, 0, 0, 0, 0, self.turned_at, self.stuck_s)


@dataclass
class Jobs:
    """Stands for the takers."""

    started: bool = True
    gone: str = ""

    def ended(self) -> str:
        return self.gone


class Harness:
    """A watch over stand-ins; the state and the events are real."""

    def __init__(self) -> None:
        self.appender, self.tasks, self.jobs = Part(), Tasks(), Jobs()
        self.state, self.held = StateFlipper(), HeldJobs()
        self.counts = NodeCounts()
        self.events = NodeEvents(
            self.held,
            self.counts,
            self.state,
            JobInbox(),
            TaskInbox(),
            Monitor(self.held, self.state, cast("Any", None), EngineSettings()),
        )
        parts = WatchedParts(
            cast("Any", self.appender),
            cast("Any", self.tasks),
            cast("Any", self.jobs),
            self.events,
            self.state,
            self.held,
        )
        self.watch = NodeWatch("r1", "n1", parts, self.counts, lambda: 3)


@pytest.fixture
def harness() -> Harness:
    return Harness()


def test_a_working_node_lives_and_is_ready(harness: Harness) -> None:
    assert (harness.watch.fault(), harness.watch.unready()) == ("", "")
    view = harness.watch.view()
    assert (view.state, view.fault, view.unready, view.jobs.left) == ("READY", "", "", 3)


def test_a_node_that_seeds_lives_and_is_not_ready(harness: Harness) -> None:
    harness.jobs.started = False
    assert (harness.watch.fault(), harness.watch.unready()) == ("", "the run is not seeded yet")


def test_a_node_without_a_ready_worker_is_not_ready(harness: Harness) -> None:
    harness.tasks.ready = 0
    assert (harness.watch.fault(), harness.watch.unready()) == ("", "no worker is ready")


@pytest.mark.parametrize("name", ["task-runner", "appender", "job-runner"])
def test_a_thread_that_ends_in_the_midst_of_the_run_is_a_fault(harness: Harness, name: str) -> None:
    harness.tasks.gone = name == "task-runner"
    harness.appender.gone = name == "appender"
    harness.jobs.gone = name if name == "job-runner" else ""
    assert harness.watch.fault() == f"the thread {name} has ended"
    assert harness.watch.unready() == harness.watch.fault()


def test_a_worker_that_cannot_be_ended_is_a_fault(harness: Harness) -> None:
    harness.tasks.stuck_s = 71.2
    assert harness.watch.fault() == "a worker has been in one task for 71 s and cannot be ended"
    assert harness.watch.unready() == harness.watch.fault()


def test_a_thread_that_ends_with_the_run_is_none(harness: Harness) -> None:
    harness.tasks.gone = harness.appender.gone = True
    harness.state.finish()
    assert (harness.watch.fault(), harness.watch.unready()) == ("", "the node ends its part of the run")
    harness.state.terminate()
    assert harness.watch.fault() == ""


def test_a_task_runner_that_stands_still_is_a_fault(harness: Harness) -> None:
    harness.tasks.turned_at -= STUCK_S + 1
    assert harness.watch.fault() == "the task runner has not turned for 16 s"


def test_what_ended_the_node_is_reported_to_the_last(harness: Harness) -> None:
    harness.events.on_fault(AppenderError("rows cannot be written", at="/rows"))
    assert harness.watch.fault() == "/rows: rows cannot be written"
    assert harness.watch.view().state == "SHUTDOWN"
