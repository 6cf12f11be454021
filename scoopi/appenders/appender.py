"""Appender: makes results durable in groups: stores children, writes frames, finishes jobs."""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.configs.groups import AppenderSettings
from scoopi.errors import AppenderError, ClusterError, RecordError, RunError, ScoopiError, StoreError
from scoopi.model.job import JobState
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.retries import retried

log = logging.getLogger(__name__)
END_OF_STREAM = None
"""The last entry of an appender's queue: the appender commits what came before it, then ends."""
ValueType = TypeVar("ValueType")
QUEUE_BYTES = 16 << 20
"""Most bytes of frames and children in the queue; a setting limits the number of results."""
COMMIT_BYTES = 2 << 20
"""The queue is committed before the interval is over once it holds this many bytes."""
CHILD_BYTES = 1500
"""Estimated memory of a child, so that a page with thousands of links counts as large."""
CHILDREN_AT_ONCE = 1000
STORE_TIMEOUT_S = 10.0
"""For how many seconds calls to a failing store are retried on one machine."""


class JobResult(msgspec.Struct, frozen=True):
    """The outcome of a job, from a worker or, for a job that cannot run, from the parent.

    Attributes:
        job: the job's id.
        fence: the fence with which this node took it.
        state: DONE, FAILED or SKIPPED.
        body: its encoded Frame.
        children: the jobs for its links, which are stored before the job finishes.
        rows: the number of rows in its frame.
    """

    job: str
    fence: int
    state: JobState
    body: bytes
    children: tuple[NewJob, ...] = ()
    rows: int = 0


def _ignore(*_: object) -> None:
    """The default of events that nobody waits for."""


class CommitEvents(msgspec.Struct, frozen=True):
    """What an appender reports, from its own thread.

    Attributes:
        on_ended: called with the results that finished their jobs, and with those whose jobs another
            node or incarnation has finished.
        on_fault: called once when rows can no longer be made durable.
        on_committed: called with the seconds from a batch's removal from the queue to the end of its commit.
        on_settled: called with the offset in the segment, in bytes, up to which it is known which frames
            count, and with the results since the last call that do not.
        on_closed: called once when nothing will be committed any more.
    """

    on_ended: Callable[[Sequence[JobResult], Sequence[JobResult]], None]
    on_fault: Callable[[ScoopiError], None]
    on_committed: Callable[[float], None] = _ignore
    on_settled: Callable[[int, Sequence[JobResult]], None] = _ignore
    on_closed: Callable[[], None] = _ignore


