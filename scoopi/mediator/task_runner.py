"""TaskRunner: the loop over the workers' pipes, which gives out jobs and handles what workers report."""

from __future__ import annotations

import logging
import math
import selectors
import time
from collections.abc import Callable

import msgspec
from injector import inject

from scoopi.errors import RunError, ScoopiError
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.inboxes import TaskInbox
from scoopi.mediator.workers.job_dispatcher import JobDispatcher
from scoopi.mediator.workers.message_router import MessageRouter
from scoopi.mediator.workers.watchdog import POLL_S, Watchdog
from scoopi.mediator.workers.worker_pool import PoolWorker, WorkerPool
from scoopi.store.jobs.job_records import TakenJob
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Drain, Recall, ToParent

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 1.0
HELD_BACK_WAIT_S = 0.1
TURN_S = 0.001
"""The least duration of a turn: what workers send within it is read, and answered, together."""
FEW_JOBS = 16
"""While workers have fewer jobs, each waits for the answer to its report, so turns are not drawn out."""
LOW_S = 0.02
"""The least time between two calls of `on_low`: each wakes a thread, and most would find nothing to take, as
enough jobs wait for several turns."""
MOST_FAILED_STARTS = 3


class TaskRunnerCalls(msgspec.Struct, frozen=True):
    """Callables by which the runner asks and notifies other parts of the node, from its thread.

    None of them may block.

    Attributes:
        hand_back: receives jobs that were taken and are not run.
        on_low: called when jobs have ended, so that more may be taken.
        on_fault: receives an error after which no work can be done.
        has_room: whether the appender accepts more results.
        on_sending: receives jobs whose requests may be sent only once the store has noted that;
            `SendingNotes.add` answers.
        on_idle: called when no job waits in this node or is in a worker: results are to be committed now.
    """

    hand_back: Callable[[list[Pending]], None]
    on_low: Callable[[], None]
    on_fault: Callable[[ScoopiError], None]
    has_room: Callable[[], bool]
    on_idle: Callable[[], None]
    on_sending: Callable[[list[TakenJob]], None] = lambda jobs: None


