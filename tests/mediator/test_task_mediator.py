"""TaskMediator: how many jobs of a host a node takes, so that none starves and none piles up."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.mediator import task_mediator
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.task_mediator import LEAST_AHEAD, Prefetch, TaskMediator
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.model.handover import Grant
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter
from scoopi.politeness.standing import Standing
from scoopi.store.jobs.job_records import TakenJob
from tests.clock import Clock
from tests.engine.workspace import wait_until
from tests.mediator.played_node import WAIT_S, PlayedNode, PlayedWorker

ONE, TWO = "one.example:80", "two.example:80"
AHEAD_MS = 2000


class Node:
    """The mediator over real queues and a pool; its runner's loop is never started."""

    def __init__(self, folder: Path, delay_ms: int, workers: int = 1) -> None:
        limits, clock = FetchLimits(1, delay_ms), Clock()
        self.limiter = HostRateLimiter(limits, clock)
        self.queues = TaskQueues(self.limiter, clock)
        self.pool = WorkerPool(PlayedWorker, workers, b"plan", most_requests=2)
        self.pool.start()
        self.parts = PlayedNode(folder)
        self.tasks = self.with_prefetch(Prefetch(AHEAD_MS))

    def with_prefetch(self, prefetch: Prefetch) -> TaskMediator:
        parts = self.parts
        return TaskMediator(parts.runner, parts.inbox, self.queues, self.pool, prefetch, parts.faults.put)

    def queue(self, count: int, host: str, archived: bool = False) -> None:
        for number in range(count):
            name = str(number)
            taken = TakenJob(name, 1, 0, host, JobPayload(Locator(name, "towns", name), name))
            self.queues.add(Pending(taken, archived))


@pytest.fixture
def node_of(tmp_path: Path) -> Iterator[Callable[..., Node]]:
    nodes: list[Node] = []

    def made(delay_ms: int, workers: int = 1) -> Node:
        nodes.append(Node(tmp_path, delay_ms, workers))
        return nodes[-1]

    yield made
    for node in nodes:
        node.pool.kill()
        for worker in list(node.pool):
            node.pool.remove(worker)
        node.parts.store.close()


def test_of_a_slow_host_so_many_are_taken_as_it_can_be_asked_in_the_time_ahead(
    node_of: Callable[..., Node],
) -> None:
    node = node_of(delay_ms=250)
    assert node.tasks.wanted(ONE) == 8
    node.queue(8, ONE)
    assert (node.tasks.wanted(ONE), node.tasks.wanted(TWO)) == (0, 8)
    assert node_of(delay_ms=5000).tasks.wanted(ONE) == 1


def test_more_are_taken_when_half_of_them_are_given_out_and_not_one_by_one(
    node_of: Callable[..., Node],
) -> None:
    node = node_of(delay_ms=250)
    node.queue(8, ONE)
    wanted = []
    for _ in range(5):
        node.queues.pop_job(ONE)
        wanted.append(node.tasks.wanted(ONE))
    assert wanted == [0, 0, 0, 4, 5]


def test_of_files_and_of_hosts_without_delay_so_many_are_taken_as_workers_can_use(
    node_of: Callable[..., Node],
) -> None:
    assert node_of(delay_ms=250).tasks.wanted(FILE_HOST) == LEAST_AHEAD
    node = node_of(delay_ms=0, workers=2)
    assert node.tasks.wanted(ONE) == LEAST_AHEAD
    for worker in node.pool:
        for _ in range(60):
            worker.record_timing(100, 0.2, 0.0)
    assert node.tasks.wanted(ONE) == 2 * node.pool.capacity() > LEAST_AHEAD


def test_a_node_holds_no_more_than_so_many_jobs_of_all_hosts_together(
    node_of: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_mediator, "MOST_AHEAD", 5)
    node = node_of(delay_ms=0)
    node.limiter.ended(TWO, "job", heard=True)
    node.queue(4, ONE)
    assert node.tasks.wanted(TWO) > 0
    node.queue(1, FILE_HOST)
    assert (node.tasks.wanted(TWO), node.tasks.wanted(FILE_HOST)) == (0, 0)


def test_a_part_of_the_queue_is_reserved_for_hosts_that_answer(
    node_of: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_mediator, "MOST_AHEAD", 8)
    node = node_of(delay_ms=0)
    node.limiter.ended("good.example:80", "job", heard=True)
    node.limiter.ended("dead.example:80", "job", heard=False)
    seen = []
    for _ in range(8):
        hosts = ("good.example:80", "new.example:80", "dead.example:80")
        seen.append([node.tasks.wanted(host) > 0 for host in hosts])
        node.queue(1, ONE)
    assert seen == [[True] * 3] * 4 + [[True, True, False]] * 2 + [[True, False, False]] * 2


def test_jobs_that_wait_for_a_robots_txt_whose_host_does_not_answer_leave_room_for_others(
    node_of: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_mediator, "MOST_AHEAD", 4)
    node = node_of(delay_ms=0)
    (worker,) = node.pool.workers
    node.queue(3, ONE)
    assert node.tasks.wanted(TWO) == 0
    reading = robots_pending(ONE, f"http://{ONE}/robots.txt", public_only=False)
    worker.add(reading, reading.item(Grant(ONE, math.inf)), Standing.UNKNOWN)
    assert node.tasks.wanted(TWO) == 0, "it may still be answered"
    wait_until(lambda: node.pool.stalls_in() == 0, "a stalled request", WAIT_S)
    assert node.tasks.wanted(TWO) > 0


