"""TaskRunner: the loop over the workers' pipes, which has jobs given out and hears what becomes of them."""

from __future__ import annotations

import logging
import math
import os
import select
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from injector import inject

from scoopi.appenders.appender import Appender
from scoopi.errors import RunError, ScoopiError
from scoopi.mediator.handover_router import HandoverRouter
from scoopi.mediator.job_giver import JobGiver
from scoopi.mediator.pending import Pending
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.pool_worker import PoolWorker
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.watchdog import LOOK_S, Watchdog
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.politeness.host_clocks import FILE_HOST, HostClocks
from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import Drain, Recall

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 1.0
HELD_BACK_WAIT_S = 0.1
TURN_S = 0.002
"""A turn lasts so long at least: what workers tell meanwhile is heard, and answered, in one go."""
FEW_JOBS = 16
"""While workers have so few, each waits for the answer to what it has told: that is not put off."""
MOST_FAILED_STARTS = 3


@dataclass(frozen=True, slots=True)
class TaskRunnerCalls:
    """Whom the runner tells; each is called from its thread and must not wait.

    Attributes:
        on_back: jobs that were taken and are not run.
        on_low: few jobs wait; more may be taken.
        on_fault: no work can be done any more.
    """

    on_back: Callable[[list[Pending]], None]
    on_low: Callable[[], None]
    on_fault: Callable[[ScoopiError], None]


