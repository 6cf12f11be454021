"""Appender: bounded queue -> children put -> frames on the disk -> jobs ended, in groups."""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from scoopi.appenders.job_result import END_OF_STREAM, JobResult
from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.configs.groups import AppenderSettings
from scoopi.errors import AppenderError, ClusterError, RecordError, RunError, ScoopiError, StoreError
from scoopi.store.pages.job_store import JobStore
from scoopi.store.pages.job_values import Ending, NewJob
from scoopi.store.retries import retried

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

QUEUE_BYTES = 16 << 20
"""Bytes of frames and children that may wait, beside the setting that bounds the results' number."""
COMMIT_BYTES = 2 << 20
"""So much is committed without waiting for the interval."""
CHILD_BYTES = 1500
"""What a child takes in memory, roughly; a page with thousands of links must not count as small."""
CHILDREN_AT_ONCE = 1000
STORE_PATIENCE_S = 10.0
"""How long a store that does not answer is tried again, on one machine."""


class Appender:
    """One thread that makes results durable; a job ends only after its frame is on the disk.

    Order, each acknowledged before the next: children put, frames written and synced, ending `cas`.
    Source: design, "Protocol", rules 4 and 5.

    Args:
        on_ended: called (from this thread) with the results that ended their jobs and those that
            lost theirs to another incarnation.
        on_fault: called once when rows can no longer be made durable.
        store_patience_s: how long a store that does not answer is tried again.
        is_lost: whether the store has lost the run; asked before a job counts as another incarnation's.
        on_committed: called with the seconds from a batch's leaving the queue to the end of its jobs.
    """

    def __init__(
        self,
        writer: SegmentWriter,
        jobs: JobStore,
        settings: AppenderSettings,
        on_ended: Callable[[Sequence[JobResult], Sequence[JobResult]], None],
        on_fault: Callable[[ScoopiError], None],
        on_committed: Callable[[float], None] | None = None,
        store_patience_s: float = STORE_PATIENCE_S,
        is_lost: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer = writer
        self._jobs = jobs
        self._settings = settings
        self._on_ended = on_ended
        self._on_fault = on_fault
        self._on_committed = on_committed
        self._store_patience_s = store_patience_s
        self._is_lost = is_lost
        self._queue: deque[JobResult | None] = deque()
        self._bytes = 0
        self._flush = False
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="appender", daemon=True)

    def start(self) -> None:
        """Open the segment and begin to commit.

        Raises:
            AppenderError: the segment cannot be made.
        """
        self._writer.open()
        self._thread.start()

    def has_room(self) -> bool:
        """Whether the queue takes more now; it does again, at the latest, after the next `on_ended`."""
        with self._changed:
            return len(self._queue) < self._settings.queue_size and self._bytes < QUEUE_BYTES

    def waiting(self) -> int:
        """How many results wait for their commit."""
        with self._changed:
            return len(self._queue)

    def ended(self) -> bool:
        """Whether the thread was started and has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    def put(self, result: JobResult) -> None:
        """Queue a result; the caller has asked `has_room` before (one batch may pass the bound)."""
        with self._changed:
            self._queue.append(result)
            self._bytes += len(result.body) + CHILD_BYTES * len(result.children)
            self._changed.notify()

    def flush(self) -> None:
        """Nothing more is to come for now: commit what waits without waiting for the interval."""
        with self._changed:
            self._flush = True
            self._changed.notify()

    def end_of_stream(self) -> None:
        """Commit what waits, then end."""
        with self._changed:
            self._queue.append(END_OF_STREAM)
            self._flush = True
            self._changed.notify()

    def abandon(self) -> None:
        """End as soon as possible; what was not committed counts as never done."""
        self._stopped.set()
        self.end_of_stream()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of the stream.

        Returns:
            False when it has not come in time.
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
            self._on_fault(error)
        except Exception as error:
            log.exception("appender: unexpected error")
            self._on_fault(AppenderError(f"the appender failed: {error!r}"))
        finally:
            self._writer.close()

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
        self._writer.append([result.body for result in batch])
        endings = [Ending(result.job, result.fence, result.state) for result in batch]
        won = self._until_known(lambda: self._jobs.end(endings))
        if won is not None and not all(won):
            self._ensure_known()
        if won is not None:
            if self._on_committed is not None:
                self._on_committed(time.monotonic() - started)
            self._on_ended(
                [result for result, ok in zip(batch, won, strict=True) if ok],
                [result for result, ok in zip(batch, won, strict=True) if not ok],
            )

    def _ensure_known(self) -> None:
        """What the store has lost looks like jobs that another incarnation ended."""
        if self._until_known(self._is_lost):
            raise RunError(
                "the run's data is lost from the store: it cannot be told which jobs have ended",
                hint="its files stay as they are; in a cluster --discard-lost moves them aside and "
                "starts the run again",
            )

    def _put_children(self, children: Sequence[NewJob]) -> None:
        for start in range(0, len(children), CHILDREN_AT_ONCE):
            part = children[start : start + CHILDREN_AT_ONCE]
            self._until_known(functools.partial(self._jobs.put, part))

    def _until_known(self, call: Callable[[], Answer]) -> Answer | None:
        """The call's answer; retried while the store fails, None when abandoned."""
        if self._stopped.is_set():
            return None
        try:
            return retried(
                "ending jobs", call, self._store_patience_s, self._stopped.is_set, self._stopped.wait
            )
        except RecordError:
            raise
        except StoreError as error:
            if self._stopped.is_set():
                return None
            raise AppenderError(error.what, at=error.at, hint=error.hint) from error
