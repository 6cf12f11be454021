"""A node that was frozen, and wakes up when others have declared it lost and gone on without it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoopi.model.report.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.jobs.job_records import JobRecords
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeStatus, marked_among
from scoopi.store.ports import JOBS
from scoopi.store.runs.run_record import RunPhase, RunRecord
from tests.cluster.holding import ended_jobs, states, store_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 4, 2
SLOW = {
    "scoopi.loader.fetch.delay": "300",
    "scoopi.loader.fetch.parallelism": "1",
    "scoopi.job.prefetch": "60000",
}
"""One node has the host, and takes all that there is to do."""


class Sleeper:
    """A node that is a process of its own, with workers, and can be made to stand still."""

    def __init__(self, runner: NodeRunner, folder: Path, workers: int) -> None:
        arguments = runner.arguments("ann")
        arguments[arguments.index("--workers") + 1] = str(workers)
        self.process = ScoopiProcess(arguments, folder)
        self._frozen: list[int] = []

    def freeze(self) -> None:
        self._frozen = [self.process.process.pid, *self.process.workers()]
        for pid in self._frozen:
            os.kill(pid, signal.SIGSTOP)

    def wake(self) -> None:
        while self._frozen:
            os.kill(self._frozen.pop(), signal.SIGCONT)


@contextmanager
def fallen_asleep(
    runner: NodeRunner, cluster: ClusterClient, folder: Path, server: Server, workers: int
) -> Iterator[Sleeper]:
    """A node that has ended some jobs, holds all others, and is frozen."""
    sleeper = Sleeper(runner, folder, workers)

    def has_ended_some() -> bool:
        # Without an ended job the node has no rows that the others would await.
        return len(server.log.all()) >= 3 and ended_jobs(cluster, runner) > 0

    try:
        wait_until(has_ended_some, "its first ended jobs", LIMIT_S, sleeper.process)
        sleeper.freeze()
        yield sleeper
    finally:
        sleeper.process.kill_all()


def phase_of(cluster: ClusterClient, runner: NodeRunner) -> RunPhase:
    state = RunRecord(store_of(cluster, runner), "test").read()
    assert state is not None
    return state.phase


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(("durability", "phase"), [("local", RunPhase.ENDING), ("shared", RunPhase.OVER)])
def test_a_node_that_wakes_after_the_end_of_its_run_requests_no_page_and_ends_with_code_0(
    runner_of: Callable[..., NodeRunner],
    cluster: ClusterClient,
    world: World,
    server: Server,
    tmp_path: Path,
    workers: int,
    durability: str,
    phase: RunPhase,
) -> None:
    runner = runner_of(**{**SLOW, "scoopi.output.durability": durability})
    with fallen_asleep(runner, cluster, tmp_path, server, workers) as sleeper:
        assert runner.run("bob")[0].status is RunStatus.DONE
        assert phase_of(cluster, runner) is phase
        before = len(server.log.all())
        sleeper.wake()
        assert sleeper.process.wait(LIMIT_S) == 0
    assert len(server.log.all()) == before
    assert "the run ended while node ann was away" in (tmp_path / "stderr.txt").read_text()
    assert runner.rows() == world.rows
    assert phase_of(cluster, runner) is RunPhase.OVER


def test_a_node_that_was_declared_lost_drops_the_jobs_that_it_has_not_begun(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, world: World, server: Server, tmp_path: Path
) -> None:
    runner = runner_of(**SLOW)
    with fallen_asleep(runner, cluster, tmp_path, server, workers=1) as sleeper:
        bob = runner.start("bob")
        wait_until(lambda: NodeStatus.DEAD in states(cluster, runner), "that it is declared lost", LIMIT_S)
        sleeper.wake()
        assert sleeper.process.wait(LIMIT_S) == 0
        assert bob.result(LIMIT_S).status is RunStatus.DONE
    assert "node ann was declared lost" in (tmp_path / "stderr.txt").read_text()
    assert runner.rows() == world.rows
    again = len(server.log.pages()) - world.jobs
    assert again <= 1, "a page is loaded twice only if it was being loaded when the node fell asleep"


def test_only_the_jobs_that_workers_of_a_killed_node_had_count_as_lost(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, tmp_path: Path
) -> None:
    answers = threading.Event()

    def page(path: str) -> bytes:
        if path != "/robots.txt":
            answers.wait(LIMIT_S)
        return b"<h1>A shelf</h1>"

    with Server(page) as silent:
        build_world(tmp_path / "silent", 6, 2, silent.url(""))
        runner = runner_of(defs=tmp_path / "silent" / "defs", **SLOW)
        records, store = JobRecords("test"), store_of(cluster, runner)
        ann = ScoopiProcess(runner.arguments("ann"), tmp_path)
        try:
            membership = Membership(store, "test", "test")

            def given() -> bool:
                jobs = [job for job, _ in store.scan(JOBS, None, 100)]
                return any(marked_among(record.given, jobs) for record in membership.read().values())

            wait_until(given, "a heartbeat that names what its worker has", LIMIT_S, ann)
            ann.signal(signal.SIGKILL)
            assert ann.wait(LIMIT_S) == -signal.SIGKILL
            bob = runner.start("bob")
            wait_until(lambda: NodeStatus.DEAD in states(cluster, runner), "its loss", LIMIT_S)

            def lost() -> list[int]:
                found = store.scan(JOBS, None, 100)
                return [records.read(job, record).lost for job, record in found]

            wait_until(lambda: any(lost()), "that its jobs are taken back", LIMIT_S)
            assert sorted(lost()) == [0] * 5 + [1], "one request at a time: its worker had one job"
            runner.cancel()
        finally:
            answers.set()
            ann.kill_all()
        bob.result(LIMIT_S)