class Appender:
    """Commits results with one thread; a job finishes only after its frame is on the disk.

    Each step is acknowledged before the next: the children are stored, the frames are written and synced,
    the jobs are finished by a conditional write.
    Source: ARCHITECTURE, protocol rules 4 and 5.

    Args:
        events: notified of commits and faults.
        store_timeout_s: for how many seconds calls to a failing store are retried.
        is_lost: whether the store has lost the run; checked before a job counts as finished elsewhere.
    """

    def __init__(
        self,
        writer: SegmentWriter,
        jobs: JobStore,
        settings: AppenderSettings,
        events: CommitEvents,
        store_timeout_s: float = STORE_TIMEOUT_S,
        is_lost: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer = writer
        self._jobs = jobs
        self._settings = settings
        self._events = events
        self._store_timeout_s = store_timeout_s
        self._is_lost = is_lost
        self._queue: deque[JobResult | None] = deque()
        self._bytes = 0
        self._flush = False
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="appender", daemon=True)

    def start(self) -> None:
        """Open the segment and start the thread.

        Raises:
            AppenderError: the segment cannot be created.
        """
        self._writer.open()
        self._thread.start()

    def has_room(self) -> bool:
        """Whether the queue has room; if not, it has after the next `on_ended` at the latest."""
        with self._changed:
            return len(self._queue) < self._settings.queue_size and self._bytes < QUEUE_BYTES

    def waiting(self) -> int:
        """The number of results that wait for their commit."""
        with self._changed:
            return len(self._queue)

    def ended(self) -> bool:
        """Whether the thread was started and has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    def put(self, result: JobResult) -> None:
        """Queue a result; see `put_all`."""
        self.put_all((result,))

    def put_all(self, results: Sequence[JobResult]) -> None:
        """Queue results; the caller has checked `has_room` before (one batch may exceed the limit)."""
        size = sum([len(result.body) + CHILD_BYTES * len(result.children) for result in results])
        with self._changed:
            was_empty = not self._queue
            self._queue.extend(results)
            self._bytes += size
            if was_empty or self._is_due():  # else the thread would wake up only to wait again
                self._changed.notify()

    def flush(self) -> None:
        """Have the thread commit the queue before the interval is over, as no result follows for now."""
        with self._changed:
            self._flush = True
            self._changed.notify()

    def end_of_stream(self) -> None:
        """Have the thread commit the queue, then end."""
        with self._changed:
            self._queue.append(END_OF_STREAM)
            self._flush = True
            self._changed.notify()

    def abandon(self) -> None:
        """Have the thread end as soon as possible, without committing the queue; its jobs are run again."""
        self._stopped.set()
        self.end_of_stream()

    def join(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds for the end of the thread.

        Returns:
            Whether it has ended.
        """
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                batch, ended = self._next_batch()
                if batch:
                    self._commit(batch)
                if ended:
                    break
        except (AppenderError, ClusterError, RecordError, RunError) as error:
            log.error("appender: %s", error)
            self._events.on_fault(error)
        except Exception as error:
            log.exception("appender: unexpected error")
            self._events.on_fault(AppenderError(f"the appender failed: {error!r}"))
        finally:
            self._writer.close()
            self._events.on_closed()

    def _next_batch(self) -> tuple[list[JobResult], bool]:
        with self._changed:
            self._changed.wait_for(lambda: self._queue)
            self._changed.wait_for(self._is_due, timeout=self._settings.commit_interval_ms / 1000)
            self._flush = False
            batch = [result for result in self._queue if result is not END_OF_STREAM]
            ended = len(batch) < len(self._queue)
            self._queue.clear()
            self._bytes = 0
        return batch, ended

    def _is_due(self) -> bool:
        return self._flush or self._bytes >= COMMIT_BYTES

    def _commit(self, batch: list[JobResult]) -> None:
        started = time.monotonic()
        self._put_children([child for result in batch for child in result.children])
        if self._stopped.is_set():
            return
        end = self._writer.append([result.body for result in batch])
        endings = [Ending(result.job, result.fence, result.state) for result in batch]
        won = self._until_known(lambda: self._jobs.finished.end(endings))
        if won is None or not (all(won) or self._is_kept()):
            return
        self._events.on_committed(time.monotonic() - started)
        lost = [result for result, ok in zip(batch, won, strict=True) if not ok]
        self._events.on_settled(end, lost)
        self._events.on_ended([result for result, ok in zip(batch, won, strict=True) if ok], lost)

    def _is_kept(self) -> bool:
        """Whether the store holds the run, so that lost jobs were finished by another node.

        False: the appender was abandoned before that was known.

        Raises:
            RunError: the store has lost the run, and jobs with it.
        """
        is_lost = self._until_known(self._is_lost)
        if is_lost:
            raise RunError(
                "the run's data is lost from the store: which jobs have finished is unknown",
                hint="its files stay as they are; in a cluster --discard-lost moves them aside and "
                "starts the run again",
            )
        return is_lost is not None

    def _put_children(self, children: Sequence[NewJob]) -> None:
        for start in range(0, len(children), CHILDREN_AT_ONCE):
            part = children[start : start + CHILDREN_AT_ONCE]
            self._until_known(functools.partial(self._jobs.put, part))

    def _until_known(self, call: Callable[[], ValueType]) -> ValueType | None:
        """The result of the call, retried while the store fails; None if the appender is abandoned."""
        if self._stopped.is_set():
            return None
        try:
            return retried(
                "ending jobs", call, self._store_timeout_s, self._stopped.is_set, self._stopped.wait
            )
        except RecordError:
            raise
        except StoreError as error:
            if self._stopped.is_set():
                return None
            raise AppenderError(error.what, at=error.at, hint=error.hint) from error
