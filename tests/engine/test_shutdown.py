"""Shutdown: running tasks may end, results are committed before the appender ends, every wait has an end."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import pytest

from scoopi.engine.shutdown import Shutdown
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.state_flipper import NodeState, StateFlipper

WAIT_S = 60.0


class Part:
    """Stands for a part of the node: notes what it is asked, and ends only if it does not hang."""

    def __init__(self, name: str, asked: list[str], hangs: bool) -> None:
        self._name, self._asked, self._hangs = name, asked, hangs

    def __getattr__(self, method: str) -> Any:
        def ask(*_: object) -> bool:
            self._asked.append(f"{self._name} {method}")
            return not self._hangs

        return ask


class Node:
    """A shutdown over stand-ins; what the node holds, and its state, are real."""

    def __init__(self, hangs: str = "") -> None:
        self.asked: list[str] = []
        self.held, self.state = HeldJobs(), StateFlipper()
        self.state.cancel()
        parts: list[Any] = [Part(name, self.asked, name == hangs) for name in ("jobs", "tasks", "appender")]
        self.shutdown = Shutdown(parts[0], parts[1], parts[2], self.held, self.state)

    def graceful(self, limit_s: float = WAIT_S) -> None:
        now = time.monotonic()
        self.shutdown.graceful(now + limit_s, now + WAIT_S)


def test_tasks_may_end_before_their_workers_and_results_are_committed_after_them() -> None:
    node = Node()
    node.held.add(["a"])
    threading.Timer(0.05, node.held.remove, [["a"]]).start()
    node.graceful()
    assert "tasks kill" not in node.asked
    order = ["jobs cancel", "tasks drain", "tasks stop", "tasks join", "appender end_of_stream", "jobs stop"]
    assert [each for each in node.asked if each in order] == order
    assert node.state.state is NodeState.TERMINATED


def test_a_task_that_does_not_end_in_time_is_killed_and_its_results_are_committed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    node = Node()
    node.held.add(["a", "b"])
    node.graceful(limit_s=0.0)
    assert "2 jobs did not finish in time; they will be run again" in caplog.text
    assert node.asked.index("tasks kill") < node.asked.index("appender end_of_stream")
    assert "appender abandon" not in node.asked


def test_a_second_signal_ends_the_wait_for_running_tasks() -> None:
    node = Node()
    node.held.add(["a"])
    node.shutdown.expedite()
    node.graceful()
    assert "tasks kill" in node.asked


@pytest.mark.parametrize(("hangs", "ended"), [("tasks", "tasks kill"), ("appender", "appender abandon")])
def test_a_part_that_hangs_is_left_and_the_others_end(hangs: str, ended: str) -> None:
    node = Node(hangs)
    node.graceful()
    assert ended in node.asked
    assert node.asked[-1] == "jobs stop"
    assert node.state.state is NodeState.TERMINATED


def test_a_node_whose_jobs_others_have_finished_drops_them(caplog: pytest.LogCaptureFixture) -> None:
    node = Node()
    node.shutdown.when_over()
    assert "appender abandon" not in node.asked
    late = Node()
    late.held.add(["a"])
    late.shutdown.when_over()
    assert "1 job was finished by others" in caplog.text
    assert late.asked[:2] == ["tasks kill", "appender abandon"]


def test_an_immediate_shutdown_commits_nothing_more() -> None:
    node = Node()
    node.shutdown.immediate(-math.inf)
    assert node.asked[:2] == ["tasks kill", "appender abandon"]
