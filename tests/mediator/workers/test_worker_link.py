"""WorkerLink: what holds for a worker in a process of its own and for one in a thread."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from scoopi.mediator.workers import worker_link
from scoopi.mediator.workers.thread_link import ThreadLink
from scoopi.mediator.workers.worker_link import ProcessLink, WorkerLink
from scoopi.worker import pipe
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Ready, Setup, Stop
from scoopi.worker.pipe import pack
from tests.engine.workspace import wait_until
from tests.worker.processes.stuck_loader import RELEASED, wire

LIMIT_S = 60.0


@pytest.fixture(
    params=[lambda: ProcessLink("tests.worker.processes.stuck_loader:wire"), lambda: ThreadLink(wire)]
)
def link(request: pytest.FixtureRequest) -> Iterator[WorkerLink]:
    """A worker whose loader cannot be closed before the test is over."""
    make: Callable[[], WorkerLink] = request.param
    made = make()
    yield made
    RELEASED.set()
    made.kill()
    made.reap()
    RELEASED.clear()


def test_a_worker_that_is_stopped_has_ended_before_its_loader_is_closed(link: WorkerLink) -> None:
    link.send(Setup(b""))
    link.send(Stop())
    end, alive = time.monotonic() + LIMIT_S, True
    while alive:
        assert select.select([link.incoming], [], [], end - time.monotonic())[0], "the worker does not end"
        _, alive = link.receive()


def test_a_worker_that_is_stopped_by_a_signal_is_paused_until_it_is_continued() -> None:
    link = ProcessLink("tests.worker.processes.stuck_loader:wire")
    try:
        assert not link.is_paused()
        os.kill(link.pid, signal.SIGSTOP)
        wait_until(link.is_paused, "the pause")
        os.kill(link.pid, signal.SIGCONT)
        wait_until(lambda: not link.is_paused(), "the end of the pause")
        assert not link.has_ended()
    finally:
        link.kill()
    wait_until(link.has_ended, "its end")
    link.reap()
    assert not link.is_paused()


def test_a_worker_that_closes_its_pipe_and_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_link, "END_S", 0.01)
    before = open_markers()
    link = ProcessLink("tests.worker.processes.stuck_loader:wire")
    os.kill(link.pid, signal.SIGSTOP)
    reaped: list[tuple[str, RunningTask]] = []
    reaping = threading.Thread(target=lambda: reaped.append(link.reap()), daemon=True)
    reaping.start()
    reaping.join(LIMIT_S)
    if not reaped:
        link.kill()
    assert reaped == [("it was killed by SIGKILL", RunningTask())]
    assert open_markers() == before


def open_markers() -> int:
    """How many crash markers this process has open."""
    names = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the folder's own listing
            names.append(os.readlink(f"/proc/self/fd/{number}"))
    return sum("crash-marker" in name for name in names)


def test_a_worker_that_says_nothing_just_now_is_not_taken_for_dead(link: WorkerLink) -> None:
    assert link.receive() == ([], True)


def test_a_link_that_is_reaped_has_closed_both_ends() -> None:
    (incoming, to_parent), (from_parent, outgoing) = os.pipe(), os.pipe()
    assert WorkerLink(incoming, outgoing).reap() == ("", RunningTask())
    for end in (incoming, outgoing):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(end)
    for end in (to_parent, from_parent):
        os.close(end)


def test_a_plain_link_knows_nothing_of_its_worker() -> None:
    (incoming, to_parent), (from_parent, outgoing) = os.pipe(), os.pipe()
    link = WorkerLink(incoming, outgoing)
    assert (link.pid, link.running_task(), link.is_paused(), link.has_ended()) == (
        None,
        RunningTask(),
        False,
        False,
    )
    link.reap()
    for end in (to_parent, from_parent):
        os.close(end)


def test_a_message_that_the_worker_does_not_take_waits_and_is_dropped_with_it() -> None:
    (incoming, to_parent), (from_parent, outgoing) = os.pipe(), os.pipe()
    link = WorkerLink(incoming, outgoing)
    link.send(Setup(bytes(4 << 20)))  # more than the pipe holds
    assert link.has_unsent()
    taken = 0
    while link.has_unsent():
        taken += len(os.read(from_parent, 1 << 20))
        link.push()
    while select.select([from_parent], [], [], 0)[0]:
        taken += len(os.read(from_parent, 1 << 20))
    assert taken == len(pack(Setup(bytes(4 << 20))))
    link.send(Setup(bytes(4 << 20)))
    os.close(from_parent)
    link.push()
    assert not link.has_unsent()
    link.reap()
    os.close(to_parent)


def test_of_what_a_dead_worker_has_sent_the_whole_messages_are_read() -> None:
    (incoming, to_parent), (from_parent, outgoing) = os.pipe(), os.pipe()
    link = WorkerLink(incoming, outgoing)
    os.write(to_parent, pack(Ready()) * 2 + pack(Ready())[:-1])
    assert list(link.receive_rest()) == [Ready()] * 2, "a process that it has forked may hold the pipe open"
    os.write(to_parent, pack(Ready())[-1:])
    os.close(to_parent)
    assert list(link.receive_rest()) == [Ready()]
    link.reap()
    os.close(from_parent)


def test_what_a_dead_worker_has_sent_is_read_to_its_end_however_little_a_read_brings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipe, "READ_AT_ONCE", len(pack(Ready())))
    (incoming, to_parent), (from_parent, outgoing) = os.pipe(), os.pipe()
    link = WorkerLink(incoming, outgoing)
    os.write(to_parent, pack(Ready()) * 3)
    assert list(link.receive_rest()) == [Ready()] * 3
    link.reap()
    for end in (to_parent, from_parent):
        os.close(end)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("kill -SEGV $$", "it was killed by SIGSEGV"),
        ("kill -40 $$", "it was killed by signal 40"),
        ("exit 3", "it ended with exit code 3"),
        ("exit 0", "it ended with exit code 0"),
    ],
)
def test_how_a_worker_has_ended_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, how: str, words: str
) -> None:
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **more: popen(["sh", "-c", how], **more))
    link = ProcessLink("not:started")
    assert link.reap() == (words, RunningTask())
