"""Workers that a test plays, under a task runner whose every other part is real."""

from __future__ import annotations

import array
import fcntl
import math
import os
import queue
import select
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from scoopi.appenders.appender import Appender, CommitEvents, JobResult
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.configs.groups import AppenderSettings, FetchLimits
from scoopi.errors import ScoopiError
from scoopi.fetch.address import url_of
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, PageBudgets
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.mediator.retries.retry_handler import RetryHandler
from scoopi.mediator.sessions import Sessions
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.task_runner import TaskRunner, TaskRunnerCalls
from scoopi.mediator.workers.denied_jobs import DeniedJobs
from scoopi.mediator.workers.job_dispatcher import JobDispatcher
from scoopi.mediator.workers.message_router import MessageRouter
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.robots_gate import RobotsGate
from scoopi.mediator.workers.watchdog import Watchdog
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.job import Frame, JobPayload, JobState, seed_id
from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.model.locator import Locator
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter
from scoopi.politeness.robots.robots_cache import RobotsCache
from scoopi.politeness.robots.robots_store import RobotsStore
from scoopi.store.jobs.job_records import Ended, NewJob, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.solo.sqlite_store import SqliteStore
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Assign, Ready, Result, Results, Setup, ToWorker, WorkItem
from scoopi.worker.pipe import READ_AT_ONCE, MessageBuffer, pack
from tests.clock import Clock

WAIT_S = 60.0
NODE = "aaaaaaaaaaaaaaaa"
DECODER: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)


class PlayedWorker(WorkerLink):
    """Real pipes, with the test at their other end instead of a worker."""

    def __init__(self) -> None:
        self._in, outgoing = os.pipe()
        incoming, self._out = os.pipe()
        super().__init__(incoming, outgoing)
        self._bytes = MessageBuffer()
        self._heard: deque[ToWorker] = deque()
        self._dying = threading.Lock()
        self._dead = False
        self._running = RunningTask()
        self.is_immortal = self._is_paused = self._has_ended = False

    def hears(self) -> ToWorker:
        """The next message of the parent."""
        while not self._heard:
            assert self._has_message(WAIT_S), "the parent says nothing"
            self._bytes.feed(os.read(self._in, READ_AT_ONCE))
            self._heard.extend(map(DECODER.decode, self._bytes.bodies()))
        return self._heard.popleft()

    def is_sent_nothing(self) -> bool:
        """Whether the parent has said nothing that was not heard."""
        return not self._heard and not self._has_message(0)

    def is_given(self) -> list[WorkItem]:
        """The jobs of the next message, which gives some."""
        message = self.hears()
        assert isinstance(message, Assign)
        return list(message.items)

    def begins(self) -> None:
        """Be wired and ready."""
        assert isinstance(self.hears(), Setup)
        self.says(Ready())

    def says(self, message: msgspec.Struct, torn: bool = False) -> None:
        """Send a message to the parent, or a piece of it."""
        data = pack(message)
        os.write(self._out, data[:-1] if torn else data)

    def ends(self, *items: WorkItem) -> None:
        """Say that these jobs are done."""
        self.says(Results(tuple(result_of(item) for item in items), {}))

    def unread(self) -> int:
        """How many bytes the parent has not taken from the pipe yet."""
        size = array.array("i", [0])
        fcntl.ioctl(self.incoming, termios.FIONREAD, size)
        return size[0]

    def is_on(self, running: RunningTask) -> None:
        """Note what it is on."""
        self._running = running

    def pauses(self, is_paused: bool = True) -> None:
        """Be stopped from outside, or continued."""
        self._is_paused = is_paused

    def running_task(self) -> RunningTask:
        """As `WorkerLink.running_task`."""
        return self._running

    def is_paused(self) -> bool:
        """As `WorkerLink.is_paused`."""
        return self._is_paused

    def ends_behind_an_open_pipe(self) -> None:
        """End, while another process keeps the pipe open."""
        self._has_ended = True

    def has_ended(self) -> bool:
        """As `WorkerLink.has_ended`."""
        return self._has_ended

    def dies(self, job: str = "", task: str = "") -> None:
        """End while it is on this task; on what it has noted when none is named."""
        if job:
            self._running = RunningTask(job, task, 1.0)
        with self._dying:
            if not self._dead:
                self._dead = True
                os.close(self._in)
                os.close(self._out)

    def kill(self) -> None:
        """The parent ends it, unless it is immortal."""
        if not self.is_immortal:
            self.dies()

    def reap(self) -> tuple[str, RunningTask]:
        """As `WorkerLink.reap`."""
        super().reap()
        return "it was killed by the test", self._running

    def _has_message(self, timeout_s: float) -> bool:
        return bool(select.select([self._in], [], [], timeout_s)[0])