class TaskRunner:
    """One loop over the workers' pipes; everything that it owns belongs to its thread.

    Other threads speak to it through `post` only. It never waits for the store or the disk.

    Attributes:
        crashes: how many workers have died.
        turned_at: monotonic seconds at which the loop began its last turn; it turns once a second at least.
    """

    @inject
    def __init__(
        self,
        pool: WorkerPool,
        queues: TaskQueues,
        clocks: HostClocks,
        router: HandoverRouter,
        suspects: Quarantine,
        watchdog: Watchdog,
        appender: Appender,
        calls: TaskRunnerCalls,
    ) -> None:
        self._pool = pool
        self._queues = queues
        self._clocks = clocks
        self._router = router
        self._suspects = suspects
        self._watchdog = watchdog
        self._giver = JobGiver(pool, queues, clocks, suspects)
        self._appender = appender
        self._calls = calls
        self._inbox: deque[Callable[[], None]] = deque()
        self._wakeup = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._wakeup_poll = select.poll()  # select.select would not take a number above 1023
        self._wakeup_poll.register(self._wakeup, select.POLLIN)
        self._waking = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wakeup, selectors.EVENT_READ)
        self._registered: set[PoolWorker] = set()
        self._draining = False
        self._recalled: set[str] = set()
        self._stopping = self._killed = False
        self._failed_starts = 0
        self.crashes = 0
        self.turned_at = math.inf

    @property
    def stuck_s(self) -> float:
        """For how long a worker is in a task that cannot be ended; may be asked by any thread."""
        return self._watchdog.stuck_s

    def post(self, call: Callable[[], None]) -> None:
        """Have the call made in the loop's thread, soon; callable from any thread.

        Nothing happens when the loop has ended: its descriptor may be somebody else's by then.
        """
        with self._waking:
            if self._wakeup < 0:
                return
            self._inbox.append(call)
            os.eventfd_write(self._wakeup, 1)

    def push(self, jobs: list[Pending]) -> None:
        """Queue taken jobs; in the loop's thread."""
        if self._draining:
            self._calls.on_back(jobs)
            return
        for pending in jobs:
            self._queues.add(pending)

    def drain(self) -> None:
        """Give back what was only taken; end what runs; in the loop's thread."""
        self._draining = True
        self._give_back(Drain())

    def recall(self) -> None:
        """Give back what was only taken, and go on: others may have it by now; in the loop's thread."""
        self._recalled = {job for worker in self._pool for job in worker.outstanding}
        self._give_back(Recall())

    def stop(self) -> None:
        """Ask the workers to end, and end with the last of them; in the loop's thread."""
        self._stopping = True
        self._pool.stop()

    def kill(self) -> None:
        """End without any worker; what they did counts as never done; in the loop's thread."""
        self._stopping = self._killed = True

    def is_quiet(self) -> bool:
        """Whether no job waits here or is in a worker; in the loop's thread."""
        return not (self._queues.total or len(self._suspects) or any(w.outstanding for w in self._pool))

    def needed_hosts(self) -> set[str]:
        """Hosts that work at hand needs, now or soon; approximate, and may be asked by any thread."""
        waiting = {*self._queues.waiting_hosts(), *self._queues.asking_hosts()}
        return (waiting | self._suspects.hosts()) - {FILE_HOST}

    def run(self) -> None:
        """Serve until stopped and the last worker has ended."""
        try:
            self._pool.start()
            while not (self._stopping and (self._killed or not any(True for _ in self._pool))):
                self._turn()
        except RunError as error:
            self._calls.on_fault(error)
        finally:
            self._pool.kill()
            for worker in list(self._pool):
                self._pool.remove(worker)
            self._selector.close()
            self._clocks.close()
            with self._waking:
                os.close(self._wakeup)
                self._wakeup = -1

    def _turn(self) -> None:
        self._gather()
        self.turned_at = time.monotonic()
        routed = self._router.routed
        while self._inbox:
            self._inbox.popleft()()
        self._give()
        self._register()
        for worker in self._watchdog.look(tuple(self._pool)):
            self._on_death(worker)
        if self._appender.has_room():
            self._hear()
        else:
            self._await_wakeup(HELD_BACK_WAIT_S)
            self._clear_wakeup()
        if back := self._router.handed_back:
            self._router.handed_back = []
            self._push_back(back)
        if self._router.routed > routed:
            self._calls.on_low()
            if self.is_quiet():
                self._appender.flush()

    def _gather(self) -> None:
        """Wait for the end of a short turn; what other threads post ends it at once."""
        if sum(len(worker.outstanding) for worker in self._pool) < FEW_JOBS:
            return
        rest_s = self.turned_at + TURN_S - time.monotonic()
        if 0 < rest_s <= TURN_S and not self._inbox:
            self._await_wakeup(rest_s)

    def _await_wakeup(self, longest_s: float) -> None:
        self._wakeup_poll.poll(math.ceil(longest_s * 1000))

    # Giving

    def _give_back(self, message: Drain | Recall) -> None:
        if back := self._queues.clear() + self._suspects.clear():
            self._calls.on_back(back)
        for worker in self._pool:
            worker.link.send(message)

    def _push_back(self, jobs: list[Pending]) -> None:
        """Queue what workers handed back, but for what was recalled."""
        if not self._recalled:
            self.push(jobs)
            return
        recalled = [pending for pending in jobs if pending.taken.id in self._recalled]
        self.push([pending for pending in jobs if pending.taken.id not in self._recalled])
        self._recalled.difference_update(pending.taken.id for pending in recalled)
        self._calls.on_back(recalled)

    def _give(self) -> None:
        if not (self._draining or self._stopping):
            self._giver.give()
        self._pool.give()

    # Hearing

    def _register(self) -> None:
        workers = set(self._pool)
        for worker in workers - self._registered:
            self._selector.register(worker.link.incoming, selectors.EVENT_READ, worker)
        self._registered = workers

    def _hear(self) -> None:
        for key, _ in self._selector.select(self._wait_s()):
            worker = key.data
            if worker is None:
                self._clear_wakeup()
                continue
            messages, alive = worker.link.receive()
            for message in messages:
                self._router.route(worker, message)
            if not alive:
                self._on_death(worker)
        for worker in self._pool:
            worker.link.push()

    def _wait_s(self) -> float:
        if self._inbox or self._killed:
            return 0.0
        unsent = any(worker.link.has_unsent() for worker in self._pool)
        longest = HELD_BACK_WAIT_S if unsent or len(self._suspects) else LONGEST_WAIT_S
        if any(worker.outstanding for worker in self._pool):
            longest = min(longest, LOOK_S)
        return min(longest, self._queues.next_turn_in())

    def _clear_wakeup(self) -> None:
        try:
            os.eventfd_read(self._wakeup)
        except BlockingIOError:
            return

    def _on_death(self, worker: PoolWorker) -> None:
        self._selector.unregister(worker.link.incoming)
        self._registered.discard(worker)
        for message in worker.link.receive_rest():
            self._router.route(worker, message)
        how, note = self._pool.remove(worker)
        self._queues.forget_worker(worker)
        for job, host in worker.requests.items():
            self._clocks.abandoned(host, job)
            self._queues.wake(host)
        if self._stopping or worker.is_leaving:
            return
        self.crashes += 1
        self._decide(worker, how, note)
        self._failed_starts = 0 if worker.ready else self._failed_starts + 1
        if self._failed_starts >= MOST_FAILED_STARTS:
            raise RunError(f"workers die at their start: {how}")
        if not self._draining:
            self._pool.start()

    def _decide(self, worker: PoolWorker, how: str, note: Note) -> None:
        if self._draining:
            log.warning("a worker died: %s; jobs given back: %d", how, len(worker.outstanding))
            self._calls.on_back(list(worker.outstanding.values()))
            return
        for pending in self._suspects.judge(worker, how, note):
            self._queues.add(pending)
