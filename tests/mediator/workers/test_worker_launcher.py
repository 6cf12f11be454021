"""WorkerLauncher: real worker processes, some started ahead."""

from __future__ import annotations

import os
from pathlib import Path

from scoopi.bootstrap.boot_module import WIRE
from scoopi.mediator.workers.thread_link import ThreadLink
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.mediator.workers.worker_link import ProcessLink
from tests.reliability.process import children_of
from tests.worker.processes.stuck_loader import wire


def test_workers_started_ahead_are_handed_out_before_new_ones_are_started() -> None:
    with WorkerLauncher(WIRE) as launcher:
        ahead = started_by(launcher, 2)
        links = [launcher.launch() for _ in range(3)]
        assert {link.pid for link in links[:2]} == ahead
        assert links[2].pid not in ahead
    for link in links:  # they were handed out: their holder ends them
        assert is_there(link.pid)
        link.kill()
        assert "SIGKILL" in link.reap()[0]


def test_what_was_started_and_never_handed_out_is_gone_at_the_end() -> None:
    with WorkerLauncher(WIRE) as launcher:
        pids = started_by(launcher, 2)
        assert all(is_there(pid) for pid in pids)
    assert not any(is_there(pid) for pid in pids)


def test_with_a_thread_the_first_worker_is_one_and_all_others_are_processes() -> None:
    with WorkerLauncher(WIRE) as launcher:
        launch = launcher.thread_first(wire)
        first, *others = (launch() for _ in range(3))
        assert isinstance(first, ThreadLink)
        assert [type(link) for link in others] == [ProcessLink, ProcessLink]
        for link in (first, *others):
            link.kill()
            link.reap()


def started_by(launcher: WorkerLauncher, count: int) -> set[int]:
    before = {*children_of(os.getpid())}
    launcher.start_ahead(count)
    pids = {*children_of(os.getpid())} - before
    assert len(pids) == count
    return pids


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