class PlayedNode:
    """A task runner, its store and its appender; the test plays the workers and, if it wants, the time."""

    def __init__(
        self,
        folder: Path,
        workers: int = 1,
        max_crashes: int = 2,
        limits: FetchLimits | None = None,
        queue_size: int = 100,
        task_limit_s: float = math.inf,
        robots: bool = False,
        commit_ms: int = 10,
        budgets: PageBudgets = NO_BUDGETS,
    ) -> None:
        self.clock = Clock()
        self.inbox = TaskInbox()
        self.store = SqliteStore(folder / "store.db")
        self.jobs = JobStore(self.store, NODE)
        self.launched: queue.Queue[PlayedWorker] = queue.Queue()
        self.back: queue.Queue[list[Pending]] = queue.Queue()
        self.sending: queue.Queue[list[TakenJob]] = queue.Queue()
        self.faults: queue.Queue[ScoopiError] = queue.Queue()
        self.failed: queue.Queue[JobResult] = queue.Queue()
        self.ended = threading.Semaphore(0)
        self.low = threading.Semaphore(0)
        writer = SegmentWriter(folder / "segments", SegmentHeader("run", NODE))
        settings = AppenderSettings(commit_ms, queue_size)
        self.appender = Appender(writer, self.jobs, settings, CommitEvents(self._on_ended, self.faults.put))
        limiter = HostRateLimiter(limits or FetchLimits(1, 0), self.clock)
        queues = TaskQueues(limiter, self.clock, budgets)
        self.robots_cache = _robots_cache(self)
        self.robots = RobotsGate(
            self.robots_cache, queues, limiter, url_of, lambda url: not robots, self.clock
        )
        self.job_inbox = JobInbox()
        handler = RetryHandler(lambda host: RetryPolicy(), RetryBudget(per_run=1000), self.job_inbox, budgets)
        self.counts = NodeCounts()
        self.router = MessageRouter(limiter, queues, self.appender, self.counts, handler, self.robots)
        self.pool = WorkerPool(self._launch, workers, b"plan", most_requests=4)
        self.sessions = Sessions(self.pool)
        place_of = "town.yml:{}:{}".format
        self.quarantine = Quarantine(max_crashes, task_limit_s, self.failed.put, place_of)
        denied = DeniedJobs(self.failed.put, place_of, lambda group: "")
        watchdog = Watchdog(task_limit_s, self.clock)
        calls = TaskRunnerCalls(
            self.back.put,
            self.low.release,
            self.faults.put,
            self.appender.has_room,
            self.appender.flush,
            self.sending.put,
        )
        self.dispatcher = JobDispatcher(
            self.pool, queues, self.quarantine, denied, self.robots, self.sessions
        )
        self.runner = TaskRunner(self.inbox, self.pool, self.dispatcher, self.router, watchdog, calls)
        self.thread = threading.Thread(target=self.runner.run)

    def worker(self) -> PlayedWorker:
        """The next worker that the runner starts; once this returns, the runner knows that it is ready."""
        worker = self.launched.get(timeout=WAIT_S)
        worker.begins()
        self.turn()  # else a job that is pushed at once may go to another worker
        return worker

    def push(self, count: int, host: str = FILE_HOST, archived: bool = False) -> list[TakenJob]:
        """Put `count` jobs of a host, take them and give them to the runner."""
        new = []
        for number in range(count):
            job = seed_id("group", host, str(number))
            new.append(NewJob(job, host, JobPayload(Locator("page", "group", str(number)), job)))
        self.jobs.put(new)
        taken = self.jobs.take(host, count)
        self.inbox.post(lambda: self.runner.push([Pending(job, archived) for job in taken]))
        return taken

    def turn(self) -> None:
        """Wait until the loop has turned once, whole, from now on."""
        for _ in range(2):
            turned = threading.Event()
            self.inbox.post(turned.set)
            assert turned.wait(WAIT_S), "the loop stands still"

    def turn_until(self, is_so: Callable[[], bool]) -> None:
        """Let the loop turn until that is so."""
        end = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < end, "the loop turns without work"
            self.turn()

    def wait_ended(self, count: int) -> None:
        """Wait until `count` further jobs have ended in the store."""
        for _ in range(count):
            assert self.ended.acquire(timeout=WAIT_S), "a job did not end"

    def end_of(self, job: TakenJob) -> Ended | None:
        """How the store says that the job ended."""
        return self.jobs.finished.ended([job.id]).get(job.id)

    def _launch(self) -> WorkerLink:
        worker = PlayedWorker()
        self.launched.put(worker)
        return worker

    def _on_ended(self, won: object, lost: object) -> None:
        assert isinstance(won, list)
        self.ended.release(max(1, len(won)))


def _robots_cache(node: PlayedNode) -> RobotsCache:
    kept = RobotsStore(node.store, NODE, lambda incarnation: True)
    return RobotsCache(kept, lambda: None, node.inbox.wake, node.clock)


def result_of(item: WorkItem) -> Result:
    """The job, done without rows."""
    frame = Frame(item.job, item.fence, JobState.DONE, 1, (), ())
    return Result(item.job, item.fence, JobState.DONE, 1, msgspec.msgpack.encode(frame))


@contextmanager
def running(node: PlayedNode, commits: bool = True) -> Iterator[PlayedNode]:
    """The runner's loop turns, and the appender commits, until the end of the `with`."""
    if commits:
        node.appender.start()
    node.thread.start()
    try:
        yield node
    finally:
        node.inbox.post(node.runner.kill)
        node.thread.join(WAIT_S)
        node.appender.abandon()
        assert node.appender.join(WAIT_S)
        assert not node.thread.is_alive()
        node.store.close()
