"""ThreadLink: a worker in a thread, which cannot be ended as a process can."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable

import pytest

from scoopi.mediator.workers.thread_link import ThreadLink
from scoopi.model.handover import Handover, Payload
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.model.scrape.task_def import TaskDef
from scoopi.steps.step import Step
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import Assign, Setup, Stop, WorkItem
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain, WorkerParts
from tests.engine.workspace import wait_until
from tests.worker.played_loader import PlayedLoader


def test_a_thread_that_loops_ends_silently_when_it_is_killed(caplog: pytest.LogCaptureFixture) -> None:
    others = threading.enumerate()
    link = ThreadLink(looping)
    (thread,) = [each for each in threading.enumerate() if each.name == "worker" and each not in others]
    assert thread.daemon, "a native call that never returns keeps no process from ending"
    link.send(Setup(b""))
    link.send(Assign((WorkItem("job", 1, JobPayload(Locator("name", "group", "page.html"), "seed")),)))
    wait_until(lambda: link.running_task().task == "loop", "the task")
    assert not link.has_ended()
    assert not link.is_paused(), "or the time of its task would never count"
    link.kill()
    assert link.has_ended()
    assert link.reap()[1][:2] == ("job", "loop")
    wait_until(lambda: not thread.is_alive(), "the end of the thread")
    assert not caplog.records


class Loop(Step):
    """Never ends."""

    def run(self, payload: Payload) -> Handover:
        while True:
            pass


def looping(_: bytes, __: Callable[[str, str], None]) -> WorkerParts:
    """The parts of a worker whose one task never ends."""
    chain = TaskChain(TaskDef("group", "loop", "data", ()), (ChainStep("loop", Loop(), "job.yml:1:1"),))
    plan = GroupPlan((chain,), "loader", "here")
    children = ChildJobs(lambda _: "file", 9)
    return WorkerParts(PlayedLoader(ends_at_once=1), lambda _: plan, children, FoundValues({}, frozenset()))


def test_a_worker_without_a_task_ends_when_it_is_killed_though_its_pipe_is_open() -> None:
    others = threading.enumerate()
    link = ThreadLink(looping)
    (thread,) = [each for each in threading.enumerate() if each.name == "worker" and each not in others]
    link.send(Setup(b""))
    link.kill()
    wait_until(lambda: not thread.is_alive(), "the end of the thread")
    link.reap()


def test_a_worker_that_is_stopped_has_ended_its_thread_when_it_is_reaped() -> None:
    others = threading.enumerate()
    link = ThreadLink(looping)
    (thread,) = [each for each in threading.enumerate() if each.name == "worker" and each not in others]
    link.send(Setup(b""))
    link.send(Stop())
    ended, running = link.reap()
    assert not thread.is_alive()
    assert (ended, running.job) == ("its thread ended", "")
    assert not link.has_ended(), "only a thread that is left to itself counts as ended early"


def test_a_worker_that_has_ended_leaves_no_file_open() -> None:
    gc.collect()  # closes what other tests have left
    opened = {*os.listdir("/proc/self/fd")}
    link = ThreadLink(looping)
    link.send(Setup(b""))
    link.send(Stop())
    link.reap()
    # Threads of other tests may open files, and close them, meanwhile.
    wait_until(lambda: {*os.listdir("/proc/self/fd")} <= opened, "that the files are closed")