class TaskRunner:
    """Gives jobs to workers and handles what they report, in one loop over their pipes.

    Its methods are called in its own thread only; other threads post calls to its inbox. It never waits for
    the store or the disk.

    Attributes:
        dispatcher: holds the jobs that wait here; belongs to the same thread.
        crashes: how many workers have crashed since the start.
        turned_at: monotonic seconds at which the loop began its last turn; it turns at least once a second.
    """

    @inject
    def __init__(
        self,
        inbox: TaskInbox,
        pool: WorkerPool,
        dispatcher: JobDispatcher,
        router: MessageRouter,
        watchdog: Watchdog,
        calls: TaskRunnerCalls,
    ) -> None:
        self._inbox = inbox
        self._pool = pool
        self.dispatcher = dispatcher
        self._router = router
        self._watchdog = watchdog
        self._calls = calls
        self._selector = selectors.DefaultSelector()
        self._selector.register(inbox.descriptor, selectors.EVENT_READ)
        self._registered: set[PoolWorker] = set()
        self._draining = False
        self._recalled: set[str] = set()
        self._handed_back: list[Pending] = []
        self._routed, self._low_at = 0, 0.0
        self._stopping = self._killed = False
        self._failed_starts = 0
        self.crashes = 0
        self.turned_at = math.inf

    @property
    def stuck_s(self) -> float:
        """For how many seconds a worker that survives its kill has been in its task; 0 if none does.

        May be called from any thread.
        """
        return self._watchdog.stuck_s

    def push(self, jobs: list[Pending]) -> None:
        """Queue jobs that were taken; after `drain` they are handed back."""
        if self._draining:
            self._calls.hand_back(jobs)
            return
        self.dispatcher.add(jobs)

    def drain(self) -> None:
        """Hand back the jobs that have not begun, finish the others, and accept no more."""
        self._draining = True
        self._hand_back_unbegun(Drain())

    def recall(self) -> None:
        """Hand back the jobs that have not begun, as other nodes may have taken them, and continue."""
        self._recalled = {job for worker in self._pool for job in worker.outstanding}
        self._hand_back_unbegun(Recall())

    def stop(self) -> None:
        """Ask the workers to end; `run` returns when the last of them has ended."""
        self._stopping = True
        self._pool.stop()

    def kill(self) -> None:
        """Have `run` kill the workers and return; their jobs are run again later."""
        self._stopping = self._killed = True

    def is_idle(self) -> bool:
        """Whether no job waits here or is in a worker."""
        return self.dispatcher.is_empty() and not any(worker.outstanding for worker in self._pool)

    def run(self) -> None:
        """Start the workers and serve them until `kill`, or until the last has ended after `stop`."""
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
            self._inbox.close()

    def _turn(self) -> None:
        self._gather()
        self.turned_at = time.monotonic()
        self._inbox.run_posted()
        self._give()
        self._routed += self.dispatcher.denied.take_count()
        if unfit := self.dispatcher.take_unfit():
            self._calls.hand_back(unfit)
        if missing := self.dispatcher.notes.take_missing():
            self._calls.on_sending(missing)
        self._register()
        for worker in self._watchdog.check(tuple(self._pool)):
            self._on_death(worker)
        if self._calls.has_room():
            self._receive()
        else:
            self._inbox.wait(HELD_BACK_WAIT_S)
            self._inbox.clear_wakeup()
        if self._handed_back:
            back, self._handed_back = self._handed_back, []
            self._queue_again(back)
        if self._routed and self._low_in_s() <= 0:
            self._routed = 0
            self._low_at = self.turned_at + LOW_S
            self._calls.on_low()
            if self.is_idle():
                self._calls.on_idle()

    def _gather(self) -> None:
        """Wait until the turn has had its least duration, or a call is posted."""
        if self._has_few_jobs():
            return
        rest_s = self.turned_at + TURN_S - time.monotonic()
        if 0 < rest_s <= TURN_S and not self._inbox:
            self._inbox.wait(rest_s)

    def _has_few_jobs(self) -> bool:
        return sum(len(worker.outstanding) for worker in self._pool) < FEW_JOBS

    def _low_in_s(self) -> float:
        """Seconds until `on_low` may be called again."""
        return 0.0 if self._has_few_jobs() else max(0.0, self._low_at - time.monotonic())

    # Giving

    def _hand_back_unbegun(self, message: Drain | Recall) -> None:
        # Pages that wait for files, or whose requests must not be sent twice, are not recalled.
        if back := self.dispatcher.clear(keeps_grants=isinstance(message, Recall)):
            self._calls.hand_back(back)
        for worker in self._pool:
            worker.link.send(message)

    def _queue_again(self, jobs: list[Pending]) -> None:
        """Queue what workers handed back; what was recalled goes back to the store."""
        if not self._recalled:
            self.push(jobs)
            return
        self._recalled.difference_update(pending.taken.id for pending in jobs if pending.is_robots)
        recalled = [pending for pending in jobs if pending.taken.id in self._recalled]
        self.push([pending for pending in jobs if pending.taken.id not in self._recalled])
        self._recalled.difference_update(pending.taken.id for pending in recalled)
        self._calls.hand_back(recalled)

    def _give(self) -> None:
        if not (self._draining or self._stopping):
            self.dispatcher.dispatch()
        self._pool.give()

    # Receiving

    def _register(self) -> None:
        workers = set(self._pool)
        for worker in workers - self._registered:
            self._selector.register(worker.link.incoming, selectors.EVENT_READ, worker)
        self._registered = workers

    def _receive(self) -> None:
        for key, _ in self._selector.select(self._wait_s()):
            worker = key.data
            if worker is None:
                self._inbox.clear_wakeup()
                continue
            messages, alive = worker.link.receive()
            for message in messages:
                self._route(worker, message)
            if not alive:
                self._on_death(worker)
        for worker in self._pool:
            worker.link.push()

    def _route(self, worker: PoolWorker, message: ToParent) -> None:
        routed = self._router.route(worker, message)
        self.dispatcher.handle(worker, message)
        self._routed += routed.results
        self._handed_back += routed.handed_back

    def _wait_s(self) -> float:
        if self._inbox or self._killed:
            return 0.0
        unsent = any(worker.link.has_unsent() for worker in self._pool)
        longest = HELD_BACK_WAIT_S if unsent or self.dispatcher.has_quarantined() else LONGEST_WAIT_S
        if any(worker.outstanding for worker in self._pool):
            longest = min(longest, POLL_S)
        if self._routed:
            longest = min(longest, self._low_in_s())
        is_giving = not (self._draining or self._stopping)
        return min(longest, self.dispatcher.next_turn_in()) if is_giving else longest

    def _on_death(self, worker: PoolWorker) -> None:
        self._selector.unregister(worker.link.incoming)
        self._registered.discard(worker)
        for message in worker.link.receive_rest():
            self._route(worker, message)
        how, running = self._pool.remove(worker)
        self.dispatcher.forget(worker)
        if self._stopping or worker.is_leaving:
            return
        self.crashes += 1
        self.dispatcher.end_sent(worker, how)
        self._decide(worker, how, running)
        self._failed_starts = 0 if worker.ready else self._failed_starts + 1
        if self._failed_starts >= MOST_FAILED_STARTS:
            raise RunError(f"workers die at their start: {how}")
        if not self._draining:
            self._pool.start()

    def _decide(self, worker: PoolWorker, how: str, running: RunningTask) -> None:
        if self._draining:
            log.warning("a worker died: %s; jobs handed back: %d", how, len(worker.outstanding))
            self._calls.hand_back(list(worker.outstanding.values()))
            return
        self.dispatcher.judge(worker, how, running)