def test_a_page_of_the_archive_counts_to_its_host_and_files_are_not_waited_for(
    node_of: Callable[..., Node],
) -> None:
    node = node_of(delay_ms=1000)
    node.queue(1, FILE_HOST)
    node.queue(2, ONE, archived=True)
    assert node.tasks.waiting_hosts() == (ONE,)
    assert node.tasks.wanted(ONE) == 0


def test_a_crawl_delay_is_kept_in_mind_by_what_is_taken(node_of: Callable[..., Node]) -> None:
    node = node_of(delay_ms=0, workers=8)
    assert node.tasks.wanted(ONE) > 2
    node.limiter.slow_down(ONE, 1.0)
    assert node.tasks.wanted(ONE) == 2


def test_a_mediator_that_was_never_started_is_joined_at_once(node_of: Callable[..., Node]) -> None:
    node = node_of(delay_ms=0)
    assert not node.tasks.ended()
    assert node.tasks.join(WAIT_S)


def test_where_the_store_answers_slowly_more_is_taken_ahead(node_of: Callable[..., Node]) -> None:
    node = node_of(delay_ms=0, workers=8)
    assert node.tasks.wanted(ONE) == 2 * node.pool.capacity()
    often = node.with_prefetch(Prefetch(AHEAD_MS, windows=8))
    assert often.wanted(ONE) == 8 * node.pool.capacity()


def test_what_others_want_is_posted_to_the_runner(tmp_path: Path) -> None:
    parts = PlayedNode(tmp_path)
    queues = TaskQueues(HostRateLimiter(FetchLimits(1, 0), Clock()), Clock())
    prefetch = Prefetch(AHEAD_MS)
    tasks = TaskMediator(parts.runner, parts.inbox, queues, parts.pool, prefetch, parts.faults.put)
    assert tasks.join(0), "it has not been started"
    assert not tasks.ended()
    tasks.start()
    first = parts.launched.get(timeout=WAIT_S)
    tasks.kill()
    assert tasks.join(WAIT_S)
    assert tasks.ended()
    assert not first.pid
    assert parts.faults.empty()
    parts.store.close()


def test_no_jobs_are_wanted_of_a_host_that_rests(node_of: Callable[..., Node]) -> None:
    node = node_of(delay_ms=0)
    busy = LoadFault("status 429", is_transient=True, status=429, retry_after_s=60.0)
    node.limiter.ended(ONE, "job", heard=True, fault=busy)
    assert (node.tasks.wanted(ONE), node.tasks.wanted(TWO) > 0) == (0, True)


def test_its_figures_are_those_of_its_queues_and_workers(node_of: Callable[..., Node]) -> None:
    node = node_of(delay_ms=0, workers=2)
    one, two = node.pool.workers
    one.ready = True
    node.queue(3, ONE)
    node.queue(1, FILE_HOST)
    for worker, host, names in ((one, ONE, "ab"), (two, ONE, "c"), (two, TWO, "d")):
        for name in names:
            taken = TakenJob(name, 1, 0, host, JobPayload(Locator(name, "towns", name), name))
            worker.add(Pending(taken), Pending(taken).item(Grant(host, math.inf)))
    figures = node.tasks.figures()
    assert (figures.workers, figures.ready, figures.pids, figures.crashes) == (2, 1, (), 0)
    assert (figures.queued, figures.given, figures.requests) == (4, 4, 4)
    assert (figures.hosts_in_flight, figures.hosts_waiting) == (2, 1)
    assert (figures.turned_at, figures.stuck_s) == (math.inf, 0.0)
    assert sorted(node.tasks.given()) == [*"abcd"]


def test_whatever_is_asked_of_it_is_done_in_the_runners_thread(
    node_of: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    node, done, posted = node_of(delay_ms=0), list[str](), list[Callable[[], object]]()
    runner = node.parts.runner
    for name in ("push", "drain", "recall", "stop", "kill"):
        monkeypatch.setattr(runner, name, lambda *_, name=name: done.append(name))
    monkeypatch.setattr(runner.dispatcher.notes, "add", lambda jobs: done.append("may_send"))
    monkeypatch.setattr(node.parts.inbox, "post", posted.append)
    tasks = node.tasks
    tasks.push([])
    for call in (tasks.drain, tasks.recall, tasks.stop, tasks.kill):
        call()
    tasks.may_send([])
    assert done == [], "not in the thread that asks"
    for each in posted:
        each()
    assert done == ["push", "drain", "recall", "stop", "kill", "may_send"]


def test_an_error_of_the_runner_that_nobody_foresaw_ends_the_node(
    node_of: Callable[..., Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = node_of(delay_ms=0)

    def broken() -> None:
        (thread,) = (each for each in threading.enumerate() if each.name == "task-runner")
        assert thread.daemon, "a runner that hangs keeps no process from ending"
        raise KeyError("a defect")

    monkeypatch.setattr(node.parts.runner, "run", broken)
    node.tasks.start()
    assert str(node.parts.faults.get(timeout=WAIT_S)) == "the task runner failed: KeyError('a defect')"
    assert node.tasks.join(WAIT_S)
    assert node.tasks.ended()
